/** Runs of scheduled tasks, against the simulated controller and on a clock that the tests move. */

import { beforeAll, describe, expect, it } from "vitest";
import { type TestApp, type TestUser, waitUntil } from "../support/harness.ts";
import { findAudit } from "../support/rights.ts";
import { DAY, HOUR, MINUTE, TASKS, useTasks } from "../support/tasks.ts";

const EXECUTIONS = "/api/queries/scheduled-executions/";
const tasks = useTasks();
const { add, addConnection, ended, listExecutions, finished, notified, runDue, getTask, tickUntil } = tasks;
let t: TestApp;
let ada: TestUser;
let query: string;
let connection: string;
let bob: TestUser;
beforeAll(async () => {
	({ t, ada, query, connection } = tasks);
	bob = await t.user("bob");
});

describe("a run", () => {
	it("writes executions, counters, log, audit entry and notification at its time, and the next run", async () => {
		const made = await add(ada.api);
		const [execution] = await runDue(made.id, 1);
		expect(execution).toMatchObject({
			scheduled_task: made.id,
			task_name: made.name,
			controller_connection_id: connection,
			controller_connection_name: expect.stringMatching(/^Fabric/),
			status: "success",
			error_type: null,
			error_message: null,
			retry_attempt: 0,
			is_retry: false,
			snapshot_id: null,
			pipeline_job_id: expect.any(String),
		});
		expect(execution.result_count).toBeGreaterThan(0);
		expect(await finished(made.id)).toBe("success");
		const task = await getTask(made.id);
		expect(task).toMatchObject({ execution_count: 1, success_count: 1, failure_count: 0, success_rate: 100 });
		expect(Date.parse(task.next_run_at) - Date.parse(made.next_run_at)).toBe(HOUR);
		expect(Date.parse(task.last_run_at)).toBeGreaterThanOrEqual(Date.parse(made.next_run_at));
		expect((await ada.api.get(`/api/queries/pipeline-executions/${execution.pipeline_job_id}/`)).body.status).toBe(
			"completed",
		);
		const logs = await ada.api.get("/api/queries/execution-logs/");
		expect(logs.body.results[0]).toMatchObject({ query, executed_by: "ada", success: true });
		const entries = (await findAudit(t, query)).filter(({ action }) => action === "query_run");
		expect(entries.at(-1)).toMatchObject({ category: "query_execution", username: "ada", target_type: "saved_query" });
		const [notification] = await notified(made.id);
		expect(notification).toMatchObject({ user_id: ada.id, category: "scheduled_task", severity: "info" });
		for (const filter of [`task_id=${made.id}`, `task_id=${made.id}&status=success&connection_id=${connection}`]) {
			expect((await ada.api.get(`${EXECUTIONS}?${filter}`)).body.results).toEqual([execution]);
		}
		expect((await ada.api.get(`${EXECUTIONS}?task_id=${made.id}&status=failed`)).body.count).toBe(0);
		expect((await ada.api.get(`${EXECUTIONS}?task_id=x`)).status).toBe(400);
		expect((await bob.api.get(`${EXECUTIONS}?task_id=${made.id}`)).body.count).toBe(0);
		await ada.api.del(`${TASKS}${made.id}/`);
	});

	it("that is asked for runs at once, also while the task is paused, and leaves the schedule alone", async () => {
		const made = await add(ada.api);
		await ada.api.post(`${TASKS}${made.id}/pause/`);
		const { status, body } = await ada.api.post(`${TASKS}${made.id}/execute_now/`);
		expect(status).toBe(202);
		expect(body).toEqual({ message: expect.any(String), executions: [expect.any(String)] });
		const [execution] = await ended(made.id, 1);
		expect(execution).toMatchObject({ id: body.executions[0], status: "success" });
		expect(await getTask(made.id)).toMatchObject({ status: "paused", next_run_at: null, execution_count: 1 });
		await ada.api.del(`${TASKS}${made.id}/`);
	});

	it("of a task that runs once leaves it disabled; it runs again only with a new time", async () => {
		const at = new Date(t.clock.now() + 10 * MINUTE).toISOString();
		const made = await add(ada.api, { frequency: "once", scheduled_datetime: at });
		expect(made.next_run_at).toBe(at);
		await runDue(made.id, 1);
		expect(await getTask(made.id)).toMatchObject({ status: "disabled", next_run_at: null });
		expect(Object.keys((await ada.api.post(`${TASKS}${made.id}/resume/`)).body)).toEqual(["scheduled_datetime"]);
		const later = new Date(t.clock.now() + HOUR).toISOString();
		await ada.api.patch(`${TASKS}${made.id}/`, { scheduled_datetime: later });
		expect((await ada.api.post(`${TASKS}${made.id}/resume/`)).status).toBe(200);
		expect((await getTask(made.id)).next_run_at).toBe(later);
		await ada.api.del(`${TASKS}${made.id}/`);
	});

	it("that was missed many times over is made up for once", async () => {
		const made = await add(ada.api);
		// As if nobody had looked for a day: the instant that waits is one of long ago.
		const missed = new Date(t.clock.now() - DAY);
		await t.pool.query("update scheduled_tasks set next_run_at = $2 where id = $1", [made.id, missed]);
		await t.clock.advance(3_000);
		await ended(made.id, 1);
		const task = await getTask(made.id);
		expect(task.execution_count).toBe(1);
		expect(Date.parse(task.next_run_at)).toBeGreaterThan(t.clock.now());
		expect(Date.parse(task.next_run_at)).toBeLessThanOrEqual(t.clock.now() + HOUR);
		await ada.api.del(`${TASKS}${made.id}/`);
	});

	it("never happens twice for one instant, whatever the next run is set to", async () => {
		const made = await add(ada.api);
		const instant = made.next_run_at;
		await runDue(made.id, 1);
		await t.pool.query("update scheduled_tasks set next_run_at = $2 where id = $1", [made.id, instant]);
		await t.clock.advance(3_000);
		await waitUntil("the task has moved on", async () => (await getTask(made.id)).next_run_at !== instant);
		expect(await listExecutions(made.id)).toHaveLength(1);
		expect((await getTask(made.id)).execution_count).toBe(1);
		await ada.api.del(`${TASKS}${made.id}/`);
	});
});

describe("a task that names a group", () => {
	const GROUPS = "/api/controller/connection-groups/";

	it("runs on the members as they are at each firing, the named connections first", async () => {
		const [east, west] = [await addConnection(ada.api), await addConnection(ada.api)];
		const foreign = await addConnection(bob.api);
		const group = await t.admin.api.post(GROUPS, {
			name: "sites",
			connection_ids: [connection, east, foreign],
			is_public: true,
		});
		const made = await add(ada.api, { connection_group: group.body.id });
		expect(made).toMatchObject({ connection_group: group.body.id, connection_group_name: "sites" });
		const ran = async (count: number) => {
			const all = await ended(made.id, count);
			return new Set(all.map((one: { controller_connection_id: string }) => one.controller_connection_id));
		};
		await ada.api.post(`${TASKS}${made.id}/execute_now/`);
		expect(await ran(2)).toEqual(new Set([connection, east]));
		await t.admin.api.patch(`${GROUPS}${group.body.id}/`, { connection_ids: [east, west] });
		await ada.api.post(`${TASKS}${made.id}/execute_now/`);
		expect(await ran(5)).toEqual(new Set([connection, east, west]));
		await ada.api.del(`${TASKS}${made.id}/`);
	});

	it("needs no connection of its own, and fails by name once the group is gone", async () => {
		const group = await ada.api.post(GROUPS, { name: "short-lived", connection_ids: [connection] });
		const made = await add(ada.api, { controller_connection_ids: [], connection_group: group.body.id });
		await ada.api.post(`${TASKS}${made.id}/execute_now/`);
		expect(await ended(made.id, 1)).toMatchObject([{ status: "success", controller_connection_id: connection }]);
		await ada.api.del(`${GROUPS}${group.body.id}/`);
		await ada.api.post(`${TASKS}${made.id}/execute_now/`);
		const [failed] = await ended(made.id, 2);
		expect(failed).toMatchObject({
			status: "failed",
			error_type: "connection",
			error_message: expect.stringContaining('The connection group "short-lived" was deleted'),
		});
		const patch = (fields: object) => ada.api.patch(`${TASKS}${made.id}/`, fields);
		expect((await patch({ connection_group: null })).body).toHaveProperty("controller_connection_ids");
		expect((await patch({ connection_group: made.id })).body).toHaveProperty("connection_group");
		const mended = await patch({ connection_group: null, controller_connection_ids: [connection] });
		expect(mended.body).toMatchObject({ connection_group: null, connection_group_name: null });
		await ada.api.del(`${TASKS}${made.id}/`);
	});
});

describe("in the long run", () => {
	it("executions that are older than the task keeps them are removed; counters stay", async () => {
		const made = await add(ada.api, { log_retention_days: 2 });
		const kept = await add(ada.api, { log_retention_days: 30 });
		for (const { id } of [made, kept]) {
			await ada.api.post(`${TASKS}${id}/execute_now/`);
			await ada.api.post(`${TASKS}${id}/pause/`);
			await ended(id, 1);
		}
		const age = (by: string) =>
			t.pool.query("update scheduled_runs set created_at = created_at - $2::interval where task_id = any($1)", [
				[made.id, kept.id],
				by,
			]);
		await age("40 hours");
		await t.clock.advance(HOUR);
		expect(await listExecutions(made.id)).toHaveLength(1);
		await age("8 hours");
		await t.clock.advance(HOUR);
		await waitUntil("old executions are gone", async () => (await listExecutions(made.id)).length === 0);
		expect(await listExecutions(kept.id)).toHaveLength(1);
		expect(await getTask(made.id)).toMatchObject({ execution_count: 1, success_count: 1 });
		for (const { id } of [made, kept]) await ada.api.del(`${TASKS}${id}/`);
	});

	async function withoutItsTask(watchedAt: Date) {
		const made = await add(ada.api);
		await ada.api.post(`${TASKS}${made.id}/pause/`);
		const [run, execution] = [t.deps.ids.uuid(), t.deps.ids.uuid()];
		await t.pool.query("insert into scheduled_runs (id, task_id, state, created_at) values ($1, $2, 'running', $3)", [
			run,
			made.id,
			watchedAt,
		]);
		await t.pool.query(
			`insert into scheduled_executions (id, run_id, task_id, connection_id, connection_name, retry_attempt, created_at, watched_at)
			values ($1, $2, $3, $4, '', 0, $5, $5)`,
			[execution, run, made.id, connection, watchedAt],
		);
		return made;
	}

	it("an execution whose background job was lost is started all the same", async () => {
		const made = await withoutItsTask(new Date(t.clock.now()));
		await t.clock.advance(5 * MINUTE);
		expect((await listExecutions(made.id))[0].status).toBe("pending");
		await t.clock.advance(4 * MINUTE);
		await tickUntil("it is started", async () => (await listExecutions(made.id))[0].status !== "pending");
		expect((await ended(made.id, 1))[0].status).toBe("success");
		await ada.api.del(`${TASKS}${made.id}/`);
	});

	it("an execution that was made by a clock an hour ahead, and whose background job was lost, is started", async () => {
		const made = await withoutItsTask(new Date(t.clock.now() + HOUR));
		await t.clock.advance(2 * MINUTE);
		expect((await ended(made.id, 1))[0].status).toBe("success");
		await ada.api.del(`${TASKS}${made.id}/`);
	});
});
