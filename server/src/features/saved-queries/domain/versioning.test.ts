import type { Flow, PostProcessor } from "@weft/contracts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalHash } from "../../flow/domain/canonical-hash.ts";
import { readFlow, readPostProcessors } from "../../flow/domain/validation.ts";
import { bump, compareContent, versionString } from "./versioning.ts";

const read = (nodes: unknown[], edges: unknown[] = []): Flow => {
	const result = readFlow({ nodes, edges });
	if (!result.ok) throw new Error(JSON.stringify(result.errors));
	return result.value;
};
const processors = (...list: unknown[]): PostProcessor[] => {
	const result = readPostProcessors(list);
	if (!result.ok) throw new Error(JSON.stringify(result.errors));
	return result.value;
};
const tenant = { id: "a", type: "classNode", data: { className: "fvTenant" } };
const bd = { id: "b", type: "classNode", data: { className: "fvBD" } };
const onName = { id: "f", type: "filterNode", data: { property: "name", operator: "eq", value: "x" } };
const edge = (source: string, target: string, data = {}) => ({
	id: `${source}${target}${Math.random()}`,
	source,
	target,
	data,
});
const base = read([tenant, bd], [edge("a", "b")]);

describe("a query's version", () => {
	const cases: [string, Flow, Flow, string, string[]][] = [
		["the same", base, read([tenant, bd], [edge("a", "b")]), "none", []],
		[
			"layout",
			base,
			read(
				[
					{ ...bd, position: { x: 1, y: 1 } },
					{ ...tenant, data: { ...tenant.data, label: "T", color: "red" } },
				],
				[edge("a", "b")],
			),
			"none",
			[],
		],
		[
			"defaults written out",
			base,
			read([{ ...tenant, data: { ...tenant.data, scope: "self" } }, bd], [edge("a", "b")]),
			"none",
			[],
		],
		["a class more", read([tenant]), base, "major", ["Added class fvBD", "Added fvTenant → fvBD"]],
		["a class less", base, read([tenant]), "major", ["Removed class fvBD", "Removed fvTenant → fvBD"]],
		[
			"another class",
			base,
			read([tenant, { ...bd, data: { className: "fvCtx" } }], [edge("a", "b")]),
			"major",
			["Changed class fvBD to fvCtx"],
		],
		[
			"a scope",
			base,
			read([{ ...tenant, data: { ...tenant.data, scope: "subtree" } }, bd], [edge("a", "b")]),
			"major",
			["Changed scope of fvTenant to subtree"],
		],
		["an edge less", base, read([tenant, bd]), "major", ["Removed fvTenant → fvBD"]],
		[
			"a filter between",
			base,
			read([tenant, bd, onName], [edge("a", "f"), edge("f", "b")]),
			"minor",
			["Added filter on name"],
		],
		[
			"the filter gone",
			read([tenant, bd, onName], [edge("a", "f"), edge("f", "b")]),
			base,
			"minor",
			["Removed filter on name"],
		],
		[
			"a filter's value",
			read([tenant, onName], [edge("a", "f")]),
			read([tenant, { ...onName, data: { ...onName.data, value: "y" } }], [edge("a", "f")]),
			"minor",
			["Changed filter on name"],
		],
		[
			"a filter moved to another class",
			read([tenant, bd, onName], [edge("a", "b"), edge("a", "f")]),
			read([tenant, bd, onName], [edge("a", "b"), edge("b", "f")]),
			"major",
			["Removed connection from fvTenant to f", "Added connection from fvBD to f"],
		],
		[
			"an option",
			base,
			read([tenant, { ...bd, data: { ...bd.data, limit: 5, supplementalData: { health: true } } }], [edge("a", "b")]),
			"minor",
			["Changed limit of fvBD to 5", "Changed supplemental data of fvBD to health"],
		],
		[
			"a pipeline",
			read([tenant, bd]),
			read([tenant, bd], [edge("a", "b", { edgeType: "pipeline" })]),
			"major",
			["Added pipeline from fvTenant to fvBD"],
		],
	];
	it.each(cases)("moves as told by: %s", (_, before, after, level, changes) => {
		const content = (flow: Flow) => ({ flow, postProcessors: [] });
		expect(compareContent(content(before), content(after))).toEqual({ level, changes });
		expect(canonicalHash(before, []) === canonicalHash(after, [])).toBe(level === "none");
	});

	it("moves by post-processors", () => {
		const sort = { type: "array-sort", config: { field: "name" } };
		const flat = { type: "flatten" };
		const change = (before: PostProcessor[], after: PostProcessor[]) =>
			compareContent({ flow: base, postProcessors: before }, { flow: base, postProcessors: after });
		expect(change([], processors(sort))).toEqual({ level: "minor", changes: ["Added post-processor array-sort"] });
		expect(change(processors(sort, flat), processors(flat, sort)).changes).toEqual(["Reordered post-processors"]);
		expect(change(processors(sort), processors({ ...sort, enabled: false })).changes).toEqual([
			"Changed post-processor array-sort",
		]);
		expect(change(processors(sort), processors({ ...sort, enabled: true })).level).toBe("none");
	});

	it("counts up", () => {
		expect(versionString(bump({ major: 1, minor: 3 }, "minor"))).toBe("v1.4");
		expect(versionString(bump({ major: 1, minor: 3 }, "major"))).toBe("v2.0");
		expect(versionString(bump({ major: 1, minor: 3 }, "none"))).toBe("v1.3");
	});

	it("does not depend on the order of nodes and edges", () => {
		const names = ["a", "b", "c", "d", "e"];
		const nodes = names.map((id) => ({ id, type: "classNode", data: { className: "fvBD" } }));
		const edges = [edge("a", "b"), edge("b", "c"), edge("a", "d"), edge("d", "e")];
		const hash = canonicalHash(read(nodes, edges), []);
		fc.assert(
			fc.property(
				fc.shuffledSubarray(nodes, { minLength: 5 }),
				fc.shuffledSubarray(edges, { minLength: 4 }),
				(n, e) => {
					expect(canonicalHash(read(n, e), [])).toBe(hash);
				},
			),
			{ numRuns: 30 },
		);
	});
});
