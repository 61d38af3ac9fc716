/**
 * Planning, checking connections and running with a class model loaded, without one, and while it
 * cannot be read.
 */
import { type RunningController, startController } from "@weft/lab";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ModelGraph } from "../../src/core/ports/class-model.ts";
import {
	addConnection,
	buildClassNode,
	connectNodes,
	createCanvas,
	createEdge,
	createNameFilter,
	getAttributes,
	listDns,
	output,
	QUERIES,
	RUNS,
	waitForRun,
} from "../support/canvases.ts";
import { sketchModel } from "../support/flows/sketch-model.ts";
import { startTestApp, type TestApp, type TestUser } from "../support/harness.ts";
import { createEagerDriver } from "../support/runs.ts";

/** As the lab's fabric is built, but for one class that only this model has. */
const model = sketchModel([
	{ name: "topRoot" },
	{ name: "polUni", rn: "uni", containers: ["topRoot"] },
	{ name: "fvTenant", rn: "tn-{name}", containers: ["polUni"] },
	{ name: "fvBD", rn: "BD-{name}", containers: ["fvTenant"], properties: ["arpFlood"] },
	{ name: "fvCEPg", abstract: true },
	{ name: "fvAp", rn: "ap-{name}", containers: ["fvTenant"] },
	{ name: "fvAEPg", rn: "epg-{name}", containers: ["fvAp"], supers: ["fvCEPg"] },
	{ name: "fvSubnet", rn: "subnet-[{ip}]", containers: ["fvBD", "fvCEPg"], properties: ["ip"] },
	{
		name: "labRack",
		rn: "rack-{row}-{place}",
		naming: ["row", "place"],
		containers: ["polUni"],
		properties: ["row", "place"],
	},
	{ name: "fvnsEncapBlk", rn: "from-[{from}]-to-[{to}]", naming: ["first", "last"] },
]);

let getCurrentModel: () => Promise<ModelGraph | null> = async () => model;
let t: TestApp;
let lab: RunningController;
let ada: TestUser;
let connection: string;
beforeAll(async () => {
	lab = await startController({ size: "small" });
	t = await startTestApp({
		work: true,
		deps: { controllers: createEagerDriver(), classModel: () => getCurrentModel() },
	});
	ada = await t.user("ada", ["Editor"]);
	connection = await addConnection(ada.api, lab);
});
afterAll(async () => {
	await t.close();
	await lab.close();
});
beforeEach(() => {
	getCurrentModel = async () => model;
});

const planFlow = async (flow_data: unknown, more: object = {}) => {
	const { status, body, text } = await ada.api.post(`${QUERIES}generate-query/`, { flow_data, ...more });
	expect(status, text).toBe(200);
	return { ...body, query: decodeURIComponent(body.stages[0].preview_query), strategy: body.stages[0].strategy };
};
const validateConnection = async (parentClass: string, childClass: string) =>
	ada.api.post(`${QUERIES}validate-connection/`, { parentClass, childClass });

const racks = connectNodes(
	buildClassNode("labRack"),
	createNameFilter("7", { property: "row" }, "row"),
	createNameFilter("B", { property: "place" }, "place"),
	output,
);

describe("generate-query", () => {
	it("takes rn formats and naming properties from the model", async () => {
		expect(await planFlow(racks)).toMatchObject({ strategy: "mo", query: "/api/mo/uni/rack-7-B.json", warnings: [] });
		getCurrentModel = async () => null;
		expect(await planFlow(racks)).toMatchObject({ strategy: "class", warnings: [] });
	});

	it("warns of a class or property that the model does not have", async () => {
		const { warnings } = await planFlow(
			createCanvas(
				[buildClassNode("fvBD"), createNameFilter("x", { property: "colour" }), buildClassNode("fvNope")],
				createEdge("fvBD", "f"),
			),
		);
		expect(warnings.sort()).toEqual([
			"The class model has no class fvNope.",
			"fvBD has no property colour in the class model.",
		]);
	});

	it("warns of fields of post-processors that no row has", async () => {
		const step = (type: string, config: object) => ({ type, config });
		const warnings = async (...post_processors: object[]) =>
			(await planFlow(connectNodes(buildClassNode("fvBD"), output), { post_processors })).warnings;
		const counted = [{ function: "max", field: "mtu" }];
		expect(await warnings(step("aggregate", { groupBy: ["arpFlood", "tenant"], aggregations: counted }))).toEqual([
			"aggregate uses the field tenant, which no row has.",
			"aggregate uses the field mtu, which no row has.",
		]);
		expect(
			await warnings(
				step("dn-extract", { part: "value", rnPrefix: "tn", target: "tenant" }),
				step("aggregate", { groupBy: ["tenant", "class", "fvBD.name", "children.fvSubnet.ip"] }),
				step("array-sort", { field: "count" }),
			),
		).toEqual([]);
		expect(
			await warnings(
				step("field-extract", { fields: ["dn", { path: "name", as: "bd" }] }),
				step("array-sort", { field: "name" }),
				{ ...step("array-sort", { field: "other" }), enabled: false },
			),
		).toEqual(["array-sort uses the field name, which no row has."]);
		expect(
			await warnings(step("flatten", { children: "columns" }), step("array-sort", { field: "fvSubnet.ip" })),
		).toEqual([]);
		expect(await warnings(step("aggregate", { groupBy: 1 }))).toEqual([]);
	});

	it("tells whose rows the result has", async () => {
		const flow = createCanvas(
			[buildClassNode("fvTenant"), buildClassNode("fvBD"), buildClassNode("fvAp"), output],
			createEdge("fvTenant", "fvBD"),
			createEdge("fvTenant", "fvAp"),
			createEdge("fvTenant", "out"),
		);
		const [stage] = (await planFlow(flow)).stages;
		expect(stage).toMatchObject({ is_result: true });
		expect(stage.answer_node_ids.sort()).toEqual(["fvAp", "fvBD", "fvTenant"]);
	});

	it("goes on with the built-in facts while the model cannot be read, and says so", async () => {
		getCurrentModel = async () => {
			throw new Error("no store");
		};
		const { strategy, warnings } = await planFlow(
			connectNodes(buildClassNode("fvTenant"), createNameFilter("common"), output),
		);
		expect([strategy, warnings]).toEqual(["mo", [expect.stringContaining("cannot be read")]]);
	});
});

describe("validate-connection", () => {
	it.each([
		["fvTenant", "fvBD", true, /may contain/],
		["fvBD", "fvSubnet", true, /may contain/],
		["fvAEPg", "fvSubnet", true, /inherits it from/],
		["fvTenant", "fvSubnet", false, /only indirectly/],
		["fvBD", "fvAEPg", false, /does not contain/],
		["fvBD", "fvNope", false, /no class fvNope/],
		["fvNone", "fvNope", false, /no class fvNone and no class fvNope/],
	])("%s → %s", async (parent, child, isValid, message) => {
		const { status, body } = await validateConnection(parent, child);
		expect(status).toBe(200);
		expect(body).toEqual({ isValid, checked: true, message: expect.stringMatching(message) });
	});

	it("lets everything through without a model", async () => {
		getCurrentModel = async () => null;
		expect((await validateConnection("fvBD", "fvTenant")).body).toEqual({
			isValid: true,
			checked: false,
			message: "No class model is loaded, so the connection was not checked.",
		});
	});
});

describe("a run and a preview", () => {
	const below = (tenant: string) =>
		createCanvas(
			[buildClassNode("fvTenant"), createNameFilter(tenant), buildClassNode("fvBD"), output],
			...[createEdge("fvTenant", "f"), createEdge("fvTenant", "fvBD"), createEdge("fvBD", "out")],
		);
	async function runFlow(flow: unknown, post_processors: unknown = []) {
		const program = { flow_data: flow, post_processors };
		const { body } = await ada.api.post(RUNS, { ...program, controller_connection_id: connection });
		const job = await waitForRun(ada.api, body.id);
		expect(job, JSON.stringify(job.errors)).toMatchObject({ status: "completed" });
		const rows = (await ada.api.get(`${job.results_url}?page_size=200`)).body.results;
		return { query: decodeURIComponent(job.stages[0].queries[0]), dns: listDns(rows), rows };
	}

	it("name the values of a dn as the model does, and without a model as the built-in classes do", async () => {
		const findLast = async (property: string) => {
			const config = { part: "value", property, target: "out" };
			const { rows } = await runFlow(connectNodes(buildClassNode("fvnsEncapBlk"), output), [
				{ type: "dn-extract", config },
			]);
			return getAttributes(rows[0]).out;
		};
		expect(await findLast("last")).toMatch(/^vlan-\d+$/);
		expect(await findLast("to")).toBeUndefined();
		getCurrentModel = async () => null;
		expect(await findLast("to")).toMatch(/^vlan-\d+$/);
		expect(await findLast("last")).toBeUndefined();
	});

	it("ask as the plan says, and give the same with the model, without it, and while it cannot be read", async () => {
		const [first = ""] = (await runFlow(connectNodes(buildClassNode("fvBD"), output))).dns;
		const flow = below(first.split("/")[1]?.slice(3) ?? "");
		const planned = await planFlow(flow);
		const withModel = await runFlow(flow);
		expect(withModel.query).toBe(planned.query);
		expect(withModel.dns.length).toBeGreaterThan(0);
		getCurrentModel = async () => null;
		expect((await runFlow(flow)).dns).toEqual(withModel.dns);
		getCurrentModel = async () => {
			throw new Error("no store");
		};
		expect((await runFlow(flow)).dns).toEqual(withModel.dns);
		getCurrentModel = async () => model;
		const body = { flow_data: flow, node_id: "out", connection_id: connection };
		expect(listDns((await ada.api.post(`${QUERIES}preview/`, body)).body.rows)).toEqual(withModel.dns);
	});
});
