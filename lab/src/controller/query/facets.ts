/** Facets of `rsp-subtree-include`: faults, health, statistics, relations, and log records. */
import { isWithin } from "../dn.ts";
import type { Registry } from "../model/registry.ts";
import type { ClassInfo } from "../model/types.ts";
import { getDn, type Mo, makeMo, makeShape, readValue, walkTree } from "../store/mo.ts";
import type { Store } from "../store/store.ts";
import type { FacetName } from "./options.ts";

/** Log records lie outside the tree, under `subj-[<dn of what they are about>]`. */
const SUBJECT = "subj-[";
const RECORDS: ReadonlySet<string> = new Set(["fault-records", "health-records", "audit-logs", "event-logs"]);
const SEVERITIES: ReadonlyMap<string, string> = new Map([
	["critical", "crit"],
	["major", "maj"],
	["minor", "minor"],
	["warning", "warn"],
]);

export interface Facets {
	/** True when objects of the class are shown for these facets. */
	shows(cls: ClassInfo, facets: ReadonlySet<FacetName>): boolean;
	/** Records about an object, or about anything below it. */
	records(mo: Mo, facets: ReadonlySet<FacetName>, deep: boolean): Mo[];
	/** Records about any of many objects, each once. */
	recordsOfMany(mos: readonly Mo[], facets: ReadonlySet<FacetName>, deep: boolean): Mo[];
	/** The number of faults at and below an object, by severity. */
	faultCounts(mo: Mo): Mo;
}

export function hasRecords(facets: ReadonlySet<FacetName>): boolean {
	for (const facet of facets) if (RECORDS.has(facet)) return true;
	return false;
}

export function createFacets(store: Store, registry: Registry): Facets {
	function listFacetChildren(subject: Mo, facets: ReadonlySet<FacetName>): Mo[] {
		return (subject.kids ?? []).filter((kid) => kid.shape.cls !== null && facets.has(kid.shape.cls.facet as FacetName));
	}

	function* listSubjects(): Generator<readonly [string, Mo]> {
		for (const root of store.roots()) {
			if (root.rn.startsWith(SUBJECT)) yield [root.rn.slice(SUBJECT.length, -1), root];
		}
	}

	const counts = shapeCounts(registry);

	return {
		shows(cls, facets) {
			if (cls.facet !== "plain") return facets.has(cls.facet as FacetName);
			return facets.has("relations") && (registry.isA(cls, "relnTo") || registry.isA(cls, "relnFrom"));
		},
		records(mo, facets, deep) {
			const dn = getDn(mo);
			if (!deep) {
				const subject = store.child(null, `${SUBJECT}${dn}]`);
				return subject === undefined ? [] : listFacetChildren(subject, facets);
			}
			const found: Mo[] = [];
			for (const [about, root] of listSubjects())
				if (isWithin(about, dn)) found.push(...listFacetChildren(root, facets));
			return found;
		},
		recordsOfMany(mos, facets, deep) {
			if (!deep) return mos.flatMap((mo) => this.records(mo, facets, false));
			const dns = new Set(mos.map(getDn));
			const found: Mo[] = [];
			for (const [about, root] of listSubjects())
				if (matchAnyPrefix(about, dns)) found.push(...listFacetChildren(root, facets));
			return found;
		},
		faultCounts(mo) {
			const sums = new Map([...SEVERITIES.values()].map((name) => [name, 0]));
			walkTree(mo, (below) => {
				if (below.shape.cls?.facet === "faults") {
					const name = SEVERITIES.get(readValue(below, "severity") ?? "");
					if (name !== undefined) sums.set(name, (sums.get(name) ?? 0) + 1);
				}
				return undefined;
			});
			const values = counts.names.filter((name) => sums.has(name)).map((name) => String(sums.get(name) ?? 0));
			return makeMo(counts, mo, "fltCnts", values);
		},
	};
}

/** Whether a prefix of the DN that ends at a slash is one of the names. */
function matchAnyPrefix(dn: string, names: ReadonlySet<string>): boolean {
	for (let end = dn.length; end > 0; end = dn.lastIndexOf("/", end - 1)) if (names.has(dn.slice(0, end))) return true;
	return false;
}

function shapeCounts(registry: Registry) {
	const cls = registry.find("faultCounts");
	if (cls === undefined) throw new Error("the class faultCounts is missing");
	const varying = new Set(SEVERITIES.values());
	const constants = [...cls.props.values()]
		.filter((prop) => !varying.has(prop.name))
		.map((prop) => [prop.name, prop.initial] as const);
	return makeShape(cls, [...cls.props.keys()], new Map(constants));
}
