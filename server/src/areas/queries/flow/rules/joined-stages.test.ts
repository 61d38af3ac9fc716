import type { Flow } from "@weft/contracts";
import { describe, expect, it } from "vitest";
import { compileFlow } from "../../../runs/pipelines/rules/compile.ts";
import { findJoinProblems } from "./joined-stages.ts";
import { readFlow, readPostProcessors } from "./validation.ts";

const createNode = (id: string, className: string, more: object = {}) => ({
	id,
	type: "classNode",
	data: { className, ...more },
});
const createEdge = (source: string, target: string) => ({ id: `${source}-${target}`, source, target });
const createPipeline = (source: string, target: string, data: object = {}) => ({
	...createEdge(source, target),
	data: { edgeType: "pipeline", ...data },
});
const createProcessor = (id: string, processorType: string, config: object) => ({
	id,
	type: "postProcessorNode",
	data: { processorType, config },
});
const fields = [{ field: "name", as: "x" }];
const createEntry = (name: string, by: unknown = "child", many = "first") => ({ class: name, by, fields, many });
const createJoin = (base: string, ...names: string[]) => ({
	type: "join",
	config: {
		base,
		attach: names.map((name, i) => ({ ...createEntry(name), fields: [{ field: "name", as: `x${i}` }] })),
	},
});

function readQuery(nodes: object[], edges: object[], processors: object[] = []) {
	const flow = readFlow({ nodes, edges });
	const postProcessors = readPostProcessors(processors);
	if (!flow.ok || !postProcessors.ok) throw new Error(JSON.stringify([flow, postProcessors]));
	return { flow: flow.value, postProcessors: postProcessors.value };
}
const getPlan = (flow: Flow, postProcessors: ReturnType<typeof readQuery>["postProcessors"]) =>
	compileFlow(flow, undefined, postProcessors);
const findProblems = ({ flow, postProcessors }: ReturnType<typeof readQuery>) => findJoinProblems(flow, postProcessors);

describe("the config of a join", () => {
	const wrong: [string, object, Record<string, string>][] = [
		[
			"unknown keys",
			{ base: "fvBD", how: 1, attach: [{ ...createEntry("fvSubnet"), inside: true }] },
			{
				"": "Has unknown keys: how. Remove them. Known keys are: base, attach.",
				"attach.0": "Has unknown keys: inside. Remove them. Known keys are: class, by, fields, many, inner.",
			},
		],
		[
			"two equal names",
			{ base: "fvBD", attach: [createEntry("fvSubnet"), createEntry("fvRsCtx")] },
			{ "attach.1.fields.0.as": "Another field is named x. Choose another name." },
		],
		[
			"two counts without names",
			{ base: "fvBD", attach: [1, 2].map(() => ({ class: "fvSubnet", by: "child", many: "count" })) },
			{ "attach.1.fields": "Another field is named count_fvSubnet. Choose another name." },
		],
		[
			"no fields",
			{ base: "fvBD", attach: [{ class: "fvSubnet", by: "child", many: "list" }] },
			{ "attach.0.fields": "Needs at least one field. Only a count can do without." },
		],
		[
			"names of the row itself",
			{ base: "fvBD", attach: [{ ...createEntry("fvSubnet"), fields: [{ field: "dn", as: "dn" }] }] },
			{ "attach.0.fields.0.as": "dn, class, attributes, children are the row's own. Choose another name." },
		],
		[
			"names that no column can have",
			{ base: "fvBD", attach: [{ ...createEntry("fvSubnet"), fields: [{ field: "dn", as: "a.b" }] }] },
			{ "attach.0.fields.0.as": "Must be a name of letters, digits, _, : and -, such as vrf." },
		],
		[
			"another way to find objects",
			{ base: "fvBD", attach: [createEntry("fvSubnet", "sibling")] },
			{
				"attach.0.by": 'Must be child, parent, relation, or {"base": …, "other": …} with a field of each class.',
			},
		],
		[
			"another way to combine them",
			{ base: "fvBD", attach: [createEntry("fvSubnet", "child", "all")] },
			{ "attach.0.many": "Must be one of: rows, list, count, first." },
		],
		["nothing to attach", { base: "fvBD", attach: [] }, { attach: "Needs at least one class to attach." }],
		[
			"too many classes",
			{ base: "fvBD", attach: Array.from({ length: 21 }, () => createEntry("fvSubnet")) },
			{ attach: "Must attach at most 20 classes. Use fewer, or several queries." },
		],
		[
			"too many fields",
			{
				base: "fvBD",
				attach: [
					{ ...createEntry("fvBD"), fields: Array.from({ length: 51 }, (_, i) => ({ field: "dn", as: `x${i}` })) },
				],
			},
			{ "attach.0.fields": "Must have at most 50 fields." },
		],
	];
	it.each(wrong)("is refused with %s", (_, config, expected) => {
		const result = readPostProcessors([{ type: "join", config }]);
		const errors = result.ok ? {} : result.errors;
		const at = (place: string) => ["post_processors.0.config", place].filter((part) => part !== "").join(".");
		expect(errors).toMatchObject(
			Object.fromEntries(Object.entries(expected).map(([place, message]) => [at(place), [message]])),
		);
	});
});

describe("a canvas with a join", () => {
	const nodes = [createNode("bd", "fvBD"), createNode("net", "fvSubnet"), createNode("ctx", "fvRsCtx")];
	const edges = [createEdge("bd", "net"), createEdge("bd", "ctx")];

	it("answers with all classes of the join, and no others", () => {
		const more = [...nodes, createNode("out", "fvRsBDToOut")];
		const { flow, postProcessors } = readQuery(
			more,
			[...edges, createEdge("bd", "out")],
			[createJoin("fvBD", "fvSubnet")],
		);
		const { stages } = getPlan(flow, postProcessors);
		expect(stages).toMatchObject([{ className: "fvBD", answers: ["bd", "net"] }]);
		expect(stages[0]?.branches.map(({ nodeId, answer }) => [nodeId, answer])).toEqual([
			["bd", true],
			["net", true],
		]);
	});

	it("reads the objects of a class that only their number was asked of", () => {
		const counted = createNode("net", "fvSubnet", { supplementalData: { countOnly: true } });
		const { flow, postProcessors } = readQuery(
			[nodes[0] ?? {}, counted],
			[createEdge("bd", "net")],
			[createJoin("fvBD", "fvSubnet")],
		);
		const [stage] = getPlan(flow, postProcessors).stages;
		expect(stage?.branches.map(({ options }) => options.supplementalData?.countOnly)).toEqual([false, false]);
	});

	it("names the classes that it lacks, with the remedy", () => {
		expect(findProblems(readQuery(nodes, edges, [createJoin("fvAp", "fvSubnet", "fvAEPg")]))).toEqual({
			"post_processors.0.config.base": [
				"The canvas has no class fvAp. Add it to the canvas, or choose a class of the canvas.",
			],
			"post_processors.0.config.attach.1.class": [
				"The canvas has no class fvAEPg. Add it to the canvas, or choose a class of the canvas.",
			],
		});
		const drawn = createProcessor("j", "join", createJoin("fvAp", "fvSubnet").config);
		expect(Object.keys(findProblems(readQuery([...nodes, drawn], [...edges, createEdge("net", "j")])))).toEqual([
			"flow_data.nodes.3.data.config.base",
		]);
	});

	it("has objects of other classes where a class is read with what lies below it", () => {
		const tree = createNode("bd", "fvBD", { scope: "subtree" });
		expect(findProblems(readQuery([tree], [], [createJoin("fvBD", "fvSubnet")]))).toEqual({});
	});

	it("ignores joins that are paused", () => {
		expect(findProblems(readQuery(nodes, edges, [{ ...createJoin("fvAp", "fvAEPg"), enabled: false }]))).toEqual({});
	});

	it("refuses more than ten joins", () => {
		const many = Array.from({ length: 11 }, () => createJoin("fvBD", "fvSubnet"));
		expect(findProblems(readQuery(nodes, edges, many))).toEqual({
			"post_processors.10.config": ["A query can have at most 10 joins. Remove or pause the others."],
		});
	});
});

describe("a join of several stages", () => {
	const nodes = [createNode("rel", "fvRsCtx"), createNode("mid", "fvAp"), createNode("vrf", "fvCtx")];

	it("makes one stage of them, whose classes are read in the order of the pipeline edges", () => {
		const { flow, postProcessors } = readQuery(
			[...nodes].reverse(),
			[createPipeline("rel", "mid"), createPipeline("mid", "vrf", { extractField: "tDn" })],
			[createJoin("fvRsCtx", "fvCtx")],
		);
		const { stages, resultStages } = getPlan(flow, postProcessors);
		expect(resultStages).toEqual([0]);
		expect(stages).toMatchObject([
			{
				className: "fvRsCtx",
				inputs: [],
				answers: ["rel", "vrf"],
				innerInputs: [
					{ edgeId: "rel-mid", sourceNodes: ["rel"], targetNodes: ["mid"] },
					{ edgeId: "mid-vrf", sourceNodes: ["mid"], targetNodes: ["vrf"] },
				],
			},
		]);
		expect(stages[0]?.branches.map(({ nodeId, answer }) => [nodeId, answer])).toEqual([
			["rel", true],
			["mid", false],
			["vrf", true],
		]);
	});

	it("leaves other stages apart, before and after it", () => {
		const { flow, postProcessors } = readQuery(
			[...nodes, createNode("first", "fvTenant"), createNode("last", "fvSubnet")],
			[createPipeline("first", "rel"), createPipeline("vrf", "last")],
			[createJoin("fvRsCtx", "fvCtx")],
		);
		const { stages, resultStages } = getPlan(flow, postProcessors);
		const classes = stages.map(({ classes: own }) =>
			own
				.map(({ className }) => className)
				.sort()
				.join(),
		);
		const at = classes.indexOf("fvCtx,fvRsCtx");
		expect(resultStages).toEqual([at]);
		expect([...classes].sort()).toEqual(["fvAp", "fvCtx,fvRsCtx", "fvSubnet", "fvTenant"]);
		expect(stages[at]?.inputs).toMatchObject([{ sourceStage: classes.indexOf("fvTenant") }]);
		expect(stages[classes.indexOf("fvSubnet")]?.inputs).toMatchObject([{ sourceStage: at, sourceNode: "vrf" }]);
		expect(classes.indexOf("fvTenant")).toBeLessThan(at);
		expect(at).toBeLessThan(classes.indexOf("fvSubnet"));
	});

	it("refuses a join of several stages where one has a post-processor of its own", () => {
		const sort = createProcessor("sort", "array-sort", { field: "name" });
		const problems = findProblems(
			readQuery(
				[...nodes, sort],
				[createEdge("rel", "sort"), createPipeline("rel", "vrf")],
				[createJoin("fvRsCtx", "fvCtx")],
			),
		);
		expect(problems).toEqual({
			"post_processors.0.config": [
				'The join reads classes of several stages, and the post-processor "sort" of the canvas changes the rows of ' +
					"one of them. Move it to the post-processors of the query, after the join.",
			],
		});
	});

	it("refuses a join where a class takes values of the joined rows", () => {
		const join = createProcessor("j", "join", createJoin("fvRsCtx", "fvCtx").config);
		const problems = findProblems(readQuery([...nodes, join], [createEdge("rel", "j"), createPipeline("j", "vrf")]));
		expect(problems).toEqual({
			"flow_data.nodes.3.data.config": [
				'The join reads a class that takes values of its own rows, by the pipeline edge from "j". Begin that edge at ' +
					"a class.",
			],
		});
	});
});
