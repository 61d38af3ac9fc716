/** The library of checks through the API: its list, and templates that are installed. */
import { beforeAll, describe, expect, it } from "vitest";
import { CHECK_TEMPLATES } from "../../src/areas/checks/rules/library/index.ts";
import { addConnection, QUERIES } from "../support/canvases.ts";
import { type TestUser, waitUntil } from "../support/harness.ts";
import { setRights } from "../support/rights.ts";
import { useRuns } from "../support/runs.ts";

const CHECKS = "/api/checks/";
const TEMPLATES = `${CHECKS}templates/`;
const runs = useRuns();
let ada: TestUser;
let connection: string;
beforeAll(() => {
	({ ada, connection } = runs);
});
const installTemplate = (key: string, user = ada, controller_connection_ids: readonly string[] = []) =>
	user.api.post(`${TEMPLATES}${key}/install/`, { controller_connection_ids });

describe("the library of checks", () => {
	it("is listed in pages with queries, rules and sources", async () => {
		const { body } = await ada.api.get(`${TEMPLATES}?page_size=20&page=2`);
		expect(body).toMatchObject({ count: CHECK_TEMPLATES.length, next: expect.stringContaining("page=3") });
		// A search also finds synonyms, which the list of keywords has, too.
		const expected = CHECK_TEMPLATES.slice(20, 40).map(({ keywords, ...template }) => ({
			...JSON.parse(JSON.stringify(template)),
			keywords: expect.arrayContaining([...keywords]),
		}));
		expect(body.results).toMatchObject(expected);
		expect((await ada.api.get(`${TEMPLATES}?page=99`)).status).toBe(404);
	});

	it("searches the library by synonyms", async () => {
		const { body } = await ada.api.get(`${TEMPLATES}?search=interface%20down`);
		expect(body.count).toBe(body.results.length);
		expect(body.results).toContainEqual(
			expect.objectContaining({ key: "fabric-ports-up", keywords: expect.arrayContaining(["interface", "down"]) }),
		);
		expect((await ada.api.get(`${TEMPLATES}?search=zeppelin`)).body).toMatchObject({ count: 0, results: [] });
	});

	it("installs a check that watches and its recipients in one call, and evaluates it at once", async () => {
		const schedule = { frequency: "minutes", interval_minutes: 15, timezone: "UTC" };
		const notify = { addresses: ["noc@example.com"], min_severity: "warning" };
		const fields = { controller_connection_ids: [connection], schedule, notify };
		const { status, body, text } = await ada.api.post(`${TEMPLATES}fabric-ports-up/install/`, fields);
		expect(status, text).toBe(201);
		expect(body).toMatchObject({
			is_watched: true,
			schedules: [{ name: body.name, frequency: "minutes", next_run_at: expect.any(String) }],
			notify: { user_ids: [ada.id], webhook_ids: [], ...notify },
		});
		const task = await ada.api.get(`/api/queries/scheduled-tasks/${body.schedules[0].id}/`);
		expect(task.body).toMatchObject({
			saved_query: body.saved_query,
			controller_connection_ids: [connection],
			interval_minutes: 15,
			schedule_description: "Every 15 minutes (UTC)",
		});
		await waitUntil("the check is evaluated", async () => {
			const { states } = (await ada.api.get(`${CHECKS}${body.id}/`)).body;
			return states[0]?.last_evaluated_at !== null;
		});
	});

	it("makes nothing where the schedule or a recipient is refused", async () => {
		const kim = await runs.t.user("kim", ["Editor"]);
		const own = await addConnection(kim.api, runs.lab);
		const installWith = (fields: object) => kim.api.post(`${TEMPLATES}fabric-ports-up/install/`, fields);
		const often = { frequency: "minutes", interval_minutes: 5 };
		const named = { controller_connection_ids: [own] };
		const refusals = [
			[{ schedule: often }, "controller_connection_ids"],
			[{ ...named, schedule: { frequency: "minutes" } }, "schedule.interval_minutes"],
			[{ ...named, schedule: { frequency: "minutes", interval_minutes: 7 } }, "schedule.interval_minutes"],
			[{ ...named, schedule: often, notify: { addresses: ["a@elsewhere.example.org"] } }, "notify.addresses"],
		] as const;
		for (const [fields, path] of refusals) {
			const { status, body } = await installWith(fields);
			expect([status, Object.keys(body)]).toEqual([400, [path]]);
		}
		await setRights(runs.t, kim, { permissions: ["view_check", "add_check", "add_savedquery"] });
		const { status, body } = await installWith({ ...named, schedule: often });
		expect([status, body.detail]).toEqual([403, expect.stringContaining("add_scheduledtask")]);
		for (const table of ["checks", "saved_queries", "scheduled_tasks"]) {
			const { rows } = await runs.t.pool.query(`select from ${table} where owner_id = $1`, [kim.id]);
			expect(rows).toEqual([]);
		}
	});

	it("installs a query and its check, and uses the query again", async () => {
		const first = await installTemplate("critical-faults", ada, [connection]);
		expect(first.status, first.text).toBe(201);
		expect(first.body).toMatchObject({
			name: "No critical faults",
			type: "no_rows",
			severity: "critical",
			controller_connection_ids: [connection],
			states: [{ controller_connection_id: connection, state: "unknown" }],
		});
		const query = await ada.api.get(`${QUERIES}${first.body.saved_query}/`);
		expect(query.body).toMatchObject({ name: "No critical faults", created_by: { username: "ada" } });
		const second = await installTemplate("critical-faults");
		expect(second.body).toMatchObject({ saved_query: first.body.saved_query, controller_connection_ids: [] });
		expect(second.body.id).not.toBe(first.body.id);
	});

	it("evaluates an installed check once, on the connections it names or on the caller's default one", async () => {
		const first = await installTemplate("critical-faults", ada, [connection]);
		expect(first.body.states).toMatchObject([{ state: "unknown", last_evaluated_at: null }]);
		const evaluated = (id: string) =>
			waitUntil("the check is evaluated", async () => {
				const { states } = (await ada.api.get(`${CHECKS}${id}/`)).body;
				return states[0]?.last_evaluated_at ? states : null;
			});
		expect(await evaluated(first.body.id)).toMatchObject([
			{ controller_connection_id: connection, state: "failing", last_run: expect.any(String) },
		]);
		const prefer = async (id: string | null) => {
			const answer = await ada.api.patch("/api/auth/preferences/", { default_controller_connection_id: id });
			expect(answer.status, answer.text).toBe(200);
		};
		await prefer(connection);
		const second = await installTemplate("fabric-health", ada);
		expect([second.status, second.body.states]).toEqual([201, []]);
		expect(await evaluated(second.body.id)).toMatchObject([{ controller_connection_id: connection }]);
		await prefer(null);
	});

	it("installs without an evaluation where the query cannot run", async () => {
		const runCount = async () => (await runs.t.admin.api.get("/api/queries/pipeline-executions/")).body.count;
		const before = await runCount();
		const ivy = await runs.t.user("ivy", ["Editor"]);
		expect((await installTemplate("critical-faults", ivy)).status).toBe(201);
		const joe = await runs.t.user("joe", ["Editor"]);
		const own = await addConnection(joe.api, runs.lab);
		await setRights(runs.t, joe, { permissions: ["view_check", "add_check", "add_savedquery"] });
		expect((await installTemplate("critical-faults", joe, [own])).status).toBe(201);
		const off = await addConnection(ivy.api, runs.lab, { is_active: false });
		expect((await installTemplate("critical-faults", ivy, [off])).status).toBe(201);
		expect(await runCount()).toBe(before);
	});

	it("installs every template", async () => {
		for (const { key } of CHECK_TEMPLATES) {
			const { status, text } = await installTemplate(key);
			expect(status, `${key}: ${text}`).toBe(201);
		}
	});

	it("saves nothing where something is wrong", async () => {
		const count = async () => (await ada.api.get(`${QUERIES}?my_queries=true`)).body.count;
		const before = await count();
		expect((await installTemplate("no-such-template")).status).toBe(404);
		const foreign = await installTemplate("fabric-health", ada, ["01890000-0000-7000-8000-000000000000"]);
		expect([foreign.status, Object.keys(foreign.body)]).toEqual([400, ["controller_connection_ids"]]);
		expect(await count()).toBe(before);
	});

	it("does not touch another query of the same name", async () => {
		const bob = await runs.t.user("bob", ["Editor"]);
		const flow_data = {
			nodes: [{ id: "a", type: "classNode", position: { x: 0, y: 0 }, data: { className: "fvBD" } }],
			edges: [],
		};
		const own = await bob.api.post(QUERIES, { name: "No critical faults", flow_data });
		expect(own.status).toBe(201);
		const { status, body } = await installTemplate("critical-faults", bob);
		expect([status, Object.keys(body)]).toEqual([400, ["non_field_errors"]]);
		expect((await bob.api.get(CHECKS)).body.count).toBe(0);
	});

	it("needs the rights to add checks and queries", async () => {
		const eve = await runs.t.user("eve");
		await setRights(runs.t, eve, { permissions: ["view_check", "add_check"] });
		expect((await installTemplate("critical-faults", eve)).body).toEqual({
			detail: "You need the permission add_savedquery for this.",
		});
		await setRights(runs.t, eve, { permissions: ["view_check", "add_savedquery"] });
		expect((await installTemplate("critical-faults", eve)).status).toBe(403);
	});
});
