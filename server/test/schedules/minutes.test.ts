/** Schedules of every few minutes: times, notifications, and firings that are skipped. */
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import type { TestApp, TestUser } from "../support/harness.ts";
import { DAY, MINUTE, TASKS, useTasks } from "../support/tasks.ts";

const tasks = useTasks();
const { add, ended, finished, getNotifications, getTask, hourly, runDue, tickUntil } = tasks;
const often = { frequency: "minutes", interval_minutes: 15, minute_of_hour: null };
let t: TestApp;
let ada: TestUser;
let connection: string;
beforeAll(() => {
	({ t, ada, connection } = tasks);
});

describe("a schedule of every few minutes", () => {
	it("stands on the clock, and says so in words", async () => {
		const made = await add(ada.api, often);
		expect(made).toMatchObject({ ...often, minute_of_hour: 0, skipped_count: 0, status: "active" });
		expect(made.schedule_description).toBe("Every 15 minutes (UTC)");
		expect(Date.parse(made.next_run_at) % (15 * MINUTE)).toBe(0);
		const { body } = await ada.api.patch(`${TASKS}${made.id}/`, { interval_minutes: 5 });
		expect(Date.parse(body.next_run_at) - t.clock.now()).toBeLessThanOrEqual(5 * MINUTE);
		expect((await ada.api.get(`${TASKS}?frequency=minutes`)).body.results).toEqual([body]);
		await ada.api.del(`${TASKS}${made.id}/`);
	});

	it.each<[Record<string, unknown>, string]>([
		[{ interval_minutes: null }, "A task that runs every few minutes needs this field."],
		[{ interval_minutes: 7 }, "Must be one of: 5, 10, 15, 20, 30."],
		[{ interval_minutes: 0 }, "Must be one of: 5, 10, 15, 20, 30."],
		[{ interval_minutes: "15" }, "Must be one of: 5, 10, 15, 20, 30."],
	])("refuses %j", async (fields, message) => {
		const { status, body } = await ada.api.post(TASKS, hourly({ ...often, ...fields }));
		expect([status, body]).toEqual([400, { interval_minutes: [message] }]);
	});

	it("lists its runs of a week in the calendar, and says when there are more", async () => {
		const made = await add(ada.api, { ...often, interval_minutes: 5 });
		const read = async (days: number) => {
			const { body } = await ada.api.get(`${TASKS}calendar/?days=${days}`);
			return body.tasks.find(({ id }: { id: string }) => id === made.id);
		};
		const week = await read(7);
		expect([week.runs.length, week.has_more_runs]).toEqual([(7 * DAY) / (5 * MINUTE), false]);
		const month = await read(31);
		expect([month.runs.length < (31 * DAY) / (5 * MINUTE), month.has_more_runs]).toEqual([true, true]);
		await ada.api.del(`${TASKS}${made.id}/`);
	});
});

describe("a firing", () => {
	it("skips and counts a firing while the run before still runs, and fires again after its end", async () => {
		const made = await add(ada.api, often);
		const run = randomUUID();
		const execution = randomUUID();
		const at = new Date(t.clock.now());
		await t.pool.query("insert into scheduled_runs (id, task_id, state, created_at) values ($1, $2, 'running', $3)", [
			run,
			made.id,
			at,
		]);
		// It is seen to run a day later, so that it is not taken for one that was lost.
		await t.pool.query(
			`insert into scheduled_executions (id, run_id, task_id, connection_id, connection_name, retry_attempt, status,
				created_at, watched_at) values ($1, $2, $3, $4, '', 0, 'running', $5, $6)`,
			[execution, run, made.id, connection, at, new Date(t.clock.now() + DAY)],
		);
		await t.clock.advance(Date.parse(made.next_run_at) - t.clock.now());
		await tickUntil("the firing is skipped", async () => (await getTask(made.id)).skipped_count === 1);
		const skipped = await getTask(made.id);
		expect(skipped).toMatchObject({ execution_count: 0, last_run_at: null, status: "active" });
		expect(Date.parse(skipped.next_run_at) - Date.parse(made.next_run_at)).toBe(15 * MINUTE);
		await t.pool.query("update scheduled_executions set status = 'cancelled', completed_at = $2 where id = $1", [
			execution,
			at,
		]);
		await t.pool.query("update scheduled_runs set state = 'finished', finished_at = $2 where id = $1", [run, at]);
		await runDue(made.id, 2);
		expect(await getTask(made.id)).toMatchObject({ execution_count: 1, success_count: 1, skipped_count: 1 });
		await ada.api.del(`${TASKS}${made.id}/`);
	});

	it("starts a firing of an hourly schedule beside a run that still runs", async () => {
		const made = await add(ada.api);
		await t.pool.query("insert into scheduled_runs (id, task_id, state, created_at) values ($1, $2, 'running', $3)", [
			randomUUID(),
			made.id,
			new Date(t.clock.now()),
		]);
		await runDue(made.id, 1);
		expect(await getTask(made.id)).toMatchObject({ execution_count: 1, skipped_count: 0 });
		await ada.api.del(`${TASKS}${made.id}/`);
	});

	it("sends nothing about a run that ends like the one before", async () => {
		const made = await add(ada.api, often);
		await runDue(made.id, 1);
		expect(await finished(made.id)).toBe("success");
		await runDue(made.id, 2);
		expect(await ended(made.id, 2)).toHaveLength(2);
		expect(await getNotifications(made.id)).toEqual([]);
		await ada.api.del(`${TASKS}${made.id}/`);
	});
});
