/** Saved queries run in the background: what their end leaves behind, and that it does so once. */
import type { RunningController } from "@weft/lab";
import { beforeAll, describe, expect, it } from "vitest";
import {
	addConnection,
	buildClassNode,
	connectNodes,
	createNameFilter,
	output,
	QUERIES,
	RUNS,
	UNKNOWN,
	waitForRun,
} from "../support/canvases.ts";
import { type TestApp, type TestUser, waitUntil } from "../support/harness.ts";
import { findAudit } from "../support/rights.ts";
import { useRuns } from "../support/runs.ts";

const runs = useRuns({ connection: { name: "Fabric A" } });
let t: TestApp;
let lab: RunningController;
let ada: TestUser;
let connection: string;
beforeAll(() => {
	({ t, lab, ada, connection } = runs);
});

const tenants = connectNodes(buildClassNode("fvTenant"), output);
let names = 0;
async function saveQuery(more: Record<string, unknown> = {}, user = ada): Promise<string> {
	const { status, body, text } = await user.api.post(QUERIES, {
		name: `Query ${++names}`,
		flow_data: tenants,
		...more,
	});
	expect(status, text).toBe(201);
	return body.id;
}
const runQuery = (query: string, more: Record<string, unknown> = {}, user = ada) =>
	user.api.post(`${QUERIES}${query}/execute_background/`, { controller_connection_id: connection, ...more });

/** Starts it, and waits until its end is recorded. */
async function runUntilRecorded(query: string, more: Record<string, unknown> = {}) {
	const { status, body, text } = await runQuery(query, more);
	expect(status, text).toBe(202);
	const job = await waitForRun(ada.api, body.id);
	await waitUntil("its end is recorded", () => isFinished(body.id));
	return job;
}
const isFinished = async (job: string) =>
	(await t.pool.query("select 1 from query_runs where job_id = $1 and finished_at is not null", [job])).rowCount;
const listLogs = async (query: string) =>
	(await ada.api.get(`/api/queries/execution-logs/?query=${query}`)).body.results;
const listSnapshots = async (query: string) =>
	(await ada.api.get(`/api/time-machine/snapshots/?saved_query_id=${query}`)).body.snapshots;
const listAudit = async (target: string) =>
	(await findAudit(t, target)).filter(({ category }) => category === "query_execution");

describe("an idempotency key", () => {
	const jobs = async () => (await t.pool.query("select count(*)::int as n from pipeline_jobs")).rows[0].n;

	it("starts one run, however often and however concurrently it is sent", async () => {
		const query = await saveQuery();
		const before = await jobs();
		const many = await Promise.all(Array.from({ length: 6 }, () => runQuery(query, { idempotency_key: "key 1" })));
		expect(many.map(({ status }) => status)).toEqual(many.map(() => 202));
		expect(new Set(many.map(({ body }) => body.id)).size).toBe(1);
		await waitUntil("its end is recorded", () => isFinished(many[0]?.body.id));
		expect((await runQuery(query, { idempotency_key: "key 1" })).body).toMatchObject({ id: many[0]?.body.id });
		expect(await jobs()).toBe(before + 1);
		const entries = await listAudit(query);
		expect(entries.filter(({ action }) => action === "query_run")).toHaveLength(1);
	});

	it("starts one run of an unsaved canvas, and does not match the same key of another user", async () => {
		const create = (user = ada) =>
			user.api.post(RUNS, { flow_data: tenants, controller_connection_id: connection, idempotency_key: "key 2" });
		const [first, second] = [await create(), await create()];
		expect([first.status, second.status]).toEqual([201, 201]);
		expect(second.body.id).toBe(first.body.id);
		const other = await runQuery(await saveQuery(), { idempotency_key: "key 3" });
		expect(other.body.id).not.toBe(first.body.id);
		const { body } = await t.admin.api.post(RUNS, {
			flow_data: tenants,
			controller_connection_id: connection,
			idempotency_key: "key 2",
		});
		expect(body.id).not.toBe(first.body.id);
	});
});

describe("a background run", () => {
	it("belongs to its query, and records its end in the log, the counters and the audit log", async () => {
		const query = await saveQuery({ name: "Tenants" });
		const started = await runQuery(query);
		expect(started.status).toBe(202);
		expect(started.body).toMatchObject({
			status: "pending",
			saved_query_id: query,
			query_name: "Tenants",
			query_version: "v1.0",
			controller_connection_name: "Fabric A",
		});
		const job = await waitForRun(ada.api, started.body.id);
		await waitUntil("its end is recorded", () => isFinished(job.id));
		expect(await listLogs(query)).toEqual([
			expect.objectContaining({
				query,
				query_name: "Tenants",
				executed_by: "ada",
				success: true,
				error_message: null,
				result_count: job.total_rows,
				execution_time_ms: expect.any(Number),
			}),
		]);
		expect((await ada.api.get(`${QUERIES}${query}/`)).body).toMatchObject({ execution_count: 1 });
		expect(await listAudit(query)).toMatchObject([
			{
				category: "query_execution",
				action: "query_run",
				username: "ada",
				metadata: expect.objectContaining({ success: true, result_count: job.total_rows, pipeline_job_id: job.id }),
			},
		]);
		expect(await listAudit(job.id)).toMatchObject([{ action: "query_run_start", username: "ada" }]);
		expect(await listSnapshots(query)).toEqual([]);
		expect(JSON.stringify([await listAudit(query), await listAudit(job.id)])).not.toContain(lab.password);
	});

	it("sends its end on the channel", async () => {
		const { body } = await runQuery(await saveQuery());
		const socket = await ada.api.open(`/ws/chain-execution/${body.id}/`);
		expect((await socket.closed).code).toBe(1000);
		expect(socket.frames.at(-1)?.type).toBe("execution_complete");
	});

	it("keeps exactly its rows as a snapshot where the query asks for that", async () => {
		const query = await saveQuery({
			enable_time_machine: true,
			flow_data: connectNodes(buildClassNode("fvBD"), output),
		});
		const job = await runUntilRecorded(query);
		const [snapshot, ...others] = await listSnapshots(query);
		expect(others).toEqual([]);
		expect(snapshot).toMatchObject({
			saved_query_id: query,
			class_name: "fvBD",
			result_count: job.total_rows,
			execution_type: "manual",
			origin: "run",
			query_version: "v1.0",
			executed_by: "ada",
			controller_connection_name: "Fabric A",
			is_duplicate: false,
			execution_time_ms: job.execution_time_ms,
		});
		const rows = (await ada.api.get(`${job.results_url}?export=json`)).body;
		const { body } = await ada.api.get(`/api/time-machine/snapshots/${snapshot.id}/`);
		expect(body.result_data).toEqual({ totalCount: String(rows.length), imdata: rows });
		expect((await listAudit(query))[0].metadata.snapshot).toEqual({ snapshot_id: snapshot.id });
		const getSnapshot = async (id: string) =>
			(await ada.api.get(`/api/queries/pipeline-executions/${id}/`)).body.snapshot_id;
		expect(await getSnapshot(job.id)).toBe(snapshot.id);

		const same = await runUntilRecorded(query);
		expect(await listSnapshots(query)).toHaveLength(1);
		expect(await getSnapshot(same.id)).toBe(snapshot.id);
		expect((await listAudit(query))[1].metadata.snapshot).toEqual({ reason: expect.stringContaining("same") });
		expect(await listLogs(query)).toHaveLength(2);
	});

	it("keeps processed rows, and none, as they are", async () => {
		const flat = [{ type: "field-extract", config: { fields: ["name"] } }];
		const query = await saveQuery({ enable_time_machine: true, post_processors: flat });
		const job = await runUntilRecorded(query);
		const none = await saveQuery({
			enable_time_machine: true,
			flow_data: connectNodes(buildClassNode("fvTenant"), createNameFilter("none"), output),
		});
		await runUntilRecorded(none);
		const rows = (await ada.api.get(`${job.results_url}?export=json`)).body;
		for (const [id, count] of [
			[query, job.total_rows],
			[none, 0],
		] as const) {
			const [snapshot] = await listSnapshots(id);
			const { body } = await ada.api.get(`/api/time-machine/snapshots/${snapshot.id}/`);
			expect(body.result_data.totalCount).toBe(String(count));
			expect(body.result_data.imdata).toHaveLength(count);
			if (id === query) expect(body.result_data.imdata).toEqual(rows);
		}
	});

	it("carries the version that was run, even if the query is edited meanwhile", async () => {
		lab.setFaults({ latency: { ms: 500, match: "fvTenant" } });
		const query = await saveQuery({ enable_time_machine: true });
		const { body } = await runQuery(query);
		await ada.api.patch(`${QUERIES}${query}/`, { flow_data: connectNodes(buildClassNode("fvBD"), output) });
		await waitUntil("its end is recorded", () => isFinished(body.id));
		expect(await listSnapshots(query)).toMatchObject([{ query_version: "v1.0", class_name: "fvTenant" }]);
	});

	it("takes values for variables", async () => {
		// biome-ignore lint/suspicious/noTemplateCurlyInString: this is a canvas's own placeholder
		const flow_data = connectNodes(buildClassNode("fvTenant"), createNameFilter("${tenant}"), output);
		const query = await saveQuery({
			flow_data,
			variables: [{ id: "tenant", label: "T", type: "text", required: true }],
		});
		expect((await runQuery(query)).body).toEqual({ "variable_values.tenant": [expect.any(String)] });
		expect((await runUntilRecorded(query, { variable_values: { tenant: "infra" } })).total_rows).toBe(1);
		expect((await runQuery(query, { variable_values: [] })).body).toHaveProperty("variable_values");
	});

	it("that fails or is cancelled is in the log, too, and leaves no snapshot", async () => {
		lab.setFaults({ error: { match: "fvTenant", text: "no such thing" } });
		const failing = await saveQuery({ enable_time_machine: true });
		const job = await runUntilRecorded(failing);
		expect(job.status).toBe("failed");
		expect(await listLogs(failing)).toMatchObject([
			{ success: false, result_count: 0, error_message: expect.stringContaining("no such thing") },
		]);

		lab.setFaults({ hang: { match: "fvTenant" } });
		const cancelled = await saveQuery({ enable_time_machine: true });
		const { body } = await runQuery(cancelled);
		await waitUntil("it runs", async () => (await ada.api.get(`${RUNS}${body.id}/`)).body.status === "running");
		expect((await ada.api.post(`${RUNS}${body.id}/cancel/`)).status).toBe(200);
		await waitUntil("its end is recorded", () => isFinished(body.id));
		expect(await listLogs(cancelled)).toMatchObject([{ success: false, error_message: "The run was cancelled." }]);
		for (const query of [failing, cancelled]) {
			expect(await listSnapshots(query)).toEqual([]);
			expect((await ada.api.get(`${QUERIES}${query}/`)).body.execution_count).toBe(1);
		}
	});

	it("of a query that was deleted meanwhile ends quietly", async () => {
		lab.setFaults({ latency: { ms: 500, match: "fvTenant" } });
		const query = await saveQuery({ enable_time_machine: true });
		const { body } = await runQuery(query);
		expect((await ada.api.del(`${QUERIES}${query}/`)).status).toBe(204);
		await waitUntil("its end is recorded", () => isFinished(body.id));
		expect(await waitForRun(ada.api, body.id)).toMatchObject({ status: "completed" });
		const { rows } = await t.pool.query("select 1 from snapshots where saved_query_id = $1", [query]);
		expect(rows).toEqual([]);
	});

	it("records its end once, however often the queue task is executed", async () => {
		await ada.api.put("/api/time-machine/settings/", { store_duplicates: true });
		const query = await saveQuery({ enable_time_machine: true });
		const job = await runUntilRecorded(query);
		const again = async () => {
			for (let i = 0; i < 6; i++) {
				// Nodes of the version before use the second name.
				const queueName = i % 2 === 0 ? "query_runs.record" : "background_runs.finish";
				await t.deps.store.transaction((tx) => t.deps.jobs.enqueue(tx, queueName, { jobId: job.id }));
			}
			await waitUntil("they are done", async () => {
				const { rows } = await t.pool.query(
					"select 1 from pgboss.job where name in ('query_runs.record', 'background_runs.finish') and state in ('created', 'active', 'retry')",
				);
				return rows.length === 0;
			});
		};
		await again();
		// Marks the run as not recorded: exactly one of the next tasks records it once more.
		await t.pool.query("update query_runs set finished_at = null where job_id = $1", [job.id]);
		await again();
		expect(await listLogs(query)).toHaveLength(2);
		expect(await listSnapshots(query)).toHaveLength(2);
		expect(await listAudit(query)).toHaveLength(2);
		expect((await ada.api.get(`${QUERIES}${query}/`)).body.execution_count).toBe(2);
		await ada.api.put("/api/time-machine/settings/", { store_duplicates: false });
	});

	it("records the reason if a result is too large for a snapshot", async () => {
		await ada.api.put("/api/time-machine/settings/", { max_snapshot_size_mb: 0.1 });
		const query = await saveQuery({
			enable_time_machine: true,
			flow_data: connectNodes(buildClassNode("fvRsPathAtt"), output),
		});
		await runUntilRecorded(query);
		expect(await listSnapshots(query)).toEqual([]);
		expect((await listAudit(query))[0].metadata).toMatchObject({
			success: true,
			snapshot: { reason: expect.stringContaining("limit") },
		});
		await ada.api.put("/api/time-machine/settings/", { max_snapshot_size_mb: 10 });
	});
});

describe("starting", () => {
	it("refuses queries and connections that one does not see or that are off", async () => {
		const query = await saveQuery();
		const bob = await t.user("bob", ["Editor"]);
		expect((await runQuery(query, {}, bob)).status).toBe(404);
		expect((await runQuery(UNKNOWN)).status).toBe(404);
		expect((await runQuery("nonsense")).status).toBe(404);
		const shared = await saveQuery({ is_public: true });
		expect((await runQuery(shared, {}, bob)).body).toHaveProperty("controller_connection_id");
		expect((await runQuery(query, { controller_connection_id: UNKNOWN })).body).toHaveProperty(
			"controller_connection_id",
		);
		expect((await runQuery(query, { controller_connection_id: 3 })).body).toHaveProperty("controller_connection_id");
		const off = await addConnection(ada.api, lab, { is_active: false });
		expect((await runQuery(query, { controller_connection_id: off })).status).toBe(400);
		expect((await ada.api.post(`${QUERIES}${query}/execute_background/`)).status).toBe(400);
		expect((await ada.api.get(`${QUERIES}${query}/execute_background/`)).status).toBe(405);
	});

	it("refuses an empty canvas", async () => {
		const query = await saveQuery({ flow_data: { nodes: [], edges: [] } });
		expect((await runQuery(query)).body).toHaveProperty(["flow_data.nodes"]);
	});

	it("needs the permission to run queries", async () => {
		const query = await saveQuery({ is_public: true });
		const cat = await t.user("cat");
		await t.setGroups(cat, []);
		expect((await runQuery(query, {}, cat)).status).toBe(403);
	});
});
