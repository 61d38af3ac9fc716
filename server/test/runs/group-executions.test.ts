/** One query on several connections: its runs, their status, progress, cancelling and retrying. */
import type { RunningController } from "@weft/lab";
import { beforeAll, describe, expect, it } from "vitest";
import { addConnection, buildClassNode, connectNodes, RUNS, UNKNOWN } from "../support/canvases.ts";
import { refuseWrites } from "../support/failing-store.ts";
import { GROUP_RUNS, GROUPS, listStatuses, useGroupRuns } from "../support/group-runs.ts";
import { type TestApp, type TestUser, waitUntil } from "../support/harness.ts";

const groups = useGroupRuns();
const { held, addQuery, addGroup, startGroup, waitForGroup, runGroup, removeClass } = groups;
let t: TestApp;
let ada: TestUser;
let labs: [RunningController, RunningController];
let east: string;
let west: string;
let down: string;
let halfOff: string;
let off: string;
let query: string;
beforeAll(() => {
	({ t, ada, labs, east, west, down, halfOff, off, query } = groups);
});

describe("runs", () => {
	it("are started together, and every field is answered", async () => {
		const started = await startGroup({ saved_query_id: query, connection_ids: [west, east, west] });
		expect(started).toEqual({
			id: expect.any(String),
			status: "running",
			saved_query_id: query,
			query_name: "All tenants",
			query_version: "v1.0",
			connection_group: null,
			hidden_count: 0,
			total_rows: null,
			created_at: new Date(t.clock.now()).toISOString(),
			completed_at: null,
			results_url: `${GROUP_RUNS}${started.id}/results/`,
			runs: ["West", "East"].map((name) => ({
				controller_connection_id: name === "West" ? west : east,
				controller_connection_name: name,
				pipeline_job_id: expect.any(String),
				status: "pending",
				total_rows: null,
				error: null,
			})),
		});
		const group = await waitForGroup(started.id);
		expect(group).toMatchObject({ status: "completed", completed_at: expect.any(String) });
		const [a, b] = group.runs;
		expect(group.total_rows).toBe(a.total_rows + b.total_rows);
		expect((await ada.api.get(`${RUNS}${a.pipeline_job_id}/`)).body).toMatchObject({
			status: "completed",
			saved_query_id: query,
			controller_connection_id: west,
		});
		const list = (await ada.api.get(`${GROUP_RUNS}?saved_query_id=${query}&status=completed&search=tenants`)).body;
		expect(list.results).toContainEqual(group);
		expect((await ada.api.get(`${GROUP_RUNS}?connection_group=${UNKNOWN}`)).body.count).toBe(0);
	});

	it("are recorded like every other run of the query, once each", async () => {
		const own = await addQuery(ada.api, { enable_time_machine: true });
		await runGroup({ saved_query_id: own, connection_ids: [east, west] });
		const logs = await waitUntil("the ends are recorded", async () => {
			const { body } = await ada.api.get(`/api/queries/execution-logs/?query=${own}`);
			return body.count === 2 ? body.results : null;
		});
		expect(logs.every(({ success }: { success: boolean }) => success)).toBe(true);
		const { snapshots } = (await ada.api.get(`/api/time-machine/snapshots/?saved_query_id=${own}`)).body;
		expect(snapshots).toHaveLength(2);
		const audit = await t.admin.api.get("/api/audit/logs/?action=group_execution_start&page_size=1");
		expect(audit.body.results[0].description).toContain("on 2 connections");
	});

	it("of a group are those of the members that the caller sees", async () => {
		const bob = await t.user("bob", ["Editor"]);
		const hidden = await addConnection(bob.api, labs[0], { name: "Bob's" });
		const shared = await addGroup(t.admin.api, [hidden, east, west], { is_public: true });
		const group = await runGroup({ flow_data: connectNodes(buildClassNode("fvBD")), connection_group: shared });
		expect(group).toMatchObject({ status: "completed", connection_group: shared, hidden_count: 1, query_name: null });
		expect(group.runs.map((one: { controller_connection_id: string }) => one.controller_connection_id)).toEqual([
			east,
			west,
		]);
		await t.admin.api.del(`${GROUPS}${shared}/`);
		expect((await ada.api.get(`${GROUP_RUNS}${group.id}/`)).body).toMatchObject({
			connection_group: null,
			status: "completed",
		});
	});

	it("are refused with the reason", async () => {
		const empty = await addGroup(ada.api, []);
		const refused = async (fields: object) => {
			const { status, body } = await ada.api.post(GROUP_RUNS, fields);
			expect(status).toBe(400);
			return body;
		};
		const both = { connection_ids: [east], connection_group: empty };
		const flow_data = connectNodes(buildClassNode("fvTenant"));
		expect(await refused({ saved_query_id: query, ...both })).toHaveProperty("non_field_errors");
		expect(await refused({ saved_query_id: query })).toHaveProperty("non_field_errors");
		expect(await refused({ connection_ids: [east] })).toHaveProperty("non_field_errors");
		expect(await refused({ saved_query_id: query, flow_data, connection_ids: [east] })).toHaveProperty(
			"non_field_errors",
		);
		expect(await refused({ saved_query_id: UNKNOWN, connection_ids: [east] })).toHaveProperty("saved_query_id");
		expect(await refused({ saved_query_id: query, connection_ids: [UNKNOWN] })).toHaveProperty("connection_ids");
		expect(await refused({ saved_query_id: query, connection_ids: [] })).toHaveProperty("connection_ids");
		expect(await refused({ saved_query_id: query, connection_group: UNKNOWN })).toHaveProperty("connection_group");
		expect(await refused({ saved_query_id: query, connection_group: empty })).toHaveProperty("connection_group");
	});

	it("belong to who started them", async () => {
		const { id } = await startGroup({ saved_query_id: query, connection_ids: [east] });
		const eve = await t.user("eve", ["Editor"]);
		expect((await eve.api.get(`${GROUP_RUNS}${id}/`)).status).toBe(404);
		expect((await eve.api.get(`${GROUP_RUNS}${id}/results/`)).status).toBe(404);
		expect((await eve.api.post(`${GROUP_RUNS}${id}/cancel/`)).status).toBe(404);
		expect((await eve.api.post(`${GROUP_RUNS}${id}/retry/`)).status).toBe(404);
		expect((await eve.api.get(GROUP_RUNS)).body.count).toBe(0);
		expect((await t.admin.api.get(`${GROUP_RUNS}${id}/`)).status).toBe(200);
		await waitForGroup(id);
	});

	it("are started once for a key, also by calls at the same time", async () => {
		const fields = { saved_query_id: query, connection_ids: [east, west], idempotency_key: "once" };
		const answers = await Promise.all([1, 2, 3].map(() => startGroup(fields)));
		expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
		const { rows } = await t.pool.query(
			"select count(*)::int as n from group_execution_runs where group_execution_id = $1",
			[answers[0].id],
		);
		expect(rows[0].n).toBe(2);
		await waitForGroup(answers[0].id);
	});
});

describe("the status", () => {
	it("is partial when a connection is down, and names it", async () => {
		const group = await runGroup({ saved_query_id: query, connection_ids: [east, down, west] });
		expect(group.status).toBe("partial");
		expect(listStatuses(group)).toEqual(["completed", "failed", "completed"]);
		expect(group.runs[1].error).toMatch(/refused/i);
	});

	it("is failed when no connection answers: there is no result then", async () => {
		const group = await runGroup({ saved_query_id: query, connection_ids: [down] });
		expect(group).toMatchObject({ status: "failed", total_rows: 0 });
		expect((await ada.api.get(group.results_url)).status).toBe(409);
	});

	it("stays completed when a release lacks the class, which is answered as such", async () => {
		removeClass();
		const group = await runGroup({ saved_query_id: query, connection_ids: [east, west] });
		expect(group.status).toBe("completed");
		expect(listStatuses(group)).toEqual(["completed", "unsupported"]);
		const { body, headers } = await ada.api.get(group.results_url);
		expect(body.unsupported).toEqual([{ connection: "West", error: expect.stringContaining("fvTenant") }]);
		expect(body).not.toHaveProperty("partial");
		expect(headers["x-weft-partial"]).toBeUndefined();
	});

	it("is failed when every release lacks the class", async () => {
		const flow_data = connectNodes(buildClassNode("fvNoSuchClass"));
		const group = await runGroup({ flow_data, connection_ids: [east, west] });
		expect(group.status).toBe("failed");
		expect(listStatuses(group)).toEqual(["unsupported", "unsupported"]);
	});

	it("distinguishes a member that is switched off from one that was left out", async () => {
		const group = await runGroup({ saved_query_id: query, connection_group: halfOff });
		expect(group.status).toBe("partial");
		expect(group.runs[1].error).toContain("not active");
	});

	it("is written with the record of the last end, or not at all", async () => {
		const failures = await refuseWrites(t.pool, {
			table: "group_executions",
			event: "update",
			as: "group_end",
			when: "new.status <> 'running'",
		});
		const { id, runs } = await startGroup({ saved_query_id: query, connection_ids: [east] });
		await waitUntil("the end could not be stored", async () => (await failures.count("query_runs.record")) > 0);
		const run = (await ada.api.get(`${RUNS}${runs[0].pipeline_job_id}/`)).body;
		expect(["pending", "running"]).toContain(run.status);
		await failures.stop();
		await t.clock.advance(60_000);
		expect((await waitForGroup(id)).status).toBe("completed");
	});
});

describe("the channel", () => {
	const follow = (id: string, api = ada.api) => api.open(`/ws/group-execution/${id}/`);

	it("sends the standing of each run, each change, and the end", async () => {
		const release = held.hold(/fvAEPg/);
		const flow_data = connectNodes(buildClassNode("fvAEPg"));
		const group = await startGroup({ flow_data, connection_group: halfOff });
		const socket = await follow(group.id);
		await waitUntil("the first run is over", () =>
			socket.frames.some(({ data }) => data.controller_connection_id === off && data.status === "failed"),
		);
		release();
		expect(await socket.closed).toMatchObject({ code: 1000 });
		const frames = socket.frames.map(({ type, data }) => ({ type, data }));
		const { total_rows } = await waitForGroup(group.id);
		expect(frames.at(-1)).toEqual({
			type: "group_complete",
			data: { status: "partial", total_rows, results_url: group.results_url },
		});
		const last = (connection: string) =>
			frames.findLast(({ data }) => data.controller_connection_id === connection)?.data;
		expect(last(east)).toEqual({ controller_connection_id: east, status: "completed", total_rows });
		expect(last(off)).toEqual({ controller_connection_id: off, status: "failed", total_rows: null });

		const late = await follow(group.id);
		expect(await late.closed).toMatchObject({ code: 1000 });
		expect(late.frames.map(({ type }) => type)).toEqual(["run_status", "run_status", "group_complete"]);
	});

	it("is closed to others", async () => {
		const { id } = await startGroup({ saved_query_id: query, connection_ids: [east] });
		const mia = await t.user("mia", ["Editor"]);
		expect(await (await follow(id, mia.api)).closed).toMatchObject({ code: 4003 });
		expect(await (await follow(UNKNOWN)).closed).toMatchObject({ code: 4004 });
		await waitForGroup(id);
	});
});

describe("cancelling", () => {
	it("ends the runs that have not ended, and keeps the others", async () => {
		const release = held.hold(/fvSubnet/);
		const flow_data = connectNodes(buildClassNode("fvSubnet"));
		const { id } = await startGroup({ flow_data, connection_group: halfOff });
		await waitUntil(
			"one run is over",
			async () => listStatuses((await ada.api.get(`${GROUP_RUNS}${id}/`)).body)[1] === "failed",
		);
		const { status, body } = await ada.api.post(`${GROUP_RUNS}${id}/cancel/`);
		expect([status, body.status, listStatuses(body)]).toEqual([200, "cancelled", ["cancelled", "failed"]]);
		expect((await ada.api.post(`${GROUP_RUNS}${id}/cancel/`)).status).toBe(400);
		release();
	});

	it("of one run by itself leaves a partial result", async () => {
		const release = held.hold(/fvRsCtx/);
		const { id, runs } = await startGroup({
			flow_data: connectNodes(buildClassNode("fvRsCtx")),
			connection_ids: [east, west],
		});
		await ada.api.post(`${RUNS}${runs[0].pipeline_job_id}/cancel/`);
		release();
		expect(await waitForGroup(id)).toMatchObject({ status: "partial" });
	});
});

describe("retrying", () => {
	it("starts the failed runs again and keeps the rows of the others", async () => {
		labs[1].setFaults({ error: { text: "Request failed", match: "class/fvTenant" } });
		const group = await runGroup({ saved_query_id: query, connection_ids: [east, west] });
		expect(listStatuses(group)).toEqual(["completed", "failed"]);
		labs[1].clearFaults();
		const { status, body } = await ada.api.post(`${GROUP_RUNS}${group.id}/retry/`);
		expect([status, body.status, body.total_rows]).toEqual([202, "running", null]);
		expect(body.runs[0]).toEqual(group.runs[0]);
		expect(body.runs[1].pipeline_job_id).not.toBe(group.runs[1].pipeline_job_id);
		const again = await waitForGroup(group.id);
		expect(listStatuses(again)).toEqual(["completed", "completed"]);
		expect(again.status).toBe("completed");
		expect((await ada.api.post(`${GROUP_RUNS}${group.id}/retry/`)).status).toBe(400);
	});

	it("by two calls at the same time starts each run once", async () => {
		const group = await runGroup({ saved_query_id: query, connection_ids: [east, down] });
		const answers = await Promise.all([1, 2].map(() => ada.api.post(`${GROUP_RUNS}${group.id}/retry/`)));
		expect(answers.map(({ status }) => status).sort()).toEqual([202, 400]);
		await waitForGroup(group.id);
	});

	it("is refused once the runs are removed with their rows", async () => {
		const group = await runGroup({ saved_query_id: query, connection_ids: [down] });
		await t.pool.query("update pipeline_jobs set program = null where id = $1", [group.runs[0].pipeline_job_id]);
		const { status, body } = await ada.api.post(`${GROUP_RUNS}${group.id}/retry/`);
		expect([status, body.detail]).toEqual([400, expect.stringContaining("removed")]);
	});
});
