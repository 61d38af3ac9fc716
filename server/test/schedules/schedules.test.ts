/** Scheduled tasks through the API: fields, visibility, changes, status and notifications. */
import { beforeAll, describe, expect, it } from "vitest";
import { UNKNOWN } from "../support/canvases.ts";
import type { TestApp, TestUser } from "../support/harness.ts";
import { addQuery, HOUR, TASKS, useTasks } from "../support/tasks.ts";

const SETTINGS = "/api/queries/task-settings/";
const tasks = useTasks();
const { add, addConnection, listExecutions, hourly, getTask } = tasks;
let t: TestApp;
let ada: TestUser;
let bob: TestUser;
let query: string;
let connection: string;
beforeAll(async () => {
	({ t, ada, query, connection } = tasks);
	bob = await t.user("bob");
});

describe("fields", () => {
	it("answers the whole resource", async () => {
		const { status, body } = await ada.api.post(TASKS, {
			name: " Nightly ",
			description: "x",
			saved_query: query.toUpperCase(),
			controller_connection_ids: [connection, connection],
			frequency: "daily",
			time_of_day: "06:30",
			timezone: "Europe/Paris",
			email_recipients: ["a@example.com", "a@example.com"],
		});
		expect(status, JSON.stringify(body)).toBe(201);
		const at = new Date(t.clock.now()).toISOString();
		expect(body).toEqual({
			id: expect.stringMatching(/^[0-9a-f-]{36}$/),
			name: "Nightly",
			description: "x",
			saved_query: query,
			query_name: expect.stringMatching(/^Query/),
			controller_connection_ids: [connection],
			connection_group: null,
			connection_group_name: null,
			variable_values: {},
			frequency: "daily",
			interval_minutes: null,
			minute_of_hour: 0,
			time_of_day: "06:30",
			day_of_week: null,
			day_of_month: null,
			scheduled_datetime: null,
			timezone: "Europe/Paris",
			status: "active",
			email_on_success: false,
			email_on_failure: true,
			email_recipients: ["a@example.com"],
			retry_enabled: false,
			retry_count: 3,
			retry_interval_minutes: 5,
			log_retention_days: 30,
			last_run_at: null,
			last_run_status: null,
			next_run_at: "2026-01-16T05:30:00.000Z",
			execution_count: 0,
			skipped_count: 0,
			success_count: 0,
			failure_count: 0,
			success_rate: 0,
			schedule_description: "Daily at 06:30 (Europe/Paris)",
			held_by: null,
			created_by: { id: ada.id, username: "ada", first_name: "", last_name: "" },
			can_edit: true,
			created_at: at,
			updated_at: at,
		});
		expect(await getTask(body.id)).toEqual(body);
		expect(
			(await ada.api.get(`${TASKS}?search=ightl&ordering=name&status=active&frequency=daily`)).body.results,
		).toEqual([body]);
		await ada.api.del(`${TASKS}${body.id}/`);
	});

	it.each<[Record<string, unknown>, string[]]>([
		[{ frequency: "once" }, ["scheduled_datetime"]],
		[{ frequency: "hourly", minute_of_hour: null }, ["minute_of_hour"]],
		[{ frequency: "daily" }, ["time_of_day"]],
		[{ frequency: "weekly" }, ["day_of_week", "time_of_day"]],
		[{ frequency: "weekly", time_of_day: "10:00" }, ["day_of_week"]],
		[{ frequency: "monthly" }, ["day_of_month", "time_of_day"]],
		[{ frequency: "fortnightly" }, ["frequency"]],
		[{ minute_of_hour: 60 }, ["minute_of_hour"]],
		[{ minute_of_hour: "0" }, ["minute_of_hour"]],
		[{ time_of_day: "24:00" }, ["time_of_day"]],
		[{ time_of_day: "6:30" }, ["time_of_day"]],
		[{ day_of_week: 7 }, ["day_of_week"]],
		[{ day_of_month: 0 }, ["day_of_month"]],
		[{ day_of_month: 32 }, ["day_of_month"]],
		[{ timezone: "Mars/Base" }, ["timezone"]],
		[{ timezone: "+01:00" }, ["timezone"]],
		[{ frequency: "once", scheduled_datetime: "2026-01-15T10:00:00" }, ["scheduled_datetime"]],
		[{ frequency: "once", scheduled_datetime: "2020-01-15T10:00:00Z" }, ["scheduled_datetime"]],
		[{ frequency: "once", scheduled_datetime: "9999-12-31T23:59:59-14:00" }, ["scheduled_datetime"]],
		[{ saved_query: UNKNOWN }, ["saved_query"]],
		[{ saved_query: "x" }, ["saved_query"]],
		[{ controller_connection_ids: [] }, ["controller_connection_ids"]],
		[{ controller_connection_ids: [UNKNOWN] }, ["controller_connection_ids"]],
		[{ controller_connection_ids: Array(51).fill(UNKNOWN) }, ["controller_connection_ids"]],
		[{ saved_query: UNKNOWN, controller_connection_ids: [UNKNOWN] }, ["controller_connection_ids", "saved_query"]],
		[{ email_recipients: ["nobody"] }, ["email_recipients.0"]],
		[{ email_recipients: ["a@example.com\r\nBcc: b@example.com"] }, ["email_recipients.0"]],
		[{ email_recipients: Array(51).fill("a@example.com") }, ["email_recipients"]],
		[{ name: "" }, ["name"]],
		[{ name: "a\r\nSubject: b" }, ["name"]],
		[{ name: "x".repeat(201) }, ["name"]],
		[{ retry_count: 11 }, ["retry_count"]],
		[{ retry_interval_minutes: 0 }, ["retry_interval_minutes"]],
		[{ log_retention_days: 2147483648 }, ["log_retention_days"]],
		[{ variable_values: [] }, ["variable_values"]],
		[{ variable_values: { a: {} } }, ["variable_values.a"]],
	])("refuses %j", async (fields, keys) => {
		const { status, body } = await ada.api.post(TASKS, hourly(fields));
		expect([status, Object.keys(body).sort()]).toEqual([400, keys]);
	});

	it("names every field that is missing", async () => {
		const { status, body } = await ada.api.post(TASKS, {});
		expect(status).toBe(400);
		expect(Object.keys(body).sort()).toEqual(["controller_connection_ids", "frequency", "name", "saved_query"]);
	});

	it("asks for what the query's variables need", async () => {
		const variables = [
			{ id: "tenant", label: "Tenant", type: "text", required: true },
			{ id: "n", label: "N", type: "number", required: false },
		];
		const asking = await addQuery(ada.api, { variables });
		const values = (variable_values: unknown) => ada.api.post(TASKS, hourly({ saved_query: asking, variable_values }));
		expect(Object.keys((await values({})).body)).toEqual(["variable_values.tenant"]);
		expect(Object.keys((await values({ tenant: "x", n: "many" })).body)).toEqual(["variable_values.n"]);
		const { status, body } = await values(JSON.parse('{"tenant": "\'\\"(]", "n": 1.5, "__proto__": "x"}'));
		expect([status, body.variable_values.tenant]).toEqual([201, "'\"(]"]);
		await ada.api.del(`${TASKS}${body.id}/`);
	});

	it("PATCH changes what is given and works out the next run; read-only fields stay", async () => {
		const made = await add(ada.api);
		expect(made.next_run_at).toBe("2026-01-15T11:00:00.000Z");
		const patch = (fields: unknown) => ada.api.patch(`${TASKS}${made.id}/`, fields);
		expect((await patch({ minute_of_hour: 30 })).body.next_run_at).toBe("2026-01-15T10:30:00.000Z");
		const { body } = await patch({
			id: UNKNOWN,
			next_run_at: null,
			created_by: bob.id,
			execution_count: 9,
			name: "New",
		});
		expect(body).toMatchObject({ id: made.id, name: "New", created_by: { id: ada.id }, execution_count: 0 });
		expect(body.next_run_at).toBe("2026-01-15T10:30:00.000Z");
		expect(Object.keys((await patch({ frequency: "weekly" })).body).sort()).toEqual(["day_of_week", "time_of_day"]);
		expect((await patch({ frequency: "weekly", day_of_week: 0, time_of_day: "00:00" })).body.next_run_at).toBe(
			"2026-01-19T00:00:00.000Z",
		);
		expect((await patch({ status: "disabled" })).body).toMatchObject({ status: "disabled", next_run_at: null });
		expect((await patch({ status: "active" })).body.next_run_at).toBe("2026-01-19T00:00:00.000Z");
		expect((await patch({})).status).toBe(200);
		await ada.api.del(`${TASKS}${made.id}/`);
		expect((await ada.api.get(`${TASKS}${made.id}/`)).status).toBe(404);
	});

	it("PUT replaces everything by the defaults, but the status", async () => {
		const made = await add(ada.api, { description: "x", timezone: "Asia/Tokyo", retry_enabled: true, retry_count: 9 });
		await ada.api.post(`${TASKS}${made.id}/pause/`);
		const { status, body } = await ada.api.put(`${TASKS}${made.id}/`, hourly({ name: "Put", minute_of_hour: 5 }));
		expect(status).toBe(200);
		expect(body).toMatchObject({ name: "Put", description: "", timezone: "UTC", retry_enabled: false, retry_count: 3 });
		expect(body).toMatchObject({ status: "paused", next_run_at: null });
		expect((await ada.api.put(`${TASKS}${made.id}/`, { name: "x" })).status).toBe(400);
		const again = await ada.api.put(`${TASKS}${made.id}/`, body);
		expect(again.body).toEqual({ ...body, updated_at: again.body.updated_at });
		await ada.api.del(`${TASKS}${made.id}/`);
	});
});

describe("who sees and does what", () => {
	it("tasks on one's own queries are one's own; on shared ones they are seen, without who gets mail", async () => {
		const made = await add(ada.api, { email_recipients: ["secret@example.com"] });
		for (const send of [
			() => bob.api.get(`${TASKS}${made.id}/`),
			() => bob.api.patch(`${TASKS}${made.id}/`, { name: "x" }),
			() => bob.api.del(`${TASKS}${made.id}/`),
			() => bob.api.post(`${TASKS}${made.id}/execute_now/`),
			() => bob.api.post(`${TASKS}${made.id}/pause/`),
			() => bob.api.post(`${TASKS}${made.id}/clone/`),
			() => bob.api.get(`${TASKS}${made.id}/executions/`),
		]) {
			expect((await send()).status).toBe(404);
		}
		expect((await bob.api.get(TASKS)).body.count).toBe(0);
		expect((await bob.api.post(TASKS, hourly())).body).toEqual({
			saved_query: [expect.any(String)],
			controller_connection_ids: [expect.any(String)],
		});

		await ada.api.patch(`/api/queries/saved-queries/${query}/`, { shared_with: [bob.id] });
		const { body } = await bob.api.get(`${TASKS}${made.id}/`);
		expect(body).toMatchObject({ id: made.id, can_edit: false, email_recipients: [] });
		expect((await bob.api.get(TASKS)).body.count).toBeGreaterThan(0);
		expect((await bob.api.get(`${TASKS}?my_tasks=true`)).body.count).toBe(0);
		expect((await bob.api.get(`${TASKS}${made.id}/executions/`)).status).toBe(200);
		for (const send of [
			() => bob.api.patch(`${TASKS}${made.id}/`, { name: "x" }),
			() => bob.api.put(`${TASKS}${made.id}/`, hourly()),
			() => bob.api.del(`${TASKS}${made.id}/`),
			() => bob.api.post(`${TASKS}${made.id}/execute_now/`),
			() => bob.api.post(`${TASKS}${made.id}/pause/`),
			() => bob.api.post(`${TASKS}${made.id}/resume/`),
		]) {
			expect((await send()).status).toBe(403);
		}
		expect(Object.keys((await bob.api.post(`${TASKS}${made.id}/clone/`)).body)).toEqual(["controller_connection_ids"]);
		await ada.api.patch(`/api/controller/connections/${connection}/`, { is_public: true });
		const clone = await bob.api.post(`${TASKS}${made.id}/clone/`);
		expect(clone.body).toMatchObject({ created_by: { id: bob.id }, email_recipients: [], can_edit: true });
		await bob.api.del(`${TASKS}${clone.body.id}/`);

		expect((await t.admin.api.get(`${TASKS}${made.id}/`)).body).toMatchObject({
			can_edit: true,
			email_recipients: ["secret@example.com"],
		});
		expect((await t.admin.api.patch(`${TASKS}${made.id}/`, { name: "By admin" })).body.created_by.id).toBe(ada.id);
		await ada.api.patch(`/api/queries/saved-queries/${query}/`, { shared_with: [] });
		await ada.api.patch(`/api/controller/connections/${connection}/`, { is_public: false });
		await ada.api.del(`${TASKS}${made.id}/`);
	});

	it("settings are read by all and changed by admins", async () => {
		const initial = {
			id: 1,
			default_retry_count: 3,
			default_retry_interval_minutes: 5,
			default_log_retention_days: 30,
			email_enabled: true,
			email_from_address: "",
		};
		expect((await bob.api.get(SETTINGS)).body).toEqual(initial);
		expect((await ada.api.patch(SETTINGS, { default_retry_count: 1 })).status).toBe(403);
		const change = { default_retry_count: 1, default_retry_interval_minutes: 7, default_log_retention_days: 9 };
		expect((await t.admin.api.patch(SETTINGS, change)).body).toEqual({ ...initial, ...change });
		const made = await add(ada.api);
		expect(made).toMatchObject({ retry_count: 1, retry_interval_minutes: 7, log_retention_days: 9 });
		await ada.api.del(`${TASKS}${made.id}/`);
		for (const wrong of [{ email_from_address: "x" }, { default_retry_count: -1 }, { email_enabled: "yes" }]) {
			expect((await t.admin.api.patch(SETTINGS, wrong)).status).toBe(400);
		}
		expect((await t.admin.api.patch(SETTINGS, initial)).body).toEqual(initial);
	});
});

describe("a task's status", () => {
	it("pause and resume, any number of times", async () => {
		const made = await add(ada.api);
		const turn = async (verb: string) => (await ada.api.post(`${TASKS}${made.id}/${verb}/`)).body;
		for (let i = 0; i < 2; i++) {
			expect(await turn("pause")).toEqual({ status: "paused", message: expect.any(String) });
		}
		expect(await getTask(made.id)).toMatchObject({ status: "paused", next_run_at: null });
		await t.clock.advance(3 * HOUR);
		for (let i = 0; i < 2; i++) {
			expect(await turn("resume")).toEqual({ status: "active", message: expect.any(String) });
		}
		expect(Date.parse((await getTask(made.id)).next_run_at)).toBeGreaterThan(t.clock.now());
		expect(await listExecutions(made.id)).toEqual([]);
		await ada.api.del(`${TASKS}${made.id}/`);
	});

	it("clone: a paused copy with counters of its own", async () => {
		const made = await add(ada.api, { name: "n".repeat(200), email_recipients: ["a@example.com"] });
		const { status, body } = await ada.api.post(`${TASKS}${made.id}/clone/`);
		expect(status).toBe(201);
		expect(body.name).toBe(`${"n".repeat(193)} (Copy)`);
		expect(body).toMatchObject({ status: "paused", next_run_at: null, email_recipients: ["a@example.com"] });
		for (const { id } of [made, body]) await ada.api.del(`${TASKS}${id}/`);
	});

	it("upcoming tells the next ones, stats count what is seen", async () => {
		const carl = await t.user("carl");
		const [own, fabric] = [await addQuery(carl.api), await addConnection(carl.api)];
		const mine = { saved_query: own, controller_connection_ids: [fabric], timezone: "UTC" };
		for (const minute of [40, 20, 59]) await add(carl.api, { ...mine, minute_of_hour: minute });
		const paused = await add(carl.api, { ...mine, minute_of_hour: 1 });
		await carl.api.post(`${TASKS}${paused.id}/pause/`);
		const { body } = await carl.api.get(`${TASKS}upcoming/?limit=2`);
		expect(body).toMatchObject({ count: 2, next: null, previous: null });
		const times = body.results.map(({ next_run_at }: { next_run_at: string }) => Date.parse(next_run_at));
		expect(times).toEqual([...times].sort());
		expect((await carl.api.get(`${TASKS}upcoming/`)).body.count).toBe(3);
		expect((await carl.api.get(`${TASKS}upcoming/?limit=0`)).status).toBe(400);
		expect((await carl.api.get(`${TASKS}stats/`)).body).toEqual({
			total: 4,
			active: 3,
			paused: 1,
			disabled: 0,
			total_executions: 0,
			successful: 0,
			failed: 0,
			running: 0,
			success_rate: 0,
		});
		await t.pool.query("delete from scheduled_tasks where owner_id = $1", [carl.id]);
	});
});
