/**
 * The end of a run of a saved query, whatever started it: recorded once, with its snapshot, and
 * found again where it was lost.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { QUERIES } from "../support/canvases.ts";
import { refuseWrites } from "../support/failing-store.ts";
import { type TestApp, type TestUser, waitUntil } from "../support/harness.ts";
import { addQuery, MINUTE, TASKS, useTasks } from "../support/tasks.ts";

const tasks = useTasks();
let t: TestApp;
let ada: TestUser;
let connection: string;
beforeAll(() => {
	({ t, ada, connection } = tasks);
});

const INTERNAL = "The result could not be captured because of an internal error.";
const createQuery = () => addQuery(ada.api, { enable_time_machine: true });

async function startInBackground(query: string): Promise<string> {
	const { status, body, text } = await ada.api.post(`${QUERIES}${query}/execute_background/`, {
		controller_connection_id: connection,
	});
	expect(status, text).toBe(202);
	return body.id;
}
/** Waits for the end of the run itself; the record of the end may be missing still. */
const waitForCompletion = (run: string) =>
	waitUntil("the run has completed", async () => {
		const { rows } = await t.pool.query("select status from pipeline_jobs where id = $1", [run]);
		return rows[0]?.status === "completed";
	});

/** What the end of one or more runs of a query has left behind. */
async function readRecord(query: string) {
	const logs = (await ada.api.get(`/api/queries/execution-logs/?query=${query}`)).body.results;
	const { snapshots } = (await ada.api.get(`/api/time-machine/snapshots/?saved_query_id=${query}`)).body;
	const audit = await t.admin.api.get("/api/audit/logs/?action=query_run&page_size=100");
	const entries = audit.body.results.filter((entry: { target_id: string }) => entry.target_id === query);
	const { execution_count } = (await ada.api.get(`${QUERIES}${query}/`)).body;
	return { logs: logs.length, snapshots: snapshots.length, entries: entries.length, counter: execution_count };
}
const waitForRecord = (query: string, count = 1) =>
	waitUntil("the end is recorded", async () => (await readRecord(query)).logs === count);
const ONCE = { logs: 1, snapshots: 1, entries: 1, counter: 1 };

describe("the end of a run", () => {
	it("is stored together with the snapshot, and a failure between them costs neither", async () => {
		const query = await createQuery();
		const failures = await refuseWrites(t.pool, { table: "execution_logs", event: "insert", as: "ends_here" });
		await startInBackground(query);
		await waitUntil("the end could not be recorded", async () => (await failures.count("query_runs.record")) > 0);
		expect(await readRecord(query)).toEqual({ logs: 0, snapshots: 0, entries: 0, counter: 0 });
		await failures.stop();
		await waitForRecord(query);
		expect(await readRecord(query)).toEqual(ONCE);
	});

	it("is recorded without a snapshot after the same number of failures, whatever started the run", async () => {
		const [background, scheduled] = [await createQuery(), await createQuery()];
		const failures = await refuseWrites(t.pool, { table: "snapshots", event: "insert", as: "no_snapshots" });
		const task = await tasks.add(ada.api, { saved_query: scheduled });
		const run = await startInBackground(background);
		await ada.api.post(`${TASKS}${task.id}/execute_now/`);
		await waitForRecord(background);
		const [execution] = await tasks.ended(task.id, 1);
		await failures.stop();
		expect(execution).toMatchObject({ status: "success", error_type: "snapshot" });
		expect(execution.error_message).toBe(`No snapshot was kept. ${INTERNAL}`);
		const ids = [run, execution.pipeline_job_id];
		const { rows } = await t.pool.query("select failures from query_runs where job_id = any($1)", [ids]);
		expect(rows).toEqual([{ failures: 5 }, { failures: 5 }]);
		await ada.api.del(`${TASKS}${task.id}/`);
	}, 120_000);

	it("that was lost is found by a process that takes queue tasks", async () => {
		const query = await createQuery();
		const run = await startInBackground(query);
		await waitForCompletion(run);
		await waitForRecord(query);
		// As if its queue task had been lost.
		await t.pool.query("update query_runs set finished_at = null where job_id = $1", [run]);
		await t.clock.advance(MINUTE / 2);
		expect((await readRecord(query)).logs).toBe(1);
		await t.clock.advance(2 * MINUTE);
		await waitForRecord(query, 2);
	});

	it("that was lost is found, too, when the run ended by a clock that was an hour ahead", async () => {
		const query = await createQuery();
		const run = await startInBackground(query);
		await waitForCompletion(run);
		await waitForRecord(query);
		const ahead = new Date(t.clock.now() + 60 * MINUTE);
		await t.pool.query("update query_runs set finished_at = null where job_id = $1", [run]);
		await t.pool.query("update pipeline_jobs set completed_at = $2 where id = $1", [run, ahead]);
		await t.clock.advance(2 * MINUTE);
		await waitForRecord(query, 2);
	});
});

describe("a run that a node of the version before has started", () => {
	/** Keeps the end of runs from being recorded until it is stopped. */
	const hold = (as: string) => refuseWrites(t.pool, { table: "execution_logs", event: "insert", as });

	it("in the background is recorded once, by whichever queue name", async () => {
		const query = await createQuery();
		const held = await hold("background_held");
		const run = await startInBackground(query);
		await waitForCompletion(run);
		// That version writes its own table only.
		await t.pool.query("delete from query_runs where job_id = $1", [run]);
		await t.pool.query(
			`insert into background_runs (job_id, user_id, username, query_id, query_name, query_version, query_version_hash,
				enable_time_machine, ip_address, user_agent, request_id)
			values ($1, $2, 'ada', $3, 'Query', 'v1.0', 'hash', true, '', '', '')`,
			[run, ada.id, query],
		);
		await held.stop();
		await t.deps.store.transaction((tx) => t.deps.jobs.enqueue(tx, "background_runs.finish", { jobId: run }));
		await waitForRecord(query);
		await t.clock.advance(3 * MINUTE);
		expect(await readRecord(query)).toEqual(ONCE);
		const { rows } = await t.pool.query("select 1 from background_runs where job_id = $1 and finished_at is not null", [
			run,
		]);
		expect(rows).toHaveLength(1);
	});

	it("on schedule is recorded once, also where that node has recorded it", async () => {
		const query = await createQuery();
		const task = await tasks.add(ada.api, { saved_query: query });
		const held = await hold("schedule_held");
		await ada.api.post(`${TASKS}${task.id}/execute_now/`);
		const execution = await waitUntil("it runs", async () => {
			const [newest] = await tasks.listExecutions(task.id);
			return newest.status === "running" ? newest : null;
		});
		await waitForCompletion(execution.pipeline_job_id);
		await t.pool.query("delete from query_runs where job_id = $1", [execution.pipeline_job_id]);
		await t.pool.query("update scheduled_executions set pipeline_job_id = pipeline_job_id where id = $1", [
			execution.id,
		]);
		await held.stop();
		await t.deps.store.transaction((tx) => t.deps.jobs.enqueue(tx, "schedules.finish", { executionId: execution.id }));
		await tasks.ended(task.id, 1);
		expect(await readRecord(query)).toEqual(ONCE);
		// As if the other node had recorded it: the execution has ended, and the run is open.
		await t.pool.query("update query_runs set finished_at = null where job_id = $1", [execution.pipeline_job_id]);
		await t.clock.advance(3 * MINUTE);
		await waitUntil("the run is marked", async () => {
			const { rows } = await t.pool.query("select finished_at from query_runs where job_id = $1", [
				execution.pipeline_job_id,
			]);
			return rows[0].finished_at !== null;
		});
		expect(await readRecord(query)).toEqual(ONCE);
		await ada.api.del(`${TASKS}${task.id}/`);
	});
});
