/** Class models for tests and benchmarks, from a few words per class. */
import type { ModelClass, ModelGraph } from "../../../src/core/ports/class-model.ts";

export interface ClassSketch {
	readonly name: string;
	/** Empty: abstract, or the top of the tree. */
	readonly rn?: string;
	/** The placeholders of the format if absent. */
	readonly naming?: readonly string[];
	readonly abstract?: boolean;
	readonly containers?: readonly string[];
	/** Nearest first. */
	readonly supers?: readonly string[];
	readonly properties?: readonly string[];
	/** Names of the properties that can be set. */
	readonly configurable?: readonly string[];
}

export function sketchModel(sketches: readonly ClassSketch[], version = "6.0(9c)"): ModelGraph {
	const contains = listsBy(sketches, ({ containers = [] }) => containers);
	const subClasses = listsBy(sketches, ({ supers = [] }) => supers.slice(0, 1));
	const classes = new Map(
		sketches.map(({ name, rn = "", containers = [], supers = [], ...more }): [string, ModelClass] => {
			const configurable = new Set(["name", "descr", ...(more.configurable ?? [])]);
			const properties = new Set([...configurable, ...(more.properties ?? [])]);
			return [
				name,
				{
					name,
					rnFormat: rn,
					containers,
					superClasses: supers,
					abstract: more.abstract === true,
					naming: more.naming ?? [...rn.matchAll(/\{([^{}]+)\}/g)].map(([, property = ""]) => property),
					contains: contains.get(name) ?? [],
					subClasses: subClasses.get(name) ?? [],
					hasProperty: (property) => properties.has(property),
					isConfigurable: (property) => (properties.has(property) ? configurable.has(property) : undefined),
					properties: () => new Map([...properties].map((property) => [property, "string"])),
				},
			];
		}),
	);
	return { version, find: (name) => classes.get(name), names: () => classes.values() };
}

function listsBy(sketches: readonly ClassSketch[], keys: (sketch: ClassSketch) => readonly string[]) {
	const lists = new Map<string, string[]>();
	for (const sketch of sketches) {
		for (const key of keys(sketch)) {
			const list = lists.get(key);
			if (list) list.push(sketch.name);
			else lists.set(key, [sketch.name]);
		}
	}
	return lists;
}

/** The model of the random fabrics, some of it by way of abstract classes. */
export const fabricModel = sketchModel([
	{ name: "topRoot" },
	{ name: "polUni", rn: "uni", containers: ["topRoot"] },
	{ name: "fabricTopology", rn: "topology", containers: ["topRoot"] },
	{ name: "xxHolder", abstract: true },
	{ name: "fvTenant", rn: "tn-{name}", containers: ["polUni"] },
	{ name: "fvAp", rn: "ap-{name}", containers: ["fvTenant"] },
	{ name: "fvAEPg", rn: "epg-{name}", containers: ["fvAp"], supers: ["xxHolder"] },
	{ name: "fvBD", rn: "BD-{name}", containers: ["fvTenant"], supers: ["xxHolder"] },
	{ name: "fvSubnet", rn: "subnet-[{address}]", naming: ["ip"], containers: ["xxHolder"] },
	{ name: "fvRsPathAtt", rn: "rspathAtt-[{tDn}]", containers: ["fvAEPg"] },
	{ name: "fvCEp", rn: "cep-{name}", containers: ["fvAEPg", "zzThing"] },
	{ name: "fvIp", rn: "ip-[{addr}]", containers: ["fvCEp"] },
	{ name: "zzThing", rn: "zz-{name}", containers: ["fvTenant", "fvBD", "fvSubnet", "zzThing"] },
	{ name: "fabricPod", rn: "pod-{id}", containers: ["fabricTopology"] },
	{ name: "fabricNode", rn: "node-{id}", containers: ["fabricPod"] },
	{ name: "topSystem", rn: "sys", containers: ["fabricNode"] },
	{ name: "l1PhysIf", rn: "phys-[{id}]", containers: ["topSystem"] },
]);
