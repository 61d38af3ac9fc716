/**
 * The end of a run is shown once it is recorded: with the log entry, the counter and the snapshot,
 * and not before.
 */
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { QUERIES, RUNS } from "../support/canvases.ts";
import { type TestApp, type TestUser, waitUntil } from "../support/harness.ts";
import { addQuery, TASKS, useTasks } from "../support/tasks.ts";

const GROUPS = "/api/queries/group-executions/";
const tasks = useTasks();
let t: TestApp;
let ada: TestUser;
let connection: string;
beforeAll(() => {
	({ t, ada, connection } = tasks);
});

/** Ends the transaction that blocks the recording. Undefined while nothing is blocked. */
let release: (() => Promise<void>) | undefined;
afterEach(() => releaseRecording());

/** Blocks every transaction that records an end, until `releaseRecording` is called. */
async function holdRecording(): Promise<void> {
	const client = await t.pool.connect();
	await client.query("begin");
	await client.query("lock table execution_logs in share mode");
	release = async () => {
		await client.query("rollback");
		client.release();
	};
}

async function releaseRecording(): Promise<void> {
	const pending = release;
	release = undefined;
	await pending?.();
}

/** Cloned databases of tests have equal table OIDs, and pg_locks covers the whole cluster. */
const BLOCKED = `from pg_locks where relation = 'execution_logs'::regclass and not granted
	and database = (select oid from pg_database where datname = current_database())`;
const isBlocked = async () => (await t.pool.query(`select 1 ${BLOCKED}`)).rowCount;
const terminateBlocked = () => t.pool.query(`select pg_terminate_backend(pid) ${BLOCKED}`);

const findRun = async (id: string) => (await ada.api.get(`${RUNS}${id}/`)).body;
const listSnapshots = async (query: string) =>
	(await ada.api.get(`/api/time-machine/snapshots/?saved_query_id=${query}`)).body.snapshots;
const hasEnded = async (id: string) =>
	(await t.pool.query("select 1 from pipeline_jobs where id = $1 and completed_at is not null", [id])).rowCount;
const countRuns = async (status: string, query: string) =>
	(await ada.api.get(`${RUNS}?status=${status}&saved_query_id=${query}`)).body.count;

async function startInBackground(query: string): Promise<string> {
	const body = { controller_connection_id: connection };
	const answer = await ada.api.post(`${QUERIES}${query}/execute_background/`, body);
	expect(answer.status, answer.text).toBe(202);
	return answer.body.id;
}

describe("a run that has all its rows while its end cannot be recorded", () => {
	it("is running with its last stage done, and has its snapshot as soon as it is completed", async () => {
		const query = await addQuery(ada.api, { enable_time_machine: true });
		await holdRecording();
		const id = await startInBackground(query);
		const socket = await ada.api.open(`/ws/chain-execution/${id}/`);
		await waitUntil("the end is being recorded", isBlocked);
		expect(await hasEnded(id)).toBe(1);
		expect(await findRun(id)).toMatchObject({
			status: "running",
			completed_stages: 1,
			progress_percentage: 99,
			completed_at: null,
			execution_time_ms: null,
			total_rows: null,
			snapshot_id: null,
		});
		expect([await countRuns("running", query), await countRuns("completed", query)]).toEqual([1, 0]);
		await waitUntil("the last stage is shown", () => socket.frames.some(({ type }) => type === "node_complete"));
		expect(socket.frames.map(({ type }) => type)).not.toContain("execution_complete");
		const cancelled = await ada.api.post(`${RUNS}${id}/cancel/`);
		expect([cancelled.status, cancelled.text]).toEqual([400, expect.stringContaining("its end is being recorded")]);
		await releaseRecording();
		await waitUntil("the last frame is sent", () => socket.frames.some(({ type }) => type === "execution_complete"));
		const [snapshot] = await listSnapshots(query);
		expect(await findRun(id)).toMatchObject({
			status: "completed",
			total_rows: snapshot.result_count,
			snapshot_id: snapshot.id,
		});
		expect((await ada.api.get(`${QUERIES}${query}/`)).body.execution_count).toBe(1);
		expect((await ada.api.get(`/api/queries/execution-logs/?query=${query}`)).body.count).toBe(1);
		expect([await countRuns("running", query), await countRuns("completed", query)]).toEqual([0, 1]);
		expect(socket.frames.filter(({ type }) => type === "execution_complete")).toHaveLength(1);
		socket.close();
	});

	it("is recorded once where the connection that records the end is lost", async () => {
		const query = await addQuery(ada.api, { enable_time_machine: true });
		await holdRecording();
		const id = await startInBackground(query);
		await waitUntil("the end is being recorded", isBlocked);
		await terminateBlocked();
		expect(await findRun(id)).toMatchObject({ status: "running" });
		await releaseRecording();
		await waitUntil("the run is completed", async () => (await findRun(id)).status === "completed");
		expect(await listSnapshots(query)).toHaveLength(1);
		expect((await ada.api.get(`/api/queries/execution-logs/?query=${query}`)).body.count).toBe(1);
	});

	it("keeps the group execution running until the end of its last run is recorded", async () => {
		const query = await addQuery(ada.api, { enable_time_machine: true });
		await holdRecording();
		const started = await ada.api.post(GROUPS, { saved_query_id: query, connection_ids: [connection] });
		expect(started.status, started.text).toBe(201);
		const { id } = started.body;
		const socket = await ada.api.open(`/ws/group-execution/${id}/`);
		await waitUntil("the end is being recorded", isBlocked);
		const group = async () => (await ada.api.get(`${GROUPS}${id}/`)).body;
		expect(await group()).toMatchObject({
			status: "running",
			completed_at: null,
			runs: [{ status: "running", total_rows: null }],
		});
		await releaseRecording();
		await waitUntil("the last frame is sent", () => socket.frames.some(({ type }) => type === "group_complete"));
		expect(await listSnapshots(query)).toHaveLength(1);
		expect(await group()).toMatchObject({ status: "completed", runs: [{ status: "completed" }] });
		socket.close();
	});

	it("keeps the execution of a scheduled task running", async () => {
		const query = await addQuery(ada.api, { enable_time_machine: true });
		await holdRecording();
		const task = await tasks.add(ada.api, { saved_query: query });
		await ada.api.post(`${TASKS}${task.id}/execute_now/`);
		await waitUntil("the end is being recorded", isBlocked);
		const [open] = await tasks.listExecutions(task.id);
		expect(open).toMatchObject({ status: "running", snapshot_id: null });
		expect(await findRun(open.pipeline_job_id)).toMatchObject({ status: "running" });
		await releaseRecording();
		const [execution] = await tasks.ended(task.id, 1);
		expect(execution).toMatchObject({ status: "success", snapshot_id: (await listSnapshots(query))[0].id });
		expect(await findRun(open.pipeline_job_id)).toMatchObject({ status: "completed" });
		await ada.api.del(`${TASKS}${task.id}/`);
	});
});
