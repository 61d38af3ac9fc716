import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readFlow, readPostProcessors, runProblems } from "./validation.ts";

const cls = (id: string, className: unknown = "fvTenant", data = {}) => ({
	id,
	type: "classNode",
	data: { className, ...data },
});
const filter = (id: string, data: object) => ({ id, type: "filterNode", data });
const edge = (source: string, target: string, data?: object) => ({ id: `${source}-${target}`, source, target, data });
const pipe = (source: string, target: string) => edge(source, target, { edgeType: "pipeline" });
const flow = (nodes: unknown[], edges: unknown[] = []) => ({ nodes, edges });
const getErrors = (canvas: unknown) => {
	const read = readFlow(canvas);
	return read.ok ? {} : read.errors;
};
const nameIs = (value: unknown, operator = "eq") => ({ filterType: "property", property: "name", operator, value });

describe("a canvas", () => {
	const wrong: [string, unknown, Record<string, unknown>][] = [
		["null", null, { flow_data: ["Must be an object."] }],
		["text", "x", { flow_data: ["Must be an object."] }],
		[
			"no lists",
			{},
			{ "flow_data.nodes": ["Must be a list of nodes."], "flow_data.edges": ["Must be a list of edges."] },
		],
		["a node that is none", flow([7]), { "flow_data.nodes.0": ["Must be an object."] }],
		[
			"class nodes without class name",
			flow([cls("a"), cls("b"), { id: "c", type: "classNode" }, cls("d", "no good")]),
			{
				"flow_data.nodes.2.data.className": ["A class name is required."],
				"flow_data.nodes.3.data.className": ["Must be a class name such as fvTenant."],
			},
		],
		[
			"an unknown type",
			flow([{ id: "a", type: "magic", data: {} }]),
			{ "flow_data.nodes.0.type": [expect.stringContaining("Must be one of: startNode")] },
		],
		[
			"a bad scope",
			flow([cls("a", "fvBD", { scope: "all" })]),
			{ "flow_data.nodes.0.data.scope": ["Must be one of: self, children, subtree."] },
		],
		[
			"a bad limit",
			flow([cls("a", "fvBD", { limit: 0 })]),
			{ "flow_data.nodes.0.data.limit": [expect.stringContaining("whole number")] },
		],
		["one id twice", flow([cls("a"), cls("a")]), { "flow_data.nodes.1.id": ['Another node has the id "a".'] }],
		[
			"one edge id twice",
			flow([cls("a"), cls("b")], [edge("a", "b"), edge("a", "b")]),
			{ "flow_data.edges.1.id": ['Another edge has the id "a-b".'] },
		],
		["a dangling edge", flow([cls("a")], [edge("a", "b")]), { "flow_data.edges.0.target": ['There is no node "b".'] }],
		[
			"a loop of one",
			flow([cls("a")], [edge("a", "a")]),
			{ "flow_data.edges.0.target": ["An edge cannot join a node to itself."] },
		],
		[
			"a cycle",
			flow([cls("a"), cls("b")], [edge("a", "b"), edge("b", "a")]),
			{ "flow_data.edges.1": ["This edge closes a cycle."] },
		],
		[
			"a pipeline cycle",
			flow([cls("a"), cls("b")], [pipe("a", "b"), pipe("b", "a")]),
			{ "flow_data.edges.1": ["This edge closes a cycle."] },
		],
		[
			"stages that wait for each other",
			flow([cls("a"), cls("b"), cls("c")], [edge("a", "b"), pipe("a", "c"), pipe("c", "b")]),
			{ "flow_data.edges.2": ["This edge makes two stages wait for each other."] },
		],
		[
			"a pipeline inside a stage",
			flow(
				[cls("a"), cls("b")],
				[edge("a", "b"), pipe("a", "b")].map((e, i) => ({ ...e, id: `${i}` })),
			),
			{ "flow_data.edges.1": ["A pipeline edge must lead to another stage."] },
		],
		[
			"a pipeline from and to nothing",
			flow(
				[
					{ id: "s", type: "start" },
					{ id: "o", type: "output" },
				],
				[pipe("s", "o")],
			),
			{
				"flow_data.edges.0.source": ["A pipeline edge must come from a stage with a class."],
				"flow_data.edges.0.target": ["A pipeline edge must lead to a stage with a class."],
			},
		],
		[
			"a filter without class",
			flow([filter("f", nameIs("x"))]),
			{ "flow_data.nodes.0": ["A filter needs a class upstream of it."] },
		],
		[
			"bw with one value",
			flow([cls("a"), filter("f", nameIs("1", "bw"))], [edge("a", "f")]),
			{ "flow_data.nodes.1.data.value": ["bw needs two values."] },
		],
		[
			"eq with two",
			flow([cls("a"), filter("f", nameIs(["1", "2"]))], [edge("a", "f")]),
			{ "flow_data.nodes.1.data.value": ["eq takes one value."] },
		],
		[
			"no value",
			flow([cls("a"), filter("f", nameIs(null))], [edge("a", "f")]),
			{ "flow_data.nodes.1.data.value": ["A value is required."] },
		],
		[
			"an unknown operator",
			flow([cls("a"), filter("f", nameIs("x", "like"))], [edge("a", "f")]),
			{ "flow_data.nodes.1.data.operator": [expect.stringContaining("Must be one of: eq")] },
		],
		[
			"an unknown filter type",
			flow([cls("a"), filter("f", { filterType: "x" })], [edge("a", "f")]),
			{ "flow_data.nodes.1.data.filterType": [expect.stringContaining("Must be one of")] },
		],
		[
			"an empty pattern group",
			flow(
				[cls("a"), filter("f", { filterType: "query-target-filter", patternGroups: [{ patterns: [] }] })],
				[edge("a", "f")],
			),
			{ "flow_data.nodes.1.data.patternGroups.0.patterns": ["Needs at least one pattern."] },
		],
		[
			"another class's property",
			flow([cls("a"), filter("f", { ...nameIs("x"), property: "fvBD.name" })], [edge("a", "f")]),
			{ "flow_data.nodes.1.data.property": ["The property is of fvBD, but the filter belongs to fvTenant."] },
		],
		[
			"a bad inject mode",
			flow([cls("a"), cls("b")], [edge("a", "b", { edgeType: "pipeline", injectAs: "x" })]),
			{ "flow_data.edges.0.data.injectAs": [expect.stringContaining("filter_values")] },
		],
		[
			"a bad regex in a node",
			flow([
				{
					id: "p",
					type: "postProcessor",
					data: { processorType: "pattern-filter", config: { field: "name", pattern: "(" } },
				},
			]),
			{ "flow_data.nodes.0.data.config.pattern": [expect.stringContaining("Not a valid regular expression")] },
		],
		[
			"a regular expression whose program is too large",
			flow([
				{
					id: "p",
					type: "postProcessorNode",
					data: {
						processorType: "regex-transform",
						config: { field: "name", pattern: "(?:(?:\\p{L}|\\p{N}|\\p{P}){0,31}){0,31}" },
					},
				},
			]),
			{ "flow_data.nodes.0.data.config.pattern": [expect.stringContaining("too large")] },
		],
		[
			"NUL",
			flow([cls("a"), filter("f", nameIs("x\u0000"))], [edge("a", "f")]),
			{ "flow_data.nodes.1.data.value": ["The text must not contain NUL characters."] },
		],
		[
			"half a surrogate pair",
			flow([cls("a", "fvTenant", { label: "\ud800" })]),
			{ "flow_data.nodes.0.data.label": ["The text is not valid Unicode."] },
		],
		[
			"too many nodes",
			flow(Array.from({ length: 2_001 }, (_, i) => cls(`n${i}`))),
			{ "flow_data.nodes": ["Must have at most 2000 nodes."] },
		],
	];
	it.each(wrong)("is refused: %s", (_, canvas, errors) => {
		expect(getErrors(canvas)).toEqual(errors);
	});

	it("shows all its errors at once", () => {
		const canvas = flow(
			[cls("a"), { id: "b", type: "classNode" }, filter("f", {})],
			[edge("a", "b"), edge("b", "a"), edge("a", "z")],
		);
		expect(Object.keys(getErrors(canvas)).sort()).toEqual([
			"flow_data.edges.1",
			"flow_data.edges.2.target",
			"flow_data.nodes.1.data.className",
			"flow_data.nodes.2.data.property",
			"flow_data.nodes.2.data.value",
		]);
	});

	it("is refused when nested without end", () => {
		let deep: object = {};
		for (let i = 0; i < 50_000; i += 1) deep = { deep };
		const [path = "", messages] = Object.entries(getErrors(flow([cls("a", "fvBD", { deep })])))[0] ?? [];
		expect(path).toContain("flow_data.nodes.0.data.deep");
		expect(messages).toEqual(["Must not be nested deeper than 64 levels."]);
	});

	it("is refused when a class is reached in too many ways", () => {
		const nodes = [cls("n0")];
		const edges = [];
		for (let i = 0; i < 12; i += 1) {
			nodes.push(cls(`l${i}`), cls(`r${i}`), cls(`n${i + 1}`));
			for (const side of ["l", "r"]) edges.push(edge(`n${i}`, `${side}${i}`), edge(`${side}${i}`, `n${i + 1}`));
		}
		expect(Object.values(getErrors(flow(nodes, edges)))).toEqual([
			["This class is reached in more than 200 different ways."],
		]);
	});

	it("is refused when a chain is too deep, or chains have too many classes together", () => {
		const deep = Array.from({ length: 65 }, (_, i) => cls(`n${i}`));
		const edges = deep.slice(1).map(({ id }, i) => edge(`n${i}`, id));
		expect(getErrors(flow(deep, edges))).toEqual({
			"flow_data.nodes.64": ["A chain may have at most 64 classes; this one is further down."],
		});
		expect(readFlow(flow(deep.slice(0, 64), edges.slice(0, 63))).ok).toBe(true);
		const ladder = [cls("n0")];
		const rungs = [];
		for (let i = 0; i < 7; i += 1) {
			ladder.push(cls(`l${i}`), cls(`r${i}`), cls(`n${i + 1}`));
			for (const side of ["l", "r"]) rungs.push(edge(`n${i}`, `${side}${i}`), edge(`${side}${i}`, `n${i + 1}`));
		}
		for (let i = 0; i < 100; i += 1) {
			ladder.push(cls(`leaf${i}`));
			rungs.push(edge("n7", `leaf${i}`));
		}
		const [[path = "", messages] = []] = Object.entries(getErrors(flow(ladder, rungs)));
		expect(path).toMatch(/^flow_data\.nodes\.\d+$/);
		expect(messages).toEqual([expect.stringContaining("20,000 classes together")]);
	});

	it("is accepted with legacy types, blank options and fields of the drawing tool", () => {
		const read = readFlow({
			nodes: [
				{ id: "s", type: "start", position: { x: 1, y: 2 } },
				cls("a", "fvTenant", { scope: "", limit: "10", orderBy: null, label: "T", timeRange: null }),
				{ id: "f", type: "filter", data: { property: "name", operator: "bw", value: "a,b" }, selected: true },
				{ id: "o", type: "output" },
			],
			edges: [edge("s", "a"), edge("a", "f"), edge("f", "o")],
			viewport: { zoom: 1 },
		});
		expect(read.ok && read.value.nodes.map(({ type }) => type)).toEqual([
			"startNode",
			"classNode",
			"filterNode",
			"outputNode",
		]);
		expect(read.ok && read.value.nodes[1]?.data).toMatchObject({ className: "fvTenant", limit: 10, label: "T" });
	});

	it("may be saved empty, but not run", () => {
		const read = readFlow({ nodes: [], edges: [] });
		expect(read.ok && runProblems(read.value)).toEqual({ "flow_data.nodes": ["The canvas has no class to query."] });
	});

	it("never throws, whatever it is", () => {
		const scrap = fc.oneof(
			fc.jsonValue(),
			fc.record({ id: fc.string(), type: fc.constantFrom("classNode", "filter", "x"), data: fc.jsonValue() }),
		);
		fc.assert(
			fc.property(
				fc.array(scrap),
				fc.array(fc.oneof(fc.jsonValue(), fc.record({ id: fc.string(), source: fc.string(), target: fc.string() }))),
				(nodes, edges) => {
					readFlow({ nodes, edges });
				},
			),
			{ numRuns: 200 },
		);
	});
});

describe("post-processors", () => {
	const wrong: [string, unknown, Record<string, unknown>][] = [
		["no list", {}, { post_processors: ["Must be a list."] }],
		[
			"an unknown type",
			[{ type: "x", config: {} }],
			{ "post_processors.0.type": [expect.stringContaining("filter_rows")] },
		],
		[
			"no config",
			[{ type: "regex-transform" }],
			{
				"post_processors.0.config.field": ["A field is required."],
				"post_processors.0.config.pattern": ["A pattern is required."],
			},
		],
		[
			"a bad regex",
			[{ type: "regex-transform", config: { field: "name", pattern: "a(" } }],
			{ "post_processors.0.config.pattern": [expect.stringContaining("missing closing )")] },
		],
		[
			"a bad regex among conditions",
			[{ type: "filter_rows", config: { conditions: [{ field: "a", operator: "regex", value: "[" }] } }],
			{ "post_processors.0.config.conditions.0.value": [expect.stringContaining("missing closing ]")] },
		],
		[
			"a flat condition without field",
			[{ type: "filter_rows", config: { operator: "eq" } }],
			{ "post_processors.0.config.field": ["A field is required."] },
		],
		[
			"a sum of nothing",
			[{ type: "aggregate", config: { aggregations: [{ function: "sum" }] } }],
			{ "post_processors.0.config.aggregations.0.field": ["A field is required."] },
		],
		[
			"a field that is the prototype",
			[{ type: "flatten" }, { type: "field-extract", config: { fields: ["__proto__"] } }],
			{ "post_processors.1.config.fields.0": [expect.any(String)] },
		],
	];
	it.each(wrong)("are refused: %s", (_, value, errors) => {
		const read = readPostProcessors(value);
		expect(read.ok ? {} : read.errors).toEqual(errors);
	});

	it("take one condition or key written flat", () => {
		const read = readPostProcessors([
			{ type: "filter_rows", config: { field: "name", operator: "contains", value: "x" } },
			{ type: "array-sort", config: { field: "name" } },
		]);
		expect(read.ok && read.value.map(({ config }) => config)).toEqual([
			{ conditions: [{ field: "name", operator: "contains", value: "x", caseSensitive: true }], match: "all" },
			{ keys: [{ field: "name", order: "asc" }] },
		]);
	});
});
