/** Runs of scheduled tasks, against the simulated controller and on a clock that the tests move. */
import type { RunningController } from "@weft/lab";
import { beforeAll, describe, expect, it } from "vitest";
import { type TestApp, type TestUser, waitUntil } from "../support/harness.ts";
import { findAudit, setRights } from "../support/rights.ts";
import { addQuery, DAY, HOUR, MINUTE, TASKS, useTasks } from "../support/tasks.ts";

const EXECUTIONS = "/api/queries/scheduled-executions/";
const tasks = useTasks();
const {
	add,
	addConnection,
	ended,
	listExecutions,
	finished,
	hourly,
	getNotifications,
	notified,
	runDue,
	getTask,
	tickUntil,
} = tasks;
let t: TestApp;
let lab: RunningController;
let ada: TestUser;
let bob: TestUser;
let query: string;
let connection: string;
beforeAll(async () => {
	({ t, lab, ada, query, connection } = tasks);
	bob = await t.user("bob");
});

describe("a run", () => {
	it("at its time: executions, counters, log, audit entry, notification, next run", async () => {
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

describe("a run that fails", () => {
	it("says so when the query, the connection, the owner or a right is gone; the task stays", async () => {
		const dora = await t.user("dora", ["Editor"]);
		const [own, fabric, other] = [
			await addQuery(dora.api),
			await addConnection(dora.api),
			await addConnection(dora.api),
		];
		const made = await add(dora.api, {
			saved_query: own,
			controller_connection_ids: [fabric, other],
			retry_enabled: true,
		});
		let count = 0;
		const next = async () => {
			await t.admin.api.post(`${TASKS}${made.id}/execute_now/`);
			count += 2;
			const [first, second] = await ended(made.id, count);
			return [first, second].map(({ error_type, status, error_message }) => ({ error_type, status, error_message }));
		};

		await dora.api.patch(`/api/controller/connections/${other}/`, { is_active: false });
		await dora.api.del(`/api/controller/connections/${fabric}/`);
		const [one, two] = await next();
		expect(one).toMatchObject({ status: "failed", error_type: "connection" });
		const messages = [one, two].map((execution) => execution?.error_message).join("\n");
		expect(messages).toMatch(/The controller connection "Fabric \d+" is not active/);
		expect(messages).toMatch(/The controller connection "Fabric \d+" was deleted/);
		// Nothing that was retried is left to run while the next ones are tried.
		await dora.api.patch(`${TASKS}${made.id}/`, { retry_enabled: false });
		await dora.api.patch(`/api/controller/connections/${other}/`, { is_active: true });

		const foreign = await addConnection(ada.api, { is_public: true });
		await dora.api.patch(`${TASKS}${made.id}/`, { controller_connection_ids: [other, foreign] });
		await ada.api.patch(`/api/controller/connections/${foreign}/`, { is_public: false });
		expect((await next()).map(({ status }) => status).sort()).toEqual(["failed", "success"]);

		await dora.api.del(`/api/queries/saved-queries/${own}/`);
		expect(await next()).toMatchObject([
			{ status: "failed", error_type: "query", error_message: expect.stringContaining("deleted") },
			{ status: "failed", error_type: "query" },
		]);

		await setRights(t, dora, {});
		expect(await next()).toMatchObject([
			{ error_type: "owner", error_message: expect.stringContaining("may not run") },
			{},
		]);

		await t.admin.api.patch(`/api/auth/management/${dora.id}/`, { is_active: false });
		expect(await next()).toMatchObject([
			{ error_type: "owner", error_message: expect.stringContaining("not active") },
			{},
		]);
		expect(await getTask(made.id, t.admin.api)).toMatchObject({ status: "active", last_run_status: "failed" });
		await t.admin.api.del(`${TASKS}${made.id}/`);
	});

	it("is not started beyond the owner's quota; nor are tasks made beyond it", async () => {
		const { body: group } = await t.admin.api.post("/api/auth/groups/", { name: "Limited", permission_ids: [] });
		const quota = (fields: Record<string, unknown>) =>
			t.admin.api.put(`/api/auth/groups/${group.id}/quota/`, {
				queries_max: 0,
				scheduled_tasks_max: 1,
				connections_max: 0,
				executions_daily: 1,
				...fields,
			});
		expect((await quota({})).status).toBe(200);
		const eve = await t.user("eve", ["Limited"]);
		const own = { saved_query: await addQuery(eve.api), controller_connection_ids: [await addConnection(eve.api)] };
		const made = await add(eve.api, own);
		const more = await eve.api.post(TASKS, hourly(own));
		expect([more.status, more.body.quota]).toEqual([403, "scheduled_tasks_max"]);
		expect((await eve.api.post(`${TASKS}${made.id}/clone/`)).status).toBe(403);
		for (let run = 1; run <= 2; run++) {
			await eve.api.post(`${TASKS}${made.id}/execute_now/`);
			await ended(made.id, run);
		}
		const [second, first] = await listExecutions(made.id);
		expect([first.status, second.status, second.error_type]).toEqual(["success", "failed", "quota"]);
		await quota({ can_schedule: false, executions_daily: 0 });
		await eve.api.post(`${TASKS}${made.id}/execute_now/`);
		expect((await ended(made.id, 3))[0]).toMatchObject({ status: "failed", error_type: "quota" });
		await t.admin.api.del(`${TASKS}${made.id}/`);
	});

	it("of a query that cannot be run says why", async () => {
		const empty = await addQuery(ada.api, { flow_data: { nodes: [], edges: [] } });
		const made = await add(ada.api, { saved_query: empty });
		await ada.api.post(`${TASKS}${made.id}/execute_now/`);
		const [execution] = await ended(made.id, 1);
		expect(execution).toMatchObject({ status: "failed", error_type: "invalid_query" });
		expect(execution.error_message).toMatch(/^The query cannot be run: flow_data/);
		await ada.api.del(`${TASKS}${made.id}/`);
	});

	it("is tried again for the failed connections only, so often and so far apart as the task says", async () => {
		const broken = await addConnection(ada.api, { password: "wrong" });
		const ids = [connection, broken];
		const retries = { retry_enabled: true, retry_count: 2, retry_interval_minutes: 10 };
		const made = await add(ada.api, { controller_connection_ids: ids, ...retries });
		const first = await runDue(made.id, 2);
		expect(first.map(({ status }: { status: string }) => status).sort()).toEqual(["failed", "success"]);
		expect((await getTask(made.id)).last_run_status).toBeNull();
		expect(await getNotifications(made.id)).toEqual([]);

		await t.clock.advance(9 * MINUTE);
		expect(await listExecutions(made.id)).toHaveLength(2);
		await tickUntil("it is tried again", async () => (await listExecutions(made.id)).length === 3);
		const [second] = await ended(made.id, 3);
		expect(second).toMatchObject({
			controller_connection_id: broken,
			retry_attempt: 1,
			is_retry: true,
			status: "failed",
		});
		expect(second.error_type).toBe("run");

		await ada.api.patch(`/api/controller/connections/${broken}/`, { password: lab.password });
		await t.clock.advance(9 * MINUTE);
		await tickUntil("it is tried again", async () => (await listExecutions(made.id)).length === 4);
		const [third] = await ended(made.id, 4);
		expect(third).toMatchObject({ controller_connection_id: broken, retry_attempt: 2, status: "success" });
		expect(await finished(made.id)).toBe("success");
		expect(await getTask(made.id)).toMatchObject({
			execution_count: 4,
			success_count: 2,
			failure_count: 2,
			success_rate: 50,
		});
		const [notification, ...more] = await notified(made.id);
		expect([notification.severity, more]).toEqual(["info", []]);
		await ada.api.del(`${TASKS}${made.id}/`);
	});

	it("is a warning when some connections succeeded; pausing gives up its retries", async () => {
		const broken = await addConnection(ada.api, { password: "wrong" });
		const made = await add(ada.api, { controller_connection_ids: [connection, broken], retry_enabled: true });
		await ada.api.post(`${TASKS}${made.id}/execute_now/`);
		await ended(made.id, 2);
		await waitUntil("the run waits", async () => {
			const { rows } = await t.pool.query("select state from scheduled_runs where task_id = $1", [made.id]);
			return rows[0]?.state === "waiting";
		});
		await ada.api.post(`${TASKS}${made.id}/pause/`);
		expect(await finished(made.id)).toBe("partial");
		const [notification] = await notified(made.id);
		expect(notification.severity).toBe("warning");
		expect(notification.body).toMatch(/Fabric \d+: \d+ objects?\nFabric \d+: /);
		await t.clock.advance(HOUR);
		expect(await listExecutions(made.id)).toHaveLength(2);
		await ada.api.del(`${TASKS}${made.id}/`);
	});

	it("is neither a success nor a failure when somebody cancelled it", async () => {
		const made = await add(ada.api);
		await ada.api.post(`${TASKS}${made.id}/execute_now/`);
		await ended(made.id, 1);
		lab.setFaults({ hang: { match: "fvTenant" } });
		await ada.api.post(`${TASKS}${made.id}/execute_now/`);
		const running = await waitUntil("it runs", async () => {
			const [newest] = await listExecutions(made.id);
			return newest.status === "running" ? newest : null;
		});
		await ada.api.post(`/api/queries/pipeline-executions/${running.pipeline_job_id}/cancel/`);
		const [execution] = await ended(made.id, 2);
		lab.clearFaults();
		expect(execution.status).toBe("cancelled");
		expect(await getTask(made.id)).toMatchObject({ success_count: 1, failure_count: 0 });
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
