/** Watching a check: its schedule and recipients in one transaction, and one evaluation. */
import { expect, it } from "vitest";
import { addConnection } from "../support/canvases.ts";
import { useCheckRuns } from "../support/check-runs.ts";
import { CHECKS } from "../support/checks.ts";
import { setRights } from "../support/rights.ts";
import { TASKS } from "../support/tasks.ts";

const runs = useCheckRuns();
const HOURLY = { frequency: "hourly", minute_of_hour: 7 };
const watchCheck = (id: string, body: object, { api } = runs.ada) => api.post(`${CHECKS}${id}/watch/`, body);
const listTasks = async () => (await runs.ada.api.get(TASKS)).body.results;

it("watches a check: makes the schedule, changes the recipients and evaluates it", async () => {
	const { checks, connection } = runs;
	const saved_query = await checks.query();
	const { id } = await checks.add({ saved_query, type: "no_rows", name: "Watched" });
	const { status, body, text } = await watchCheck(id, {
		schedule: HOURLY,
		controller_connection_ids: [connection],
		notify: { addresses: ["ada@example.com"], min_severity: "warning" },
	});
	expect(status, text).toBe(201);
	expect(body).toMatchObject({
		is_watched: true,
		schedules: [{ name: "Watched", frequency: "hourly" }],
		notify: { user_ids: [runs.ada.id], addresses: ["ada@example.com"], min_severity: "warning" },
	});
	const { body: task } = await runs.ada.api.get(`${TASKS}${body.schedules[0].id}/`);
	expect(task).toMatchObject({ saved_query, controller_connection_ids: [connection], minute_of_hour: 7 });
	await checks.becomes(id, connection, "failing");
});

it("watches a check where its query has run if no connection is named, and keeps its recipients", async () => {
	const { checks, other } = runs;
	const saved_query = await checks.query();
	const { id, notify } = await checks.add({ saved_query, type: "no_rows" });
	const nowhere = await watchCheck(id, { schedule: HOURLY });
	expect([nowhere.status, Object.keys(nowhere.body)]).toEqual([400, ["controller_connection_ids"]]);
	await checks.run(saved_query, other);
	const { body } = await watchCheck(id, { schedule: HOURLY });
	expect(body).toMatchObject({ is_watched: true, notify });
	const { body: task } = await runs.ada.api.get(`${TASKS}${body.schedules[0].id}/`);
	expect(task.controller_connection_ids).toEqual([other]);
});

it("changes nothing if a field of a watch is refused", async () => {
	const { checks, connection } = runs;
	const { id } = await checks.add({ saved_query: await checks.query(), type: "no_rows" });
	const before = await checks.detail(id);
	const tasks = await listTasks();
	const base = { schedule: HOURLY, controller_connection_ids: [connection], notify: { min_severity: "critical" } };
	const refusals = [
		[{ ...base, schedule: { frequency: "minutes" } }, "schedule.interval_minutes"],
		[{ ...base, notify: { addresses: ["a@elsewhere.example.org"] } }, "notify.addresses"],
		[{ ...base, controller_connection_ids: ["01890000-0000-7000-8000-000000000000"] }, "controller_connection_ids"],
		[{ controller_connection_ids: [connection] }, "schedule"],
	] as const;
	for (const [body, field] of refusals) {
		const answer = await watchCheck(id, body);
		expect([answer.status, Object.keys(answer.body)], answer.text).toEqual([400, [field]]);
	}
	expect(await checks.detail(id)).toEqual(before);
	expect(await listTasks()).toEqual(tasks);
});

it("lets users who see a check watch it, and only those who may edit it change its recipients", async () => {
	const { checks, t, lab } = runs;
	const bob = await t.user("bob-of-watch", ["Editor"]);
	const saved_query = await checks.query("fvTenant", { is_public: true });
	const hidden = await checks.add({ saved_query, type: "no_rows" });
	const shown = await checks.add({ saved_query, type: "no_rows", is_public: true });
	const own = await addConnection(bob.api, lab, { name: "fab-bob" });
	const base = { schedule: HOURLY, controller_connection_ids: [own] };
	expect((await watchCheck(hidden.id, base, bob)).status).toBe(404);
	expect((await watchCheck(shown.id, { ...base, notify: { min_severity: "info" } }, bob)).status).toBe(403);
	expect((await checks.detail(shown.id)).is_watched).toBe(false);
	expect((await watchCheck(shown.id, base, bob)).status).toBe(201);
	await setRights(t, bob, { permissions: ["view_check", "add_scheduledtask", "view_savedquery"] });
	const foreign = await checks.add({ saved_query, type: "no_rows", is_public: true });
	const refused = await watchCheck(foreign.id, { ...base, notify: { min_severity: "info" } }, bob);
	expect([refused.status, refused.body.detail]).toEqual([403, expect.stringContaining("change_check")]);
});
