import type { Flow, PostProcessor } from "@weft/contracts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hashCanonical } from "../../flow/rules/canonical-hash.ts";
import { readFlow, readPostProcessors } from "../../flow/rules/validation.ts";
import { bumpVersion, compareContent, formatVersion } from "./versioning.ts";

const createFlow = (nodes: unknown[], edges: unknown[] = []): Flow => {
	const result = readFlow({ nodes, edges });
	if (!result.ok) throw new Error(JSON.stringify(result.errors));
	return result.value;
};
const createProcessors = (...list: unknown[]): PostProcessor[] => {
	const result = readPostProcessors(list);
	if (!result.ok) throw new Error(JSON.stringify(result.errors));
	return result.value;
};
const tenant = { id: "a", type: "classNode", data: { className: "fvTenant" } };
const bd = { id: "b", type: "classNode", data: { className: "fvBD" } };
const onName = { id: "f", type: "filterNode", data: { property: "name", operator: "eq", value: "x" } };
const createEdge = (source: string, target: string, data = {}) => ({
	id: `${source}${target}${Math.random()}`,
	source,
	target,
	data,
});
const base = createFlow([tenant, bd], [createEdge("a", "b")]);

describe("a query's version", () => {
	const cases: [string, Flow, Flow, string, string[]][] = [
		["the same", base, createFlow([tenant, bd], [createEdge("a", "b")]), "none", []],
		[
			"layout",
			base,
			createFlow(
				[
					{ ...bd, position: { x: 1, y: 1 } },
					{ ...tenant, data: { ...tenant.data, label: "T", color: "red" } },
				],
				[createEdge("a", "b")],
			),
			"none",
			[],
		],
		[
			"defaults written out",
			base,
			createFlow([{ ...tenant, data: { ...tenant.data, scope: "self" } }, bd], [createEdge("a", "b")]),
			"none",
			[],
		],
		["a class more", createFlow([tenant]), base, "major", ["Added class fvBD", "Added fvTenant → fvBD"]],
		["a class less", base, createFlow([tenant]), "major", ["Removed class fvBD", "Removed fvTenant → fvBD"]],
		[
			"another class",
			base,
			createFlow([tenant, { ...bd, data: { className: "fvCtx" } }], [createEdge("a", "b")]),
			"major",
			["Changed class fvBD to fvCtx"],
		],
		[
			"a scope",
			base,
			createFlow([{ ...tenant, data: { ...tenant.data, scope: "subtree" } }, bd], [createEdge("a", "b")]),
			"major",
			["Changed scope of fvTenant to subtree"],
		],
		["an edge less", base, createFlow([tenant, bd]), "major", ["Removed fvTenant → fvBD"]],
		[
			"a filter between",
			base,
			createFlow([tenant, bd, onName], [createEdge("a", "f"), createEdge("f", "b")]),
			"minor",
			["Added filter on name"],
		],
		[
			"the filter gone",
			createFlow([tenant, bd, onName], [createEdge("a", "f"), createEdge("f", "b")]),
			base,
			"minor",
			["Removed filter on name"],
		],
		[
			"a filter's value",
			createFlow([tenant, onName], [createEdge("a", "f")]),
			createFlow([tenant, { ...onName, data: { ...onName.data, value: "y" } }], [createEdge("a", "f")]),
			"minor",
			["Changed filter on name"],
		],
		[
			"a filter moved to another class",
			createFlow([tenant, bd, onName], [createEdge("a", "b"), createEdge("a", "f")]),
			createFlow([tenant, bd, onName], [createEdge("a", "b"), createEdge("b", "f")]),
			"major",
			["Removed connection from fvTenant to f", "Added connection from fvBD to f"],
		],
		[
			"an option",
			base,
			createFlow(
				[tenant, { ...bd, data: { ...bd.data, limit: 5, supplementalData: { health: true } } }],
				[createEdge("a", "b")],
			),
			"minor",
			["Changed limit of fvBD to 5", "Changed supplemental data of fvBD to health"],
		],
		[
			"a pipeline",
			createFlow([tenant, bd]),
			createFlow([tenant, bd], [createEdge("a", "b", { edgeType: "pipeline" })]),
			"major",
			["Added pipeline from fvTenant to fvBD"],
		],
	];
	it.each(cases)("moves as told by: %s", (_, before, after, level, changes) => {
		const content = (flow: Flow) => ({ flow, postProcessors: [] });
		expect(compareContent(content(before), content(after))).toEqual({ level, changes });
		expect(hashCanonical(before, []) === hashCanonical(after, [])).toBe(level === "none");
	});

	it("moves by post-processors", () => {
		const sort = { type: "array-sort", config: { field: "name" } };
		const flat = { type: "flatten" };
		const change = (before: PostProcessor[], after: PostProcessor[]) =>
			compareContent({ flow: base, postProcessors: before }, { flow: base, postProcessors: after });
		expect(change([], createProcessors(sort))).toEqual({
			level: "minor",
			changes: ["Added post-processor array-sort"],
		});
		expect(change(createProcessors(sort, flat), createProcessors(flat, sort)).changes).toEqual([
			"Reordered post-processors",
		]);
		expect(change(createProcessors(sort), createProcessors({ ...sort, enabled: false })).changes).toEqual([
			"Changed post-processor array-sort",
		]);
		expect(change(createProcessors(sort), createProcessors({ ...sort, enabled: true })).level).toBe("none");
	});

	it("counts up", () => {
		expect(formatVersion(bumpVersion({ major: 1, minor: 3 }, "minor"))).toBe("v1.4");
		expect(formatVersion(bumpVersion({ major: 1, minor: 3 }, "major"))).toBe("v2.0");
		expect(formatVersion(bumpVersion({ major: 1, minor: 3 }, "none"))).toBe("v1.3");
	});

	it("does not depend on the order of nodes and edges", () => {
		const names = ["a", "b", "c", "d", "e"];
		const nodes = names.map((id) => ({ id, type: "classNode", data: { className: "fvBD" } }));
		const edges = [createEdge("a", "b"), createEdge("b", "c"), createEdge("a", "d"), createEdge("d", "e")];
		const hash = hashCanonical(createFlow(nodes, edges), []);
		fc.assert(
			fc.property(
				fc.shuffledSubarray(nodes, { minLength: 5 }),
				fc.shuffledSubarray(edges, { minLength: 4 }),
				(n, e) => {
					expect(hashCanonical(createFlow(n, e), [])).toBe(hash);
				},
			),
			{ numRuns: 30 },
		);
	});
});
