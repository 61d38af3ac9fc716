/**
 * Documents of Time Machine benchmarks: objects of about 500 bytes, some of which change each time.
 */

export interface Row {
	fvAEPg: { attributes: Record<string, string> };
}
export interface Document {
	totalCount: string;
	imdata: Row[];
}

/** Numbers in 0..1 that look random and are the same in every run. */
function createRandom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
		return state / 2 ** 32;
	};
}

export interface Drifting {
	readonly document: Document;
	/** A dn in the middle. */
	readonly watched: string;
	/** Changes 1 % of the objects, others each time. */
	drift(): void;
}

export function createDrifting(objects: number): Drifting {
	const random = createRandom(7);
	function buildRow(index: number): Row {
		const number = String(index).padStart(6, "0");
		return {
			fvAEPg: {
				attributes: {
					annotation: "",
					childAction: "",
					configSt: "applied",
					descr: `owned by team ${Math.floor(random() * 50)}`,
					dn: `uni/tn-tenant-${index % 40}/ap-app-${index % 7}/epg-web-${number}`,
					floodOnEncap: "disabled",
					lcOwn: "local",
					matchT: "AtleastOne",
					modTs: new Date(1.7e12 + Math.floor(random() * 1e10)).toISOString(),
					name: `web-${number}`,
					nameAlias: "",
					pcEnfPref: "unenforced",
					pcTag: String(Math.floor(random() * 40_000) + 16_384),
					prefGrMemb: "exclude",
					prio: "unspecified",
					scope: String(Math.floor(random() * 3e6)),
					status: "",
					triggerSt: "triggerable",
					txId: String(Math.floor(random() * 1e16)),
					uid: "15374",
				},
			},
		};
	}
	const document: Document = {
		totalCount: String(objects),
		imdata: Array.from({ length: objects }, (_, index) => buildRow(index)),
	};
	return {
		document,
		watched: document.imdata[objects >> 1]?.fvAEPg.attributes.dn ?? "",
		drift() {
			for (let left = objects / 100; left > 0; left--) {
				const index = Math.floor(random() * objects);
				const { attributes } = buildRow(index).fvAEPg;
				document.imdata[index] = { fvAEPg: { attributes: { ...attributes, descr: `${attributes.descr}, moved` } } };
			}
		},
	};
}
