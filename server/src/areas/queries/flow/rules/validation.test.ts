import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readFlow, readPostProcessors, runProblems } from "./validation.ts";

const createClassNode = (id: string, className: unknown = "fvTenant", data = {}) => ({
	id,
	type: "classNode",
	data: { className, ...data },
});
const createFilterNode = (id: string, data: object) => ({ id, type: "filterNode", data });
const createEdge = (source: string, target: string, data?: object) => ({
	id: `${source}-${target}`,
	source,
	target,
	data,
});
const createPipelineEdge = (source: string, target: string) => createEdge(source, target, { edgeType: "pipeline" });
const createFlow = (nodes: unknown[], edges: unknown[] = []) => ({ nodes, edges });
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
		["a node that is none", createFlow([7]), { "flow_data.nodes.0": ["Must be an object."] }],
		[
			"class nodes without class name",
			createFlow([
				createClassNode("a"),
				createClassNode("b"),
				{ id: "c", type: "classNode" },
				createClassNode("d", "no good"),
			]),
			{
				"flow_data.nodes.2.data.className": ["A class name is required."],
				"flow_data.nodes.3.data.className": ["Must be a class name such as fvTenant."],
			},
		],
		[
			"an unknown type",
			createFlow([{ id: "a", type: "magic", data: {} }]),
			{ "flow_data.nodes.0.type": [expect.stringContaining("Must be one of: startNode")] },
		],
		[
			"a bad scope",
			createFlow([createClassNode("a", "fvBD", { scope: "all" })]),
			{ "flow_data.nodes.0.data.scope": ["Must be one of: self, children, subtree."] },
		],
		[
			"a bad limit",
			createFlow([createClassNode("a", "fvBD", { limit: 0 })]),
			{ "flow_data.nodes.0.data.limit": [expect.stringContaining("whole number")] },
		],
		[
			"one id twice",
			createFlow([createClassNode("a"), createClassNode("a")]),
			{ "flow_data.nodes.1.id": ['Another node has the id "a".'] },
		],
		[
			"one edge id twice",
			createFlow([createClassNode("a"), createClassNode("b")], [createEdge("a", "b"), createEdge("a", "b")]),
			{ "flow_data.edges.1.id": ['Another edge has the id "a-b".'] },
		],
		[
			"a dangling edge",
			createFlow([createClassNode("a")], [createEdge("a", "b")]),
			{ "flow_data.edges.0.target": ['There is no node "b".'] },
		],
		[
			"a loop of one",
			createFlow([createClassNode("a")], [createEdge("a", "a")]),
			{ "flow_data.edges.0.target": ["An edge cannot join a node to itself."] },
		],
		[
			"a cycle",
			createFlow([createClassNode("a"), createClassNode("b")], [createEdge("a", "b"), createEdge("b", "a")]),
			{ "flow_data.edges.1": ["This edge closes a cycle."] },
		],
		[
			"a pipeline cycle",
			createFlow(
				[createClassNode("a"), createClassNode("b")],
				[createPipelineEdge("a", "b"), createPipelineEdge("b", "a")],
			),
			{ "flow_data.edges.1": ["This edge closes a cycle."] },
		],
		[
			"stages that wait for each other",
			createFlow(
				[createClassNode("a"), createClassNode("b"), createClassNode("c")],
				[createEdge("a", "b"), createPipelineEdge("a", "c"), createPipelineEdge("c", "b")],
			),
			{ "flow_data.edges.2": ["This edge makes two stages wait for each other."] },
		],
		[
			"a pipeline inside a stage",
			createFlow(
				[createClassNode("a"), createClassNode("b")],
				[createEdge("a", "b"), createPipelineEdge("a", "b")].map((e, i) => ({ ...e, id: `${i}` })),
			),
			{ "flow_data.edges.1": ["A pipeline edge must lead to another stage."] },
		],
		[
			"a pipeline from and to nothing",
			createFlow(
				[
					{ id: "s", type: "start" },
					{ id: "o", type: "output" },
				],
				[createPipelineEdge("s", "o")],
			),
			{
				"flow_data.edges.0.source": ["A pipeline edge must come from a stage with a class."],
				"flow_data.edges.0.target": ["A pipeline edge must lead to a stage with a class."],
			},
		],
		[
			"a filter without class",
			createFlow([createFilterNode("f", nameIs("x"))]),
			{ "flow_data.nodes.0": ["A filter needs a class upstream of it."] },
		],
		[
			"bw with one value",
			createFlow([createClassNode("a"), createFilterNode("f", nameIs("1", "bw"))], [createEdge("a", "f")]),
			{ "flow_data.nodes.1.data.value": ["bw needs two values."] },
		],
		[
			"eq with two",
			createFlow([createClassNode("a"), createFilterNode("f", nameIs(["1", "2"]))], [createEdge("a", "f")]),
			{ "flow_data.nodes.1.data.value": ["eq takes one value."] },
		],
		[
			"no value",
			createFlow([createClassNode("a"), createFilterNode("f", nameIs(null))], [createEdge("a", "f")]),
			{ "flow_data.nodes.1.data.value": ["A value is required."] },
		],
		[
			"an unknown operator",
			createFlow([createClassNode("a"), createFilterNode("f", nameIs("x", "like"))], [createEdge("a", "f")]),
			{ "flow_data.nodes.1.data.operator": [expect.stringContaining("Must be one of: eq")] },
		],
		[
			"an unknown filter type",
			createFlow([createClassNode("a"), createFilterNode("f", { filterType: "x" })], [createEdge("a", "f")]),
			{ "flow_data.nodes.1.data.filterType": [expect.stringContaining("Must be one of")] },
		],
		[
			"an empty pattern group",
			createFlow(
				[
					createClassNode("a"),
					createFilterNode("f", { filterType: "query-target-filter", patternGroups: [{ patterns: [] }] }),
				],
				[createEdge("a", "f")],
			),
			{ "flow_data.nodes.1.data.patternGroups.0.patterns": ["Needs at least one pattern."] },
		],
		[
			"another class's property",
			createFlow(
				[createClassNode("a"), createFilterNode("f", { ...nameIs("x"), property: "fvBD.name" })],
				[createEdge("a", "f")],
			),
			{ "flow_data.nodes.1.data.property": ["The property is of fvBD, but the filter belongs to fvTenant."] },
		],
		[
			"a bad inject mode",
			createFlow(
				[createClassNode("a"), createClassNode("b")],
				[createEdge("a", "b", { edgeType: "pipeline", injectAs: "x" })],
			),
			{ "flow_data.edges.0.data.injectAs": [expect.stringContaining("filter_values")] },
		],
		[
			"a bad regex in a node",
			createFlow([
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
			createFlow([
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
			createFlow([createClassNode("a"), createFilterNode("f", nameIs("x\u0000"))], [createEdge("a", "f")]),
			{ "flow_data.nodes.1.data.value": ["The text must not contain NUL characters."] },
		],
		[
			"half a surrogate pair",
			createFlow([createClassNode("a", "fvTenant", { label: "\ud800" })]),
			{ "flow_data.nodes.0.data.label": ["The text is not valid Unicode."] },
		],
		[
			"too many nodes",
			createFlow(Array.from({ length: 2_001 }, (_, i) => createClassNode(`n${i}`))),
			{ "flow_data.nodes": ["Must have at most 2000 nodes."] },
		],
	];
	it.each(wrong)("is refused: %s", (_, canvas, errors) => {
		expect(getErrors(canvas)).toEqual(errors);
	});

	it("shows all its errors at once", () => {
		const canvas = createFlow(
			[createClassNode("a"), { id: "b", type: "classNode" }, createFilterNode("f", {})],
			[createEdge("a", "b"), createEdge("b", "a"), createEdge("a", "z")],
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
		const [path = "", messages] =
			Object.entries(getErrors(createFlow([createClassNode("a", "fvBD", { deep })])))[0] ?? [];
		expect(path).toContain("flow_data.nodes.0.data.deep");
		expect(messages).toEqual(["Must not be nested deeper than 64 levels."]);
	});

	it("is refused when a class is reached in too many ways", () => {
		const nodes = [createClassNode("n0")];
		const edges = [];
		for (let i = 0; i < 12; i += 1) {
			nodes.push(createClassNode(`l${i}`), createClassNode(`r${i}`), createClassNode(`n${i + 1}`));
			for (const side of ["l", "r"])
				edges.push(createEdge(`n${i}`, `${side}${i}`), createEdge(`${side}${i}`, `n${i + 1}`));
		}
		expect(Object.values(getErrors(createFlow(nodes, edges)))).toEqual([
			["This class is reached in more than 200 different ways."],
		]);
	});

	it("is refused when a chain is too deep, or chains have too many classes together", () => {
		const deep = Array.from({ length: 65 }, (_, i) => createClassNode(`n${i}`));
		const edges = deep.slice(1).map(({ id }, i) => createEdge(`n${i}`, id));
		expect(getErrors(createFlow(deep, edges))).toEqual({
			"flow_data.nodes.64": ["A chain may have at most 64 classes; this one is further down."],
		});
		expect(readFlow(createFlow(deep.slice(0, 64), edges.slice(0, 63))).ok).toBe(true);
		const ladder = [createClassNode("n0")];
		const rungs = [];
		for (let i = 0; i < 7; i += 1) {
			ladder.push(createClassNode(`l${i}`), createClassNode(`r${i}`), createClassNode(`n${i + 1}`));
			for (const side of ["l", "r"])
				rungs.push(createEdge(`n${i}`, `${side}${i}`), createEdge(`${side}${i}`, `n${i + 1}`));
		}
		for (let i = 0; i < 100; i += 1) {
			ladder.push(createClassNode(`leaf${i}`));
			rungs.push(createEdge("n7", `leaf${i}`));
		}
		const [[path = "", messages] = []] = Object.entries(getErrors(createFlow(ladder, rungs)));
		expect(path).toMatch(/^flow_data\.nodes\.\d+$/);
		expect(messages).toEqual([expect.stringContaining("20,000 classes together")]);
	});

	it("is accepted with legacy types, blank options and fields of the drawing tool", () => {
		const read = readFlow({
			nodes: [
				{ id: "s", type: "start", position: { x: 1, y: 2 } },
				createClassNode("a", "fvTenant", { scope: "", limit: "10", orderBy: null, label: "T", timeRange: null }),
				{ id: "f", type: "filter", data: { property: "name", operator: "bw", value: "a,b" }, selected: true },
				{ id: "o", type: "output" },
			],
			edges: [createEdge("s", "a"), createEdge("a", "f"), createEdge("f", "o")],
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
