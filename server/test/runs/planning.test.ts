/** Explaining canvases and looking at the rows of one node, against the simulated controller. */
import type { RunningController } from "@weft/lab";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
	addConnection,
	buildClassNode,
	connectNodes,
	createEdge,
	createNameFilter,
	createPipelineEdge,
	getAttributes,
	listDns,
	output,
	QUERIES,
	type Row,
	UNKNOWN,
} from "../support/canvases.ts";
import type { TestApp, TestUser } from "../support/harness.ts";
import { useRuns } from "../support/runs.ts";

const runs = useRuns();
let t: TestApp;
let lab: RunningController;
let ada: TestUser;
let connection: string;
beforeAll(() => {
	({ t, lab, ada, connection } = runs);
});
beforeEach(() => lab.resetStats());

const planFlow = (flow_data: unknown, more: Record<string, unknown> = {}, api = ada.api) =>
	api.post(`${QUERIES}generate-query/`, { flow_data, ...more });
const previewNode = (flow_data: unknown, node_id: unknown, more: Record<string, unknown> = {}, api = ada.api) =>
	api.post(`${QUERIES}preview/`, { flow_data, node_id, connection_id: connection, ...more });

const twoStages = {
	nodes: [
		buildClassNode("fvBD"),
		createNameFilter("infra", { operator: "contains", value: "b" }),
		buildClassNode("fvRsBd"),
		output,
	],
	edges: [
		createEdge("fvBD", "f"),
		createPipelineEdge("f", "fvRsBd", { injectProperty: "tDn" }),
		createEdge("fvRsBd", "out"),
	],
};

describe("generate-query", () => {
	it("explains each stage without asking anybody", async () => {
		const { status, body } = await planFlow(twoStages);
		expect(status).toBe(200);
		expect(body.stages).toMatchObject([
			{ index: 0, node_ids: ["fvBD", "f"], class_name: "fvBD", strategy: "class" },
			{ index: 1, node_ids: ["fvRsBd", "out"], class_name: "fvRsBd" },
		]);
		expect(decodeURIComponent(body.stages[1].preview_query)).toContain("{fvBD.dn}");
		expect(lab.stats().requests).toBe(0);
	});

	it("counts the classes of a controller, and remembers for a moment", async () => {
		const first = await planFlow(twoStages, { connection_id: connection });
		expect(first.status).toBe(200);
		const asked = () =>
			lab
				.stats()
				.last.map(({ target }) => target)
				.filter((target) => target.includes("/class/"));
		const probes = asked();
		expect(probes).toHaveLength(2);
		for (const target of probes) expect(target).toContain("page-size=1");
		await planFlow(twoStages, { connection_id: connection });
		expect(asked()).toHaveLength(2);
		expect(first.body.warnings).toEqual([]);
	});

	it("says what the controller could not tell", async () => {
		lab.setFaults({ error: { match: "fvRsBd", text: "no such class" } });
		const other = await addConnection(ada.api, lab);
		const { status, body } = await planFlow(twoStages, { connection_id: other });
		expect(status).toBe(200);
		expect(body.warnings).toEqual([expect.stringMatching(/^Not counted: fvRsBd \(.*no such class/)]);
		const gone = await addConnection(ada.api, { ...lab, url: "http://127.0.0.1:9" });
		const lost = await planFlow(twoStages, { connection_id: gone });
		expect(lost.body.warnings).toEqual([expect.stringMatching(/^Not counted: fvBD, fvRsBd /)]);
	});

	it("says which class the release of a controller does not have, for each connection", async () => {
		const fabrics = [await addConnection(ada.api, lab), await addConnection(ada.api, lab)];
		const warnings = async (id: string) => (await planFlow(twoStages, { connection_id: id })).body.warnings;
		expect(await warnings(fabrics[0] ?? "")).toEqual([]);
		lab.setFaults({ error: { match: "fvRsBd", text: "Request failed, unresolved class for fvRsBd" } });
		expect(await warnings(fabrics[1] ?? "")).toEqual(["This controller's release does not have: fvRsBd."]);
	});

	it("forces a strategy, or says why not under force_strategy", async () => {
		const one = connectNodes(buildClassNode("fvTenant"), createNameFilter("common"));
		expect((await planFlow(one)).body.stages[0]).toMatchObject({
			strategy: "mo",
			request_count_estimate: 1,
			preview_query: "/api/mo/uni/tn-common.json",
		});
		expect((await planFlow(one, { force_strategy: "class" })).body.stages[0].strategy).toBe("class");
		const refused = await planFlow(one, { force_strategy: "join" });
		expect([refused.status, Object.keys(refused.body)]).toEqual([400, ["force_strategy"]]);
		expect((await planFlow(one, { force_strategy: "magic" })).body).toHaveProperty("force_strategy");
	});

	it("warns of what will be slow", async () => {
		const { body } = await planFlow(connectNodes(buildClassNode("faultRecord")));
		expect(body.warnings).toEqual([expect.stringContaining("faultRecord")]);
	});

	it("shows placeholders, defaults, or values", async () => {
		// biome-ignore lint/suspicious/noTemplateCurlyInString: this is a canvas's own placeholder
		const flow = connectNodes(buildClassNode("fvTenant"), createNameFilter("${tenant}"));
		const variables = [{ id: "tenant", label: "T", type: "text", required: true }];
		const path = async (more: Record<string, unknown>) => {
			const { body, text } = await planFlow(flow, more);
			expect(body.stages, text).toHaveLength(1);
			return decodeURIComponent(body.stages[0].preview_query);
		};
		// biome-ignore lint/suspicious/noTemplateCurlyInString: the same
		for (const more of [{}, { variables }]) expect(await path(more)).toContain("tn-${tenant}");
		expect(await path({ variables: [{ ...variables[0], defaultValue: "infra" }] })).toContain("tn-infra");
		expect(await path({ variables, variable_values: { tenant: "common" } })).toContain("tn-common");
		expect((await planFlow(flow, { variables, variable_values: {} })).body).toHaveProperty(["variable_values.tenant"]);
		expect((await planFlow(flow, { variables: [] })).status).toBe(400);
	});

	it.each([
		["nothing", undefined, "flow_data"],
		["no canvas", 3, "flow_data"],
		["an empty canvas", { nodes: [], edges: [] }, "flow_data.nodes"],
		[
			"a class without a name",
			connectNodes({ id: "a", type: "classNode", data: {} }),
			"flow_data.nodes.0.data.className",
		],
		[
			"1,500 classes in a chain",
			connectNodes(...Array.from({ length: 1_500 }, (_, i) => buildClassNode("fvTenant", {}, `n${i}`))),
			"flow_data.nodes.64",
		],
	])("refuses %s", async (_what, flow, key) => {
		const { status, body } = await planFlow(flow);
		expect([status, Object.keys(body)]).toEqual([400, [key]]);
	});

	it("refuses connections that one does not see", async () => {
		const bob = await t.user("bob", ["Editor"]);
		expect((await planFlow(twoStages, { connection_id: connection }, bob.api)).body).toHaveProperty("connection_id");
		expect((await planFlow(twoStages, { connection_id: UNKNOWN })).body).toHaveProperty("connection_id");
		expect((await ada.api.get(`${QUERIES}generate-query/`)).status).toBe(405);
	});
});

describe("a preview", () => {
	/** What a run of the canvas gives. */
	async function runFlow(flow_data: unknown): Promise<Row[]> {
		const { job } = await runs.run(flow_data);
		return (await ada.api.get(`${job.results_url}?export=json`)).body;
	}

	it("of an output is what a run gives, and how many there are", async () => {
		const rows = await runFlow(twoStages);
		const { status, body, text } = await previewNode(twoStages, "out");
		expect(status, text).toBe(200);
		expect(body).toMatchObject({ node_id: "out", class_name: "fvRsBd", count: rows.length });
		expect(body.rows).toEqual(rows.slice(0, 50));
		expect(body.queries[0]).toMatch(/^\/api\/class\/fvRsBd\.json/);
	});

	it("of a large class reads one page and counts the others", async () => {
		const flow = connectNodes(buildClassNode("fvRsPathAtt"), output);
		const rows = await runFlow(flow);
		lab.resetStats();
		const { body } = await previewNode(flow, "out");
		expect(rows.length).toBeGreaterThan(50);
		expect([body.count, body.rows.length]).toEqual([rows.length, 50]);
		expect(listDns(body.rows)).toEqual(listDns(rows.slice(0, 50)));
		const asked = lab.stats().last.filter(({ target }) => target.includes("fvRsPathAtt"));
		expect(asked.map(({ target }) => /page-size=(\d+)/.exec(target)?.[1])).toEqual(["50", "1"]);
	});

	it("of a class or its filter leaves out what comes after them", async () => {
		const [bd] = (await previewNode(connectNodes(buildClassNode("fvBD")), "fvBD")).body.rows;
		const tenant = /^uni\/tn-([^/]+)/.exec(getAttributes(bd).dn ?? "")?.[1] ?? "";
		const flat = {
			id: "p",
			type: "postProcessorNode",
			data: { processorType: "field-extract", config: { fields: ["dn"] } },
		};
		const nodes = [buildClassNode("fvTenant"), createNameFilter(tenant), buildClassNode("fvBD"), flat, output];
		const flow = {
			nodes,
			edges: [
				createEdge("fvTenant", "fvBD"),
				createEdge("fvTenant", "f"),
				createEdge("fvBD", "p"),
				createEdge("p", "out"),
			],
		};
		for (const node of ["fvTenant", "f"]) {
			const { body } = await previewNode(flow, node);
			expect([body.class_name, body.count, listDns(body.rows)]).toEqual(["fvTenant", 1, [`uni/tn-${tenant}`]]);
		}
		const bds = (await previewNode(flow, "fvBD")).body;
		expect(bds.count).toBeGreaterThan(0);
		for (const row of bds.rows) expect(getAttributes(row).dn).toContain(`uni/tn-${tenant}/BD-`);
		for (const node of ["p", "out"]) {
			const { body } = await previewNode(flow, node);
			expect(body.rows).toEqual(bds.rows.map((row: Row) => ({ dn: getAttributes(row).dn })));
			expect(body.count).toBe(bds.count);
		}
	});

	it("of a post-processor leaves out those after it", async () => {
		const processor = (id: string, processorType: string, config: unknown) => ({
			id,
			type: "postProcessorNode",
			data: { processorType, config },
		});
		const flow = connectNodes(
			buildClassNode("fvTenant"),
			processor("p1", "field-extract", { fields: ["name", "dn"] }),
			processor("p2", "field-extract", { fields: ["name"] }),
			output,
		);
		const keys = async (node: string) => Object.keys((await previewNode(flow, node)).body.rows[0]);
		expect(await keys("p1")).toEqual(["name", "dn"]);
		expect(await keys("p2")).toEqual(["name"]);
	});

	it("of an earlier stage asks for that one alone", async () => {
		const { body } = await previewNode(twoStages, "f");
		expect(body.class_name).toBe("fvBD");
		expect(body.count).toBeGreaterThan(0);
		expect(lab.stats().last.some(({ target }) => target.includes("fvRsBd"))).toBe(false);
	});

	it("keeps limits, orders and counts", async () => {
		const limited = connectNodes(buildClassNode("fvRsPathAtt", { limit: 60, orderBy: "-dn" }), output);
		const rows = await runFlow(limited);
		const { body } = await previewNode(limited, "out");
		expect([body.count, body.rows.length]).toEqual([60, 50]);
		expect(body.rows).toEqual(rows.slice(0, 50));
		const counted = await previewNode(
			connectNodes(buildClassNode("fvBD", { supplementalData: { countOnly: true } })),
			"fvBD",
		);
		expect(counted.body.rows).toEqual(
			await runFlow(connectNodes(buildClassNode("fvBD", { supplementalData: { countOnly: true } }))),
		);
	});

	it("takes values for variables", async () => {
		// biome-ignore lint/suspicious/noTemplateCurlyInString: this is a canvas's own placeholder
		const flow = connectNodes(buildClassNode("fvTenant"), createNameFilter("${tenant}"));
		const variables = [{ id: "tenant", label: "T", type: "text", required: true }];
		const { body } = await previewNode(flow, "f", { variables, variable_values: { tenant: "infra" } });
		expect(listDns(body.rows)).toEqual(["uni/tn-infra"]);
		expect((await previewNode(flow, "f", { variables })).body).toHaveProperty(["variable_values.tenant"]);
	});

	it("refuses nodes without rows, and connections that one does not see", async () => {
		const start = { id: "s", type: "startNode" };
		const flow = connectNodes(start, buildClassNode("fvTenant"));
		for (const node of ["nowhere", "s", 3, undefined]) {
			const { status, body } = await previewNode(flow, node);
			expect([status, Object.keys(body)]).toEqual([400, ["node_id"]]);
		}
		expect((await previewNode(flow, "fvTenant", { connection_id: UNKNOWN })).body).toHaveProperty("connection_id");
		expect((await previewNode({ nodes: [], edges: [] }, "a")).status).toBe(400);
	});

	it("of a controller that fails is a 502, and a 504 when it takes too long", async () => {
		lab.setFaults({ error: { match: "fvTenant", text: "no such thing" } });
		const failed = await previewNode(connectNodes(buildClassNode("fvTenant")), "fvTenant");
		expect(failed.status).toBe(502);
		expect(failed.body).toMatchObject({ success: false, detail: expect.stringContaining("no such thing") });
		lab.setFaults({ hang: { match: "fvTenant" } });
		const slow = await addConnection(ada.api, lab, { timeout: 5 });
		const late = await previewNode(connectNodes(buildClassNode("fvTenant")), "fvTenant", { connection_id: slow });
		expect(late.status).toBe(504);
	}, 30_000);
});
