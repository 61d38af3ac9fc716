/** A small random fabric, as a tree of objects. Knows nothing of the code under test. */
import fc from "fast-check";

export interface Mo {
	className: string;
	attributes: Record<string, string>;
	parent: Mo | undefined;
}

const NAMES = ["a", "b", "ab", "a.b", "axb", "web-1", "c+d", 'q"t'];
const DESCRS = ["", "x", "x y", "a.b(c)", 'say "hi"', "back\\slash", "é"];
export const NUMBERS = ["5", "10", "101", "9"];

/** Class → its rn, given a number that picks the name, and what it may contain. */
const SHAPES: Record<string, { rn: (pick: number) => [string, Record<string, string>]; children: string[] }> = {
	fvTenant: { rn: createNameFactory("tn-", ""), children: ["fvAp", "fvBD", "zzThing"] },
	fvAp: { rn: createNameFactory("ap-", ""), children: ["fvAEPg"] },
	fvAEPg: { rn: createNameFactory("epg-", ""), children: ["fvSubnet", "fvRsPathAtt", "fvCEp"] },
	fvBD: { rn: createNameFactory("BD-", ""), children: ["fvSubnet", "zzThing"] },
	fvSubnet: { rn: (i) => [`subnet-[10.${i % 4}.0.1/24]`, { ip: `10.${i % 4}.0.1/24` }], children: ["zzThing"] },
	fvRsPathAtt: {
		rn: (i) => [
			`rspathAtt-[topology/pod-1/paths-101/pathep-[eth1/${i % 3}]]`,
			{ tDn: `topology/pod-1/paths-101/pathep-[eth1/${i % 3}]` },
		],
		children: [],
	},
	fvCEp: { rn: (i) => [`cep-0${i % 5}`, { name: `0${i % 5}` }], children: ["fvIp"] },
	fvIp: { rn: (i) => [`ip-[10.0.${i % 3}.9]`, { addr: `10.0.${i % 3}.9` }], children: [] },
	zzThing: { rn: createNameFactory("zz-", ""), children: ["zzThing", "fvCEp"] },
	fabricPod: { rn: (i) => [`pod-${i % 2}`, { id: `${i % 2}` }], children: ["fabricNode"] },
	fabricNode: { rn: (i) => [`node-${101 + (i % 3)}`, { id: `${101 + (i % 3)}` }], children: ["topSystem"] },
	topSystem: { rn: () => ["sys", {}], children: ["l1PhysIf"] },
	l1PhysIf: { rn: (i) => [`phys-[eth1/${i % 4}]`, { id: `eth1/${i % 4}` }], children: [] },
};
export const CLASSES = Object.keys(SHAPES);

function createNameFactory(prefix: string, suffix: string) {
	return (i: number): [string, Record<string, string>] => {
		const name = NAMES[i % NAMES.length] ?? "a";
		return [`${prefix}${name}${suffix}`, { name }];
	};
}

/** Values that filters and names are made of, so that they meet. */
export const texts = fc.constantFrom(...NAMES, ...DESCRS.filter((d) => d !== ""), ...NUMBERS, "10.1.0.1/24", "eth1/1");

export const fabrics: fc.Arbitrary<Mo[]> = fc
	.record({ seed: fc.integer(), size: fc.integer({ min: 0, max: 160 }) })
	.map(({ seed, size }) => {
		let state = seed >>> 0;
		const next = (below: number) => {
			state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
			return Math.floor((state / 2 ** 32) * below);
		};
		const roots: Mo[] = [
			{ className: "polUni", attributes: { dn: "uni" }, parent: undefined },
			{ className: "fabricTopology", attributes: { dn: "topology" }, parent: undefined },
		];
		const all = [...roots];
		const dns = new Set(["uni", "topology"]);
		for (let i = 0; i < size; i += 1) {
			const parent = all[next(all.length)];
			if (!parent) continue;
			const options =
				parent.className === "polUni"
					? ["fvTenant"]
					: parent.className === "fabricTopology"
						? ["fabricPod"]
						: SHAPES[parent.className]?.children;
			const className = options?.[next(options.length)];
			const shape = className === undefined ? undefined : SHAPES[className];
			if (className === undefined || !shape) continue;
			const [rn, naming] = shape.rn(next(1_000));
			const dn = `${parent.attributes.dn}/${rn}`;
			if (dns.has(dn)) continue;
			dns.add(dn);
			const descr = DESCRS[next(DESCRS.length)] ?? "";
			const size = NUMBERS[next(NUMBERS.length)] ?? "5";
			all.push({ className, attributes: { dn, descr, size, ...naming }, parent });
		}
		return all;
	});
