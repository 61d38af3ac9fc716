/** Runs of scheduled tasks that fail: reasons, quotas, retries and cancellation. */
import type { RunningController } from "@weft/lab";
import { beforeAll, describe, expect, it } from "vitest";
import { type TestApp, type TestUser, waitUntil } from "../support/harness.ts";
import { setRights } from "../support/rights.ts";
import { addQuery, HOUR, MINUTE, TASKS, useTasks } from "../support/tasks.ts";

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
let connection: string;
beforeAll(() => {
	({ t, lab, ada, connection } = tasks);
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

	it("is neither a success nor a failure when it was cancelled", async () => {
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
