/** Joined rows through the API, against the simulated controller. */
import type { RunningController } from "@weft/lab";
import { beforeAll, describe, expect, it } from "vitest";
import {
	buildClassNode,
	createCanvas,
	createEdge,
	createPipelineEdge,
	getAttributes,
	type Node,
	output,
	QUERIES,
	type Row,
	RUNS,
} from "../support/canvases.ts";
import { getChecks } from "../support/checks.ts";
import { type TestApp, type TestUser, waitUntil } from "../support/harness.ts";
import { useRuns } from "../support/runs.ts";

const TM = "/api/time-machine/";
const GROUPS = "/api/queries/group-executions/";
const runs = useRuns();
let t: TestApp;
let lab: RunningController;
let ada: TestUser;
let connection: string;
beforeAll(() => {
	({ t, lab, ada, connection } = runs);
	// A bridge domain without subnets, which a chain down to its last class would not show.
	lab.load({ imdata: [{ fvBD: { attributes: { dn: `${getTenantDn()}/BD-bare`, name: "bare", descr: "" } } }] });
});

const getTenantDn = () => "uni/tn-Retail-01";
const listBelow = (list: readonly Row[], dn: string) =>
	list.map(getAttributes).filter((other) => other.dn?.startsWith(`${dn}/`) === true);
const listValues = (list: Record<string, string>[], name: string) =>
	list
		.sort((a, b) => ((a.dn ?? "") < (b.dn ?? "") ? -1 : 1))
		.map((attributes) => attributes[name] ?? "")
		.join(", ");

/** Bridge domains with their VRF and subnets. */
const domains = createCanvas(
	[buildClassNode("fvTenant"), buildClassNode("fvBD"), buildClassNode("fvRsCtx"), buildClassNode("fvSubnet")],
	createEdge("fvTenant", "fvBD"),
	createEdge("fvBD", "fvRsCtx"),
	createEdge("fvBD", "fvSubnet"),
);
const vrf = { class: "fvRsCtx", by: "child", fields: [{ field: "tnFvCtxName", as: "vrf" }], many: "first" };
const subnets = { class: "fvSubnet", by: "child", fields: [{ field: "ip", as: "subnets" }], many: "list" };
const createJoin = (base: string, ...attach: object[]) => ({ type: "join", config: { base, attach } });
const joined = [createJoin("fvBD", vrf, subnets)];

async function expectDomains(rows: readonly Row[]): Promise<void> {
	const [bds, relations, nets] = await Promise.all(
		["fvBD", "fvRsCtx", "fvSubnet"].map((name) => runs.ask(`/api/class/${name}.json`)),
	);
	const expected = (bds ?? []).map(getAttributes).map(({ dn = "", name }) => ({
		dn,
		name,
		vrf: listValues(listBelow(relations ?? [], dn), "tnFvCtxName"),
		subnets: listValues(listBelow(nets ?? [], dn), "ip"),
	}));
	const found = rows.map((row) => {
		const { dn, name, vrf: own, subnets: list } = getAttributes(row);
		return { dn, name, vrf: own, subnets: list };
	});
	const byDn = (a: { dn?: string | undefined }, b: { dn?: string | undefined }) =>
		(a.dn ?? "") < (b.dn ?? "") ? -1 : 1;
	expect(found.sort(byDn)).toEqual(expected.sort(byDn));
	expect(expected.filter(({ subnets: list }) => list !== "").length).toBeGreaterThan(2);
	expect(found).toContainEqual({ dn: `${getTenantDn()}/BD-bare`, name: "bare", vrf: "", subnets: "" });
}

describe("a run with a join", () => {
	it("has one row per bridge domain with its VRF and subnets, also of those without", async () => {
		const { job, rows } = await runs.run(domains, { post_processors: joined });
		await expectDomains(rows);
		expect(new Set(rows.flatMap(Object.keys))).toEqual(new Set(["fvBD"]));
		expect(job).toMatchObject({ total_stages: 1, stages: [{ class_name: "fvBD", request_count: 3 }] });
		const [head] = (await ada.api.get(`${job.results_url}?export=csv`)).text.split("\r\n");
		expect(head?.split(",")).toEqual(expect.arrayContaining(["dn", "vrf", "subnets"]));
	});

	it("is the same drawn on the canvas, and in the preview of its node", async () => {
		const node: Node = {
			id: "join",
			type: "postProcessorNode",
			data: { processorType: "join", config: joined[0]?.config },
		};
		const flow = createCanvas(
			[...domains.nodes, node, output],
			...domains.edges,
			createEdge("fvSubnet", "join"),
			createEdge("join", "out"),
		);
		await expectDomains((await runs.run(flow)).rows);
		const preview = await ada.api.post(`${QUERIES}preview/`, {
			flow_data: flow,
			node_id: "join",
			connection_id: connection,
		});
		expect(preview.status, preview.text).toBe(200);
		expect(getAttributes(preview.body.rows[0])).toMatchObject({ dn: expect.any(String), vrf: expect.any(String) });
		const plain = await ada.api.post(`${QUERIES}preview/`, {
			flow_data: flow,
			node_id: "fvSubnet",
			connection_id: connection,
		});
		expect(Object.keys(plain.body.rows[0])).toEqual(["fvSubnet"]);
	});

	it("gives the parent's fields to each object, and counts children", async () => {
		const attach = [
			{ class: "fvBD", by: "parent", fields: [{ field: "name", as: "bd" }], many: "first", inner: true },
			{ class: "fvTenant", by: "parent", fields: [{ field: "name", as: "tenant" }], many: "first" },
		];
		const { rows } = await runs.run(domains, { post_processors: [createJoin("fvSubnet", ...attach)] });
		expect(rows.length).toBeGreaterThan(2);
		for (const row of rows) {
			const { dn = "", bd, tenant } = getAttributes(row);
			expect(dn).toContain(`uni/tn-${tenant}/BD-${bd}/subnet-[`);
		}
		const counts = [createJoin("fvBD", { class: "fvSubnet", by: "child", many: "count" })];
		const counted = (await runs.run(domains, { post_processors: counts })).rows.map(getAttributes);
		expect(counted.find(({ name }) => name === "bare")).toMatchObject({ count_fvSubnet: "0" });
	});

	it("attaches objects of an abstract class, whose rows have names of their own", async () => {
		const dn = `${getTenantDn()}/BD-bare/fault-F0001`;
		lab.load({ imdata: [{ faultInst: { attributes: { dn, code: "F0001", severity: "major" } } }] });
		const flow = createCanvas([buildClassNode("fvBD"), buildClassNode("faultInfo")], createEdge("fvBD", "faultInfo"));
		const attach = { class: "faultInfo", by: "child", fields: [{ field: "code", as: "faults" }], many: "list" };
		const { rows } = await runs.run(flow, { post_processors: [createJoin("fvBD", attach)] });
		expect(rows.map(getAttributes).find(({ name }) => name === "bare")).toMatchObject({ faults: "F0001" });
	});

	it("finds objects that the scope of a class adds to its rows", async () => {
		const flow = createCanvas([buildClassNode("fvBD", { scope: "subtree" })]);
		await expectDomains((await runs.run(flow, { post_processors: joined })).rows);
	});

	it("drops rows without a partner where an entry is inner", async () => {
		const { rows } = await runs.run(domains, { post_processors: [createJoin("fvBD", { ...subnets, inner: true })] });
		const nets = await runs.ask("/api/class/fvSubnet.json");
		const owners = (await runs.ask("/api/class/fvBD.json")).filter(
			(row) => listBelow(nets, getAttributes(row).dn ?? "").length,
		);
		expect(rows).toHaveLength(owners.length);
	});

	it.each([
		["a pipeline edge", createPipelineEdge("fvRsCtx", "fvCtx", { extractField: "tDn", injectAs: "dn_scope" })],
		["no edge", createEdge("fvTenant", "fvRsCtx")],
	])("joins what a relation points to, across %s", async (_, edge) => {
		const flow = createCanvas(
			[buildClassNode("fvTenant"), buildClassNode("fvBD"), buildClassNode("fvRsCtx"), buildClassNode("fvCtx")],
			createEdge("fvTenant", "fvBD"),
			createEdge("fvBD", "fvRsCtx"),
			edge,
		);
		const attach = [
			{ class: "fvRsCtx", by: "child", fields: [{ field: "tDn", as: "vrfDn" }], many: "first" },
			{
				class: "fvCtx",
				by: { base: "vrfDn", other: "dn" },
				fields: [{ field: "pcEnfPref", as: "enforced" }],
				many: "first",
			},
		];
		const { job, rows } = await runs.run(flow, { post_processors: [createJoin("fvBD", ...attach)] });
		expect(job.total_stages).toBe(1);
		const contexts = new Map(
			(await runs.ask("/api/class/fvCtx.json")).map(getAttributes).map((context) => [context.dn, context.pcEnfPref]),
		);
		expect(rows.length).toBe((await runs.ask("/api/class/fvBD.json")).length);
		for (const { vrfDn = "", enforced } of rows.map(getAttributes)) expect(enforced).toBe(contexts.get(vrfDn) ?? "");
		expect(rows.some((row) => getAttributes(row).enforced === "enforced")).toBe(true);
		const related = { class: "fvCtx", by: "relation", fields: [{ field: "dn", as: "target" }], many: "list" };
		const second = await runs.run(flow, { post_processors: [createJoin("fvRsCtx", related)] });
		for (const { tDn = "", target } of second.rows.map(getAttributes))
			expect(target).toBe(contexts.has(tDn) ? tDn : "");
	});

	it("is explained, with what it lacks", async () => {
		const plan = (post_processors: object[]) =>
			ada.api.post(`${QUERIES}generate-query/`, { flow_data: domains, post_processors });
		const { body } = await plan(joined);
		expect(body.stages[0].reason).toContain(
			"One row for each fvBD, joined with fvRsCtx below it (the first) and fvSubnet below it (as a list).",
		);
		expect(body.stages[0]).toMatchObject({ class_name: "fvBD", answer_node_ids: ["fvBD", "fvRsCtx", "fvSubnet"] });
		expect(body.warnings).toEqual([]);
		expect((await plan([createJoin("fvAp", vrf)])).body.warnings).toContain(
			"The canvas has no class fvAp. Add it to the canvas, or choose a class of the canvas.",
		);
	});

	it("is refused where its classes are not on the canvas, when it is run and when it is saved", async () => {
		const body = { flow_data: domains, post_processors: [createJoin("fvAp", vrf)] };
		const expected = {
			"post_processors.0.config.base": [
				"The canvas has no class fvAp. Add it to the canvas, or choose a class of the canvas.",
			],
		};
		const run = await ada.api.post(RUNS, { ...body, controller_connection_id: connection });
		expect([run.status, run.body]).toEqual([400, expected]);
		const saved = await ada.api.post(QUERIES, { ...body, name: "Lacking" });
		expect([saved.status, saved.body]).toEqual([400, expected]);
	});
});

describe("a saved query with a join", () => {
	const captureEnd = (id: string) =>
		waitUntil("the snapshot is captured", async () => {
			const { body } = await ada.api.get(`${TM}snapshots/?saved_query_id=${id}`);
			return body.snapshots.length > 0 ? body.snapshots : null;
		});

	it("captures joined rows, finds their drift, and holds checks on a joined column", async () => {
		const checks = getChecks(ada.api, () => t);
		const query = await checks.query("fvBD", {
			flow_data: domains,
			post_processors: joined,
			enable_time_machine: true,
		});
		const check = await checks.add({
			saved_query: query,
			type: "each_row",
			config: { conditions: [{ field: "vrf", operator: "exists" }] },
		});
		await checks.run(query, connection);
		const state = await checks.becomes(check.id, connection, "failing");
		expect(state.violations).toBeGreaterThan(0);
		expect((await checks.evidence(check.id, connection)).sample).toEqual(
			expect.arrayContaining([
				expect.objectContaining({
					row: { fvBD: { attributes: expect.objectContaining({ dn: `${getTenantDn()}/BD-bare` }) } },
				}),
			]),
		);
		await captureEnd(query);
		lab.load({
			imdata: [
				{ fvSubnet: { attributes: { dn: `${getTenantDn()}/BD-bare/subnet-[192.0.2.1/24]`, ip: "192.0.2.1/24" } } },
			],
		});
		await checks.run(query, connection);
		const [latest, before] = await waitUntil("the second snapshot is captured", async () => {
			const results = await captureEnd(query);
			return results.length === 2 ? results : null;
		});
		expect(latest.drift).toMatchObject({ added: 0, deleted: 0, modified: 1 });
		const { body } = await ada.api.post(`${TM}compare/`, {
			snapshot_from_id: before.id,
			snapshot_to_id: latest.id,
		});
		expect(JSON.stringify(body)).toContain("192.0.2.1/24");
	});

	it("captures a row for each pair, of which only those that changed are drift", async () => {
		const checks = getChecks(ada.api, () => t);
		const post_processors = [createJoin("fvBD", { ...subnets, many: "rows" })];
		const query = await checks.query("fvBD", { flow_data: domains, post_processors, enable_time_machine: true });
		const add = (ip: string) =>
			lab.load({
				imdata: [{ fvSubnet: { attributes: { dn: `${getTenantDn()}/BD-bare/subnet-[${ip}]`, ip } } }],
			});
		add("198.51.100.1/24");
		await checks.run(query, connection);
		await captureEnd(query);
		add("203.0.113.1/24");
		await checks.run(query, connection);
		const [latest] = await waitUntil("the second snapshot is captured", async () => {
			const results = await captureEnd(query);
			return results.length === 2 ? results : null;
		});
		expect(latest.drift).toMatchObject({ added: 1, deleted: 0, modified: 0 });
	});

	it("runs on several connections, whose merged rows have the joined columns", async () => {
		const { body, status, text } = await ada.api.post(GROUPS, {
			flow_data: domains,
			post_processors: joined,
			connection_ids: [connection],
		});
		expect(status, text).toBe(201);
		const group = await waitUntil("the group run has ended", async () => {
			const { body: now } = await ada.api.get(`${GROUPS}${body.id}/`);
			return now.status === "completed" ? now : null;
		});
		const { results } = (await ada.api.get(`${group.results_url}?page_size=200`)).body;
		expect(JSON.stringify(results[0])).toContain('"subnets":');
	});

	it("is a file like others", async () => {
		const checks = getChecks(ada.api, () => t);
		await checks.query("fvBD", { name: "Domains in a file", flow_data: domains, post_processors: joined });
		const exported = await ada.api.get("/api/queries/export-files/");
		expect(exported.status, exported.text).toBe(200);
		const file = exported.body.files.find(({ content }: { content: string }) => content.includes("Domains in a file"));
		expect(file.content).toContain("type: join");
		const { body } = await ada.api.post("/api/queries/apply/", { files: [file], dry_run: true });
		expect(body.changes).toMatchObject([{ action: "unchanged" }]);
	});
});
