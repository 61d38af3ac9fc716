import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ClassSketch, sketchModel } from "../../test/support/flows/sketch-model.ts";
import { getContainment, listContainers } from "./class-model.ts";

const model = sketchModel([
	{ name: "topRoot" },
	{ name: "polUni", rn: "uni", containers: ["topRoot"] },
	{ name: "fvTenant", rn: "tn-{name}", containers: ["polUni"] },
	{ name: "fvAp", rn: "ap-{name}", containers: ["fvTenant"] },
	{ name: "fvEPg", abstract: true },
	{ name: "fvCEPg", abstract: true, supers: ["fvEPg"] },
	{ name: "fvAEPg", rn: "epg-{name}", containers: ["fvAp"], supers: ["fvCEPg", "fvEPg"] },
	{ name: "mgmtInB", rn: "inb-{name}", containers: ["fvTenant"], supers: ["fvEPg"] },
	{ name: "fvSubnet", rn: "subnet-[{ip}]", containers: ["fvCEPg"] },
	{ name: "fvRsCons", rn: "rscons-{tnVzBrCPName}", supers: ["fvRsX"] },
	{ name: "fvRsX", abstract: true, containers: ["fvEPg"] },
	{ name: "vnsFolder", rn: "fl-{name}", containers: ["fvTenant", "vnsFolder"] },
	{ name: "fabricTopology", rn: "topology", containers: ["topRoot"] },
	{ name: "stray", rn: "stray" },
]);
const listSortedContainers = (name: string, most = 50) => {
	const found = listContainers(model, name, most);
	return found && { ...found, classes: [...found.classes].sort() };
};

describe("what contains a class", () => {
	it("is what its document says, what its superclasses' say, and whatever is derived from those", () => {
		expect(listSortedContainers("fvAp")).toEqual({ classes: ["fvTenant"], top: false });
		expect(listSortedContainers("fvSubnet")).toEqual({ classes: ["fvAEPg"], top: false });
		expect(listSortedContainers("fvRsCons")).toEqual({ classes: ["fvAEPg", "mgmtInB"], top: false });
		expect(listSortedContainers("vnsFolder")).toEqual({ classes: ["fvTenant", "vnsFolder"], top: false });
		expect(listSortedContainers("polUni")).toEqual({ classes: [], top: true });
		expect(listSortedContainers("stray")).toEqual({ classes: [], top: false });
		expect(listSortedContainers("fvNope")).toBeUndefined();
		expect(listSortedContainers("fvRsCons", 1)).toBeUndefined();
	});

	it("tells own, inherited, further and none apart", () => {
		const cases = [
			["fvTenant", "fvAp", "own"],
			["fvAEPg", "fvSubnet", "inherited"],
			["mgmtInB", "fvSubnet", "none"],
			["fvEPg", "fvSubnet", "inherited"],
			["mgmtInB", "fvRsCons", "inherited"],
			["fvAp", "fvEPg", "inherited"],
			["fvTenant", "fvSubnet", "further"],
			["polUni", "fvRsCons", "further"],
			["vnsFolder", "vnsFolder", "own"],
			["fvAp", "fvTenant", "none"],
			["fvTenant", "fabricTopology", "none"],
			["stray", "fvAp", "none"],
		] as const;
		for (const [parent, child, expected] of cases) {
			expect([parent, child, getContainment(model, parent, child)]).toEqual([parent, child, expected]);
		}
	});

	it("agrees with the definition, on any graph, cycles included", () => {
		const size = 9;
		const some = (max: number) => fc.uniqueArray(fc.nat(size - 1), { maxLength: max });
		const graphs = fc.array(fc.tuple(some(3), fc.option(fc.nat(size - 1)), fc.boolean()), {
			minLength: size,
			maxLength: size,
		});
		let edges = 0;
		fc.assert(
			fc.property(graphs, (drawn) => {
				const name = (i: number) => `c${i}`;
				// Superclasses have smaller numbers, so that nothing is derived from itself.
				const getParent = (i: number) => {
					const up = drawn[i]?.[1] ?? null;
					return up !== null && up < i ? up : null;
				};
				const listSuperclasses = (i: number): number[] => {
					const up = getParent(i);
					return up === null ? [] : [up, ...listSuperclasses(up)];
				};
				const sketches = drawn.map(([containers, , abstract], i): ClassSketch => {
					return {
						name: name(i),
						rn: abstract ? "" : "x",
						abstract,
						containers: containers.map(name),
						supers: listSuperclasses(i).map(name),
					};
				});
				const graph = sketchModel(sketches);
				const isA = (i: number, kind: number) => i === kind || listSuperclasses(i).includes(kind);
				const all = drawn.map((_, i) => i);
				for (const child of all) {
					const expected = all.filter(
						(parent) =>
							drawn[parent]?.[2] === false &&
							all.some((kind) => isA(child, kind) && drawn[kind]?.[0].some((container) => isA(parent, container))),
					);
					edges += expected.length;
					const found = listContainers(graph, name(child), size);
					expect([...(found?.classes ?? [])].sort()).toEqual(expected.map(name));
					for (const parent of expected) {
						expect(["own", "inherited"]).toContain(getContainment(graph, name(parent), name(child)));
					}
				}
			}),
			{ numRuns: 200 },
		);
		expect(edges).toBeGreaterThan(500);
	});
});
