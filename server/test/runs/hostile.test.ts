/**
 * Canvases and values that nobody means well with, through the API: clear refusals, clear failures,
 * or the right answer.
 */
import { beforeAll, describe, expect, it } from "vitest";
import {
	buildClassNode,
	connectNodes,
	createCanvas,
	createEdge,
	createNameFilter,
	createPipelineEdge,
	getAttributes,
	listDns,
	type Node,
	output,
	QUERIES,
	type Row,
	RUNS,
	waitForRun,
} from "../support/canvases.ts";
import { waitUntil } from "../support/harness.ts";
import { useRuns } from "../support/runs.ts";

const runs = useRuns();
const postRun = (flow_data: unknown, more = {}) =>
	runs.ada.api.post(RUNS, { flow_data, controller_connection_id: runs.connection, ...more });
const planFlow = (flow_data: unknown) => runs.ada.api.post(`${QUERIES}generate-query/`, { flow_data });
const buildChain = (count: number) =>
	connectNodes(...Array.from({ length: count }, (_, i) => buildClassNode("fvTenant", {}, `n${i}`)));

describe("a canvas that is wrong is refused where it is run, saved and explained, under its path", () => {
	const [a, b, c] = [
		buildClassNode("fvTenant", {}, "a"),
		buildClassNode("fvBD", {}, "b"),
		buildClassNode("fvCtx", {}, "c"),
	];
	it.each<[string, unknown, string, string]>([
		[
			"a cycle of containment",
			createCanvas([a, b], createEdge("a", "b"), createEdge("b", "a")),
			"flow_data.edges.1",
			"This edge closes a cycle.",
		],
		[
			"a cycle of stages",
			createCanvas([a, b], createPipelineEdge("a", "b"), createPipelineEdge("b", "a")),
			"flow_data.edges.1",
			"This edge closes a cycle.",
		],
		[
			"stages that wait for each other by way of a third",
			createCanvas([a, b, c], createPipelineEdge("a", "b"), createPipelineEdge("b", "c"), createPipelineEdge("c", "a")),
			"flow_data.edges.2",
			"This edge closes a cycle.",
		],
		[
			"an edge to itself",
			createCanvas([a], createEdge("a", "a")),
			"flow_data.edges.0.target",
			"An edge cannot join a node to itself.",
		],
		[
			"a pipeline within one stage",
			createCanvas([a, b], createEdge("a", "b"), { ...createPipelineEdge("a", "b"), id: "p" }),
			"flow_data.edges.1",
			"A pipeline edge must lead to another stage.",
		],
		[
			"an edge from nowhere",
			createCanvas([a], createEdge("ghost", "a")),
			"flow_data.edges.0.source",
			'There is no node "ghost".',
		],
		[
			"an edge to nowhere",
			createCanvas([a], createEdge("a", "ghost")),
			"flow_data.edges.0.target",
			'There is no node "ghost".',
		],
		[
			"two nodes of one id",
			createCanvas([a, { ...b, id: "a" }]),
			"flow_data.nodes.1.id",
			'Another node has the id "a".',
		],
		[
			"two edges of one id",
			createCanvas([a, b, c], createEdge("a", "b"), { ...createEdge("a", "c"), id: "a-b" }),
			"flow_data.edges.1.id",
			'Another edge has the id "a-b".',
		],
		[
			"a filter of nothing",
			createCanvas([a, createNameFilter("x")]),
			"flow_data.nodes.1",
			"A filter needs a class upstream of it.",
		],
		[
			"a class name with a path in it",
			connectNodes(buildClassNode("../fvBD")),
			"flow_data.nodes.0.data.className",
			"Must be a class name such as fvTenant.",
		],
		[
			"a filter without a value",
			createCanvas([a, { ...createNameFilter("x"), data: { property: "name", value: null } }], createEdge("a", "f")),
			"flow_data.nodes.1.data.value",
			"A value is required.",
		],
		[
			"a value with a null byte",
			createCanvas([a, createNameFilter("a\u0000b")], createEdge("a", "f")),
			"flow_data.nodes.1.data.value",
			"Must not contain NUL or unpaired surrogate characters.",
		],
		[
			"half a character",
			createCanvas([a, createNameFilter("a\ud800")], createEdge("a", "f")),
			"flow_data.nodes.1.data.value",
			"Must not contain NUL or unpaired surrogate characters.",
		],
		[
			"a pattern that does not compile",
			connectNodes(a, {
				...output,
				type: "postProcessorNode",
				data: { processorType: "pattern-filter", config: { field: "dn", pattern: "(" } },
			}),
			"flow_data.nodes.1.data.config.pattern",
			"Not a valid regular expression: missing closing ): `(`.",
		],
		[
			"more than 2,000 nodes",
			createCanvas(Array.from({ length: 2_001 }, (_, i) => buildClassNode("fvBD", {}, `n${i}`))),
			"flow_data.nodes",
			"Must have at most 2000 nodes.",
		],
		[
			"a chain of 1,000 classes",
			buildChain(1_000),
			"flow_data.nodes.64",
			"A chain may have at most 64 classes; this one is further down.",
		],
		[
			"a class that is reached in too many ways",
			createCanvas(
				Array.from({ length: 20 }, (_, i) => buildClassNode("fvBD", {}, `n${i}`)),
				...Array.from({ length: 9 }, (_, i) =>
					[0, 1].flatMap((from) => [0, 1].map((to) => createEdge(`n${2 * i + from}`, `n${2 * i + 2 + to}`))),
				).flat(),
			),
			"flow_data.nodes.16",
			"This class is reached in more than 200 different ways.",
		],
	])("%s", async (_what, flow, key, message) => {
		const saved = runs.ada.api.post(QUERIES, { name: "x", flow_data: flow });
		for (const { status, body, text } of await Promise.all([postRun(flow), planFlow(flow), saved])) {
			expect(status, text).toBe(400);
			expect(Object.keys(body)).toContain(key);
			expect(body[key]).toEqual([message]);
		}
	});

	it("values for variables that are none, unknown or of the wrong type", async () => {
		// biome-ignore lint/suspicious/noTemplateCurlyInString: this is a canvas's own placeholder
		const flow = connectNodes(buildClassNode("fvTenant"), createNameFilter("${tenant}"));
		const variables = [{ id: "tenant", type: "text", required: true }];
		for (const variable_values of [{ tenant: null }, { tenant: {} }, { tenant: ["a"] }, { tenant: "a\u0000" }]) {
			const { status, body } = await postRun(flow, { variables, variable_values });
			expect([status, Object.keys(body)]).toEqual([400, ["variable_values.tenant"]]);
		}
	});
});

describe("a canvas that is large", () => {
	it("of 1,000 nodes in 250 stages gives every stage its rows", async () => {
		const stages = Array.from({ length: 250 }, (_, i): Node[] => [
			buildClassNode("fvTenant", {}, `t${i}`),
			createNameFilter(["common", "infra", "mgmt"][i % 3] ?? "", {}, `f${i}`),
			createNameFilter("nobody", { operator: "ne" }, `g${i}`),
			{ id: `o${i}`, type: "outputNode" },
		]);
		const wires = stages.flatMap((_, i) => [
			createEdge(`t${i}`, `f${i}`),
			createEdge(`t${i}`, `g${i}`),
			createEdge(`f${i}`, `o${i}`),
		]);
		const { status, body, text } = await postRun(createCanvas(stages.flat(), ...wires));
		expect(status, text).toBe(201);
		expect(body.total_stages).toBe(250);
		const count = "select count(*)::int as n from pipeline_stages where job_id = $1 and status = 'completed'";
		await waitUntil(
			"all stages are complete",
			async () => (await runs.t.pool.query(count, [body.id])).rows[0].n === 250,
			60_000,
		);
		const job = await waitForRun(runs.ada.api, body.id);
		expect(job).toMatchObject({ status: "completed", total_rows: 250, completed_stages: 250 });
		const rows = (await runs.ada.api.get(`${job.results_url}?export=json`)).body;
		expect(rows.map((row: Row) => getAttributes(row).dn)).toEqual(
			stages.map((_, i) => `uni/tn-${["common", "infra", "mgmt"][i % 3]}`),
		);
	}, 90_000);

	it("of 999 filters on one class is foretold and fails in clear words", async () => {
		const filters = Array.from({ length: 999 }, (_, i) => createNameFilter(`x${i}`, { operator: "ne" }, `f${i}`));
		const flow = createCanvas(
			[buildClassNode("fvTenant"), ...filters],
			...filters.map(({ id }) => createEdge("fvTenant", id)),
		);
		expect((await planFlow(flow)).body.warnings).toEqual([
			expect.stringMatching(/^Stage 1 will fail: .* Use fewer filters/),
		]);
		const job = await waitForRun(runs.ada.api, await runs.start(flow));
		expect(job).toMatchObject({
			status: "failed",
			errors: [{ node_id: "fvTenant", message: expect.stringMatching(/8192/) }],
		});
	});

	it("of 10 MB runs, and leaves no more behind than what it means", async () => {
		const big = { ...connectNodes(buildClassNode("fvTenant"), output), notes: "x".repeat(10 * 1024 ** 2) };
		const { job, count } = await runs.run(big);
		expect(count).toBe((await runs.ask("/api/class/fvTenant.json")).length);
		const { rows } = await runs.t.pool.query("select length(program::text) as n from pipeline_jobs where id = $1", [
			job.id,
		]);
		expect(rows[0].n).toBeLessThan(1_000);
		expect((await postRun({ ...big, more: "x".repeat(7 * 1024 ** 2) })).status).toBe(413);
	});
});

/** Names that mean something in a filter, a URL, a pattern, JSON or SQL. */
const ODD = [
	'quote"quote',
	"back\\slash",
	"it's",
	'a,b)or(eq(fvBD.name,"x"',
	"[bracket",
	"100%",
	"a&b=c?d#e",
	"a+b c",
	"^dot.star*$",
	"Ünïcödé",
	"日本語",
	"e\u0301 and é",
	"\u{1f600}",
	"null",
	// biome-ignore lint/suspicious/noTemplateCurlyInString: a value like a placeholder is a value
	"${x}",
	"'; drop table users; --",
	"\u200e right to left \u202e",
];

describe("values with quotes, brackets, unicode and the like", () => {
	beforeAll(() => {
		const bd = (descr: string, i: number) => ({
			fvBD: { attributes: { dn: `uni/tn-common/BD-odd${i}`, name: `odd${i}`, descr } },
		});
		const ctx = (descr: string, i: number) => ({
			fvCtx: { attributes: { dn: `uni/tn-common/ctx-odd${i}`, name: `odd${i}`, descr } },
		});
		const imdata = [...ODD.map(bd), ...ODD.map(ctx)];
		runs.lab.load({ totalCount: String(imdata.length), imdata });
	});
	const descr = (value: string, more = {}) => createNameFilter(value, { property: "descr", ...more });

	it.each(ODD.map((value, i) => [value, i] as const))("%j is found as it is, alone and as a part", async (value, i) => {
		// A variable's value goes in as text, whatever it looks like.
		// biome-ignore lint/suspicious/noTemplateCurlyInString: this is a canvas's own placeholder
		const flow = (operator: string) => connectNodes(buildClassNode("fvBD"), descr("${v}", { operator }), output);
		const values = { variables: [{ id: "v", type: "text" }], variable_values: { v: value } };
		for (const operator of ["eq", "contains"]) {
			const { rows } = await runs.run(flow(operator), values);
			expect([operator, listDns(rows)]).toEqual([operator, [`uni/tn-common/BD-odd${i}`]]);
			expect(getAttributes(rows[0]).descr).toBe(value);
		}
	});

	it.each(["filter_values", "iterate"])(
		"all of them go from stage to stage by %s, each unchanged",
		async (injectAs) => {
			const { rows } = await runs.run(
				createCanvas(
					[buildClassNode("fvBD"), createNameFilter("odd", { operator: "contains" }), buildClassNode("fvCtx"), output],
					...[createEdge("fvBD", "f"), createEdge("fvCtx", "out")],
					createPipelineEdge("f", "fvCtx", { extractField: "descr", injectAs, injectProperty: "descr" }),
				),
			);
			expect(rows.map((row) => getAttributes(row).descr).sort()).toEqual([...ODD].sort());
		},
	);

	it("come out of exports as they went in, harmless in a spreadsheet", async () => {
		const flow = connectNodes(buildClassNode("fvBD"), createNameFilter("odd", { operator: "contains" }), output);
		const { job } = await runs.run(flow);
		const csv = (await runs.ada.api.get(`${job.results_url}?export=csv`)).text;
		expect(csv).toContain('"quote""quote"');
		const json = (await runs.ada.api.get(`${job.results_url}?export=json`)).body;
		expect(json.map((row: Row) => getAttributes(row).descr).sort()).toEqual([...ODD].sort());
	});
});

describe("patterns that would take for ever on another engine", () => {
	it.each(["(a+)+$", "(a|aa)+$", "(.*)*x", "^(([a-z])+.)+[A-Z]([a-z])+$"])("%s", async (pattern) => {
		const processor = (id: string, processorType: string, config: unknown): Node => ({
			id,
			type: "postProcessorNode",
			data: { processorType, config },
		});
		const long = "a".repeat(3_999);
		const { rows } = await runs.run(
			connectNodes(
				buildClassNode("fvTenant"),
				processor("long", "text-operations", {
					field: "descr",
					operations: [{ operation: "prefix", text: `${long}!` }],
				}),
				processor("match", "pattern-filter", { field: "descr", pattern }),
				processor("change", "regex-transform", { field: "descr", pattern, replacement: "" }),
				output,
			),
		);
		expect(rows).toEqual([]);
	});
});
