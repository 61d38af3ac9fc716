/** Running queries through the API, on the simulated controller: starting, lists, and results. */
import type { RunningController } from "@weft/lab";
import { beforeAll, describe, expect, it } from "vitest";
import {
	addConnection,
	buildClassNode,
	connectNodes,
	createNameFilter,
	getAttributes,
	listDns,
	output,
	RUNS,
	UNKNOWN,
	waitForRun,
} from "../support/canvases.ts";
import type { TestApp, TestUser } from "../support/harness.ts";
import { findAudit, setRights } from "../support/rights.ts";
import { useRuns } from "../support/runs.ts";

const runs = useRuns();
let t: TestApp;
let lab: RunningController;
let ada: TestUser;
let connection: string;
beforeAll(() => {
	({ t, lab, ada, connection } = runs);
});

const { start, run: getRows, ask } = runs;

describe("a run of one stage", () => {
	it("reads a class and keeps its rows", async () => {
		const { job, rows, count } = await getRows(connectNodes(buildClassNode("fvTenant"), output));
		expect(count).toBe(rows.length);
		expect(listDns(rows)).toEqual(listDns(await ask("/api/class/fvTenant.json")));
		expect(job).toMatchObject({
			status: "completed",
			execution_mode: "pipeline",
			total_stages: 1,
			completed_stages: 1,
			failed_stages: 0,
			progress_percentage: 100,
			total_rows: rows.length,
			errors: [],
			controller_connection_id: connection,
		});
		expect(job.stages[0]).toMatchObject({
			index: 0,
			status: "completed",
			class_name: "fvTenant",
			request_count: 1,
			error: null,
			inject_mode: null,
			node_ids: ["fvTenant", "out"],
			outputs: { result_count: rows.length },
		});
		expect(job.stages[0].queries[0]).toMatch(/^\/api\/class\/fvTenant\.json/);
		expect(job.stages[0].outputs.sample.length).toBeGreaterThan(0);
		expect((await ada.api.get(`${RUNS}${job.id}/stages/`)).body).toEqual(job.stages);
		const audit = await findAudit(t, job.id);
		expect(audit).toHaveLength(1);
		expect(audit).toMatchObject([{ action: "query_run", username: "ada" }]);
	});

	it("applies filters", async () => {
		const filter = createNameFilter("common");
		const { rows } = await getRows(connectNodes(buildClassNode("fvTenant"), filter, output));
		expect(listDns(rows)).toEqual(["uni/tn-common"]);
	});

	it("follows a containment chain from a filtered class", async () => {
		const [first = ""] = (await ask("/api/class/fvBD.json")).map(
			(row) => /^uni\/tn-([^/]+)/.exec(getAttributes(row).dn ?? "")?.[1] ?? "",
		);
		const filter = createNameFilter(first);
		const flow = connectNodes(buildClassNode("fvTenant"), buildClassNode("fvBD"), output);
		const { rows } = await getRows({
			nodes: [...flow.nodes, filter],
			edges: [...flow.edges, { id: "ef", source: "fvTenant", target: "f" }],
		});
		const expected = (await ask("/api/class/fvBD.json")).filter((row) =>
			getAttributes(row).dn?.startsWith(`uni/tn-${first}/`),
		);
		expect(expected.length).toBeGreaterThan(0);
		expect(listDns(rows)).toEqual(listDns(expected));
	});

	it("keeps order and limit", async () => {
		const { rows, job } = await getRows(connectNodes(buildClassNode("fvBD", { orderBy: "-name", limit: 7 }), output));
		const names = rows.map((row) => getAttributes(row).name ?? "");
		expect(names).toHaveLength(7);
		expect(names).toEqual([...names].sort().reverse());
		expect(job.total_rows).toBe(7);
	});

	it("reads children and subtrees", async () => {
		const filter = createNameFilter("common");
		const { rows } = await getRows(connectNodes(buildClassNode("fvTenant", { scope: "subtree" }), filter));
		expect(listDns(rows)).toContain("uni/tn-common");
		expect(listDns(rows)).toEqual(listDns(await ask("/api/mo/uni/tn-common.json?query-target=subtree")));
	});

	it("counts", async () => {
		const { rows } = await getRows(connectNodes(buildClassNode("fvBD", { supplementalData: { countOnly: true } })));
		expect(getAttributes(rows[0]).count).toBe(String((await ask("/api/class/fvBD.json")).length));
	});

	it("processes rows, the canvas's processors before the query's", async () => {
		const flat = {
			id: "p",
			type: "postProcessorNode",
			data: { processorType: "field-extract", config: { fields: ["name", "dn"] } },
		};
		const { rows } = await getRows(connectNodes(buildClassNode("fvTenant"), flat, output), {
			post_processors: [{ type: "array-sort", config: { field: "name", order: "desc" } }],
		});
		const names = rows.map((row) => (row as unknown as { name: string }).name);
		expect(Object.keys(rows[0] ?? {})).toEqual(["name", "dn"]);
		expect(names).toEqual([...names].sort().reverse());
	});

	it("fills in variables, and takes a saved query's content for granted", async () => {
		// biome-ignore lint/suspicious/noTemplateCurlyInString: this is a canvas's own placeholder
		const filter = createNameFilter("${tenant}");
		const flow = connectNodes(buildClassNode("fvTenant"), filter, output);
		const variables = [{ id: "tenant", label: "Tenant", type: "text", required: true }];
		const query = await ada.api.post("/api/queries/saved-queries/", { name: "One tenant", flow_data: flow, variables });
		expect(query.status, query.text).toBe(201);
		const missing = await ada.api.post(RUNS, {
			flow_data: flow,
			controller_connection_id: connection,
			saved_query_id: query.body.id,
		});
		expect(missing.body).toEqual({ "variable_values.tenant": [expect.any(String)] });
		const { rows, job } = await getRows(flow, { saved_query_id: query.body.id, variable_values: { tenant: "infra" } });
		expect(listDns(rows)).toEqual(["uni/tn-infra"]);
		expect(job).toMatchObject({ saved_query_id: query.body.id, query_name: "One tenant", query_version: "v1.0" });
	});
});

describe("starting", () => {
	const flow = connectNodes(buildClassNode("fvTenant"), output);
	const post = (body: unknown, api = ada.api) => api.post(RUNS, body);

	it("answers 201 with a pending job", async () => {
		const { status, body } = await post({ flow_data: flow, controller_connection_id: connection });
		expect(status).toBe(201);
		expect(body).toMatchObject({
			status: "pending",
			started_at: null,
			completed_at: null,
			total_rows: null,
			errors: [],
		});
		expect(body.results_url).toBe(`${RUNS}${body.id}/results/`);
		await waitForRun(ada.api, body.id);
	});

	it.each([
		["nothing", {}, ["controller_connection_id", "flow_data"]],
		["no connection", { flow_data: flow }, ["controller_connection_id"]],
		["an id that is none", { flow_data: flow, controller_connection_id: "x" }, ["controller_connection_id"]],
		["an unknown connection", { flow_data: flow, controller_connection_id: UNKNOWN }, ["controller_connection_id"]],
		["a canvas that is none", { flow_data: 3, controller_connection_id: UNKNOWN }, ["flow_data"]],
	])("refuses %s", async (_what, body, keys) => {
		const answer = await post(body);
		expect(answer.status).toBe(400);
		expect(Object.keys(answer.body).sort()).toEqual(keys);
	});

	it.each([
		["an empty canvas", { nodes: [], edges: [] }, "flow_data.nodes"],
		[
			"a class node without a class",
			{ nodes: [{ id: "a", type: "classNode", data: {} }], edges: [] },
			"flow_data.nodes.0.data.className",
		],
		[
			"a dangling edge",
			{ ...flow, edges: [{ id: "e", source: "fvTenant", target: "nowhere" }] },
			"flow_data.edges.0.target",
		],
		["an unknown node type", { nodes: [{ id: "a", type: "magic" }], edges: [] }, "flow_data.nodes.0.type"],
	])("refuses %s under its path", async (_what, flow_data, key) => {
		const { status, body } = await post({ flow_data, controller_connection_id: connection });
		expect(status).toBe(400);
		expect(Object.keys(body)).toContain(key);
	});

	it("refuses post-processors, variables and queries that are wrong", async () => {
		const base = { flow_data: flow, controller_connection_id: connection };
		expect((await post({ ...base, post_processors: [{ type: "magic" }] })).status).toBe(400);
		expect((await post({ ...base, variables: [{ id: "1" }] })).body).toHaveProperty(["variables.0.id"]);
		expect((await post({ ...base, saved_query_id: UNKNOWN })).body).toEqual({ saved_query_id: [expect.any(String)] });
		expect((await post({ ...base, variable_values: [] })).body).toHaveProperty("variable_values");
	});

	it("refuses connections that are another user's or switched off", async () => {
		const bob = await t.user("bob", ["Editor"]);
		const answer = await post({ flow_data: flow, controller_connection_id: connection }, bob.api);
		expect(answer.status).toBe(400);
		expect(answer.body).toHaveProperty("controller_connection_id");
		const off = await addConnection(ada.api, lab, { is_active: false });
		expect((await post({ flow_data: flow, controller_connection_id: off })).body).toHaveProperty(
			"controller_connection_id",
		);
	});

	it("needs the permission to run queries", async () => {
		const cat = await t.user("cat");
		await setRights(t, cat, {});
		expect((await post({ flow_data: flow, controller_connection_id: connection }, cat.api)).status).toBe(403);
		expect((await cat.api.get(RUNS)).status).toBe(403);
	});
});

describe("looking", () => {
	it("lists one's own runs, newest first", async () => {
		const dan = await t.user("dan", ["Editor"]);
		const id = await addConnection(dan.api, lab);
		const made: string[] = [];
		for (let i = 0; i < 3; i++) {
			made.push(await start(connectNodes(buildClassNode("fvTenant")), { controller_connection_id: id }, dan.api));
		}
		for (const job of made) await waitForRun(dan.api, job);
		const { body } = await dan.api.get(`${RUNS}?page_size=2`);
		expect(body).toMatchObject({ count: 3, previous: null });
		expect(body.results.map((job: { id: string }) => job.id)).toEqual(made.slice(1).reverse());
		expect((await dan.api.get(`${RUNS}?page_size=2&page=2`)).body.results[0].id).toBe(made[0]);
		expect((await dan.api.get(`${RUNS}?page_size=2&page=3`)).status).toBe(404);
		expect((await dan.api.get(`${RUNS}?status=completed`)).body.count).toBe(3);
		expect((await dan.api.get(`${RUNS}?status=running`)).body.count).toBe(0);
		expect((await dan.api.get(`${RUNS}?status=odd`)).body).toHaveProperty("status");
		expect((await t.admin.api.get(RUNS)).body.count).toBe(0);
	});

	it("filters runs by query, controller and time", async () => {
		const rex = await t.user("rex", ["Editor"]);
		const [here, there] = [await addConnection(rex.api, lab), await addConnection(rex.api, lab)];
		const flow_data = connectNodes(buildClassNode("fvTenant"));
		const query = (await rex.api.post("/api/queries/saved-queries/", { name: "Tenants 100%", flow_data })).body.id;
		const named = await start(flow_data, { controller_connection_id: here, saved_query_id: query }, rex.api);
		const other = await start(flow_data, { controller_connection_id: there }, rex.api);
		for (const job of [named, other]) await waitForRun(rex.api, job);
		const found = async (search: string) =>
			(await rex.api.get(`${RUNS}?${search}`)).body.results.map(({ id }: { id: string }) => id);
		expect(await found("search=TENANTS%20100%25")).toEqual([named]);
		expect(await found("search=%25%25")).toEqual([]);
		expect(await found(`saved_query_id=${query}`)).toEqual([named]);
		expect(await found(`controller_connection_id=${there}`)).toEqual([other]);
		const { created_at } = (await rex.api.get(`${RUNS}${named}/`)).body;
		const later = new Date(Date.parse(created_at) + 3_600_000).toISOString();
		expect(await found(`created_after=${created_at}&created_before=${later}`)).toContain(named);
		expect(await found(`created_after=${later}`)).toEqual([]);
		expect(await found(`created_before=${created_at}`)).not.toContain(named);
		for (const [name, value] of [
			["created_after", "yesterday"],
			["controller_connection_id", "x"],
			["saved_query_id", "x"],
			["search", "x".repeat(201)],
		])
			expect((await rex.api.get(`${RUNS}?${name}=${value}`)).body).toHaveProperty(name as string);
	});

	it("shows a run to its owner and administrators only", async () => {
		const id = await start(connectNodes(buildClassNode("fvTenant")));
		await waitForRun(ada.api, id);
		const eve = await t.user("eve", ["Editor"]);
		for (const path of ["", "stages/", "results/"]) {
			expect((await eve.api.get(`${RUNS}${id}/${path}`)).status).toBe(404);
			expect((await t.admin.api.get(`${RUNS}${id}/${path}`)).status).toBe(200);
			expect((await ada.api.get(`${RUNS}${UNKNOWN}/${path}`)).status).toBe(404);
			expect((await ada.api.get(`${RUNS}nonsense/${path}`)).status).toBe(404);
		}
		expect((await eve.api.post(`${RUNS}${id}/cancel/`)).status).toBe(404);
		expect((await ada.api.post(`${RUNS}${id}/cancel/`)).body).toEqual({ detail: expect.any(String) });
	});
});

describe("results", () => {
	it("come in pages, each row once and always in the same order", async () => {
		const job = await waitForRun(ada.api, await start(connectNodes(buildClassNode("fvBD"), output)));
		const all = (await ada.api.get(`${job.results_url}?page_size=200`)).body.results;
		const paged: unknown[] = [];
		for (let page = 1; paged.length < job.total_rows; page++) {
			const { body } = await ada.api.get(`${job.results_url}?page_size=7&page=${page}`);
			paged.push(...body.results);
		}
		expect(paged).toEqual(all);
		expect((await ada.api.get(`${job.results_url}?page=999`)).status).toBe(404);
		expect((await ada.api.get(`${job.results_url}?stage=1`)).body).toHaveProperty("stage");
		expect((await ada.api.get(`${job.results_url}?stage=-1`)).body).toHaveProperty("stage");
		expect((await ada.api.get(`${job.results_url}?export=xlsx`)).body).toHaveProperty("export");
		expect((await ada.api.get(`${job.results_url}?stage=0&page_size=200`)).body.results).toEqual(all);
	});

	it("are exported whole, with cells a spreadsheet would run made harmless", async () => {
		const regex = {
			id: "p",
			type: "postProcessorNode",
			data: {
				processorType: "regex-transform",
				config: { field: "descr", pattern: "^.*$", replacement: '=1+1,"x"' },
			},
		};
		const job = await waitForRun(ada.api, await start(connectNodes(buildClassNode("fvTenant"), regex, output)));
		const get = (format: string) => ada.api.get(`${job.results_url}?export=${format}`);
		const json = await get("json");
		expect(json.body).toHaveLength(job.total_rows);
		expect(json.headers["content-disposition"]).toBe(`attachment; filename="results-${job.id}.json"`);
		const lines = (await get("ndjson")).text.trimEnd().split("\n");
		expect(lines.map((line) => JSON.parse(line))).toEqual(json.body);
		const csv = await get("csv");
		expect(csv.headers["content-type"]).toBe("text/csv; charset=utf-8");
		const [header, first] = csv.text.split("\r\n");
		expect(header).toMatch(/^dn,/);
		expect(csv.text.trimEnd().split("\r\n")).toHaveLength(job.total_rows + 1);
		expect(first).toContain(`"'=1+1,""x"""`);
	});

	it("of a class without objects are an empty list", async () => {
		const filter = createNameFilter("no such");
		const job = await waitForRun(ada.api, await start(connectNodes(buildClassNode("fvTenant"), filter, output)));
		expect(job).toMatchObject({ status: "completed", total_rows: 0 });
		expect((await ada.api.get(job.results_url)).body).toEqual({ count: 0, next: null, previous: null, results: [] });
		expect((await ada.api.get(`${job.results_url}?export=json`)).body).toEqual([]);
		expect((await ada.api.get(`${job.results_url}?export=csv`)).status).toBe(200);
	});
});
