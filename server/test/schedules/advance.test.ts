/** Schedules before they are saved, and the calendar of what will run. */
import { beforeAll, describe, expect, it } from "vitest";
import type { TestApp, TestUser } from "../support/harness.ts";
import { addQuery, DAY, TASKS, useTasks } from "../support/tasks.ts";

const tasks = useTasks();
const { add, addConnection } = tasks;
let t: TestApp;
let ada: TestUser;
beforeAll(() => {
	({ t, ada } = tasks);
});

describe("a schedule in advance", () => {
	const preview = (body: object) => ada.api.post(`${TASKS}preview/`, body);

	it("is told in words, with the five runs that making it would give", async () => {
		const asked = { frequency: "daily", time_of_day: "06:30", timezone: "Europe/Paris" };
		const { status, body } = await preview(asked);
		expect(status).toBe(200);
		expect(body.description).toBe("Daily at 06:30 (Europe/Paris)");
		expect(body.runs).toHaveLength(5);
		const made = await add(ada.api, asked);
		expect(body.runs[0]).toBe(made.next_run_at);
		expect(body.description).toBe(made.schedule_description);
		await ada.api.del(`${TASKS}${made.id}/`);
		const at = new Date(t.clock.now() + DAY).toISOString();
		expect((await preview({ frequency: "once", scheduled_datetime: at })).body.runs).toEqual([at]);
	});

	it("is refused by field as making it would be", async () => {
		expect((await preview({ frequency: "weekly", time_of_day: "06:30" })).body).toHaveProperty("day_of_week");
		expect((await preview({ frequency: "hourly", minute_of_hour: 60 })).body).toHaveProperty("minute_of_hour");
		expect((await preview({ frequency: "never" })).body).toHaveProperty("frequency");
		const past = new Date(t.clock.now() - DAY).toISOString();
		expect((await preview({ frequency: "once", scheduled_datetime: past })).body).toHaveProperty("scheduled_datetime");
	});

	it("is a calendar of all that will run, for those who see the tasks", async () => {
		const petra = await t.user("petra");
		const [own, fabric] = [await addQuery(petra.api), await addConnection(petra.api)];
		const mine = { saved_query: own, controller_connection_ids: [fabric], timezone: "UTC" };
		const often = await add(petra.api, { ...mine, minute_of_hour: 5 });
		const daily = await add(petra.api, { ...mine, frequency: "daily", time_of_day: "03:00" });
		const paused = await add(petra.api, mine);
		await petra.api.post(`${TASKS}${paused.id}/pause/`);
		const { body } = await petra.api.get(`${TASKS}calendar/`);
		expect(Date.parse(body.until) - Date.parse(body.from)).toBe(7 * DAY);
		expect(body.has_more).toBe(false);
		const runs = Object.fromEntries(body.tasks.map((task: { id: string; runs: string[] }) => [task.id, task.runs]));
		expect(Object.keys(runs).sort()).toEqual([often.id, daily.id].sort());
		expect(runs[often.id]).toHaveLength(7 * 24);
		expect(runs[daily.id]).toHaveLength(7);
		expect(runs[daily.id][0]).toBe(daily.next_run_at);
		expect((await petra.api.get(`${TASKS}calendar/?days=1`)).body.tasks[0].runs.length).toBeLessThanOrEqual(24);
		expect((await petra.api.get(`${TASKS}calendar/?days=0`)).status).toBe(400);
		const quinn = await t.user("quinn");
		expect((await quinn.api.get(`${TASKS}calendar/`)).body.tasks).toEqual([]);
		await t.pool.query("delete from scheduled_tasks where owner_id = $1", [petra.id]);
	});
});
