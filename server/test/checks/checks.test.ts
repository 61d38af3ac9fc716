/** Checks: what they may say, who sees and changes them, and how they are listed. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addConnection, buildClassNode, createCanvas, QUERIES, UNKNOWN } from "../support/canvases.ts";
import { CHECKS, getChecks } from "../support/checks.ts";
import { sketchModel } from "../support/flows/sketch-model.ts";
import { startTestApp, type TestApp, type TestUser } from "../support/harness.ts";

let t: TestApp;
let [ada, bob]: TestUser[] = [];
let query: string;
let connection: string;
let checks: ReturnType<typeof getChecks>;
const model = sketchModel([
	{ name: "l1Port", abstract: true, properties: ["speed"] },
	{ name: "l1Leaf", rn: "leaf-{id}", supers: ["l1Port"], properties: ["speed", "lanes"] },
	{ name: "fvTenant", rn: "tn-{name}", properties: ["ownerKey", "descr"] },
	{ name: "fvBD", rn: "BD-{name}" },
]);

beforeAll(async () => {
	t = await startTestApp({ deps: { classModel: async () => model } });
	[ada, bob] = [await t.user("ada", ["Editor"]), await t.user("bob", ["Editor"])];
	checks = getChecks((ada as TestUser).api, () => t);
	query = await checks.query();
	connection = await addConnection((ada as TestUser).api, { url: "http://127.0.0.1:9", username: "u", password: "p" });
});
afterAll(() => t.close());

const getApi = () => (ada as TestUser).api;
const getOtherApi = () => (bob as TestUser).api;
const readRefusal = async (fields: Record<string, unknown>) => {
	const { status, body } = await getApi().post(CHECKS, { name: "x", saved_query: query, type: "no_rows", ...fields });
	expect(status).toBe(400);
	return body;
};

describe("a check", () => {
	it("is made with defaults, and unknown until its query runs", async () => {
		const check = await checks.add({ saved_query: query, type: "no_rows", controller_connection_ids: [connection] });
		expect(check).toMatchObject({
			description: "",
			saved_query: query,
			type: "no_rows",
			config: {},
			severity: "warning",
			for_runs: 1,
			is_active: true,
			is_public: false,
			state: "unknown",
			can_edit: true,
			muted_until: null,
			created_by: { username: "ada" },
			states: [
				{ controller_connection_id: connection, state: "unknown", violations: 0, last_run: null, muted_until: null },
			],
		});
		expect(await checks.detail(check.id)).toEqual(check);
		const open = await checks.add({ saved_query: query, type: "unique", config: { fields: ["name"] } });
		expect(open.states).toMatchObject([{ controller_connection_id: null, controller_connection_name: null }]);
	});

	it.each([
		[{ name: " " }, "name"],
		[{ type: "nothing" }, "type"],
		[{ saved_query: UNKNOWN }, "saved_query"],
		[{ controller_connection_ids: [UNKNOWN] }, "controller_connection_ids"],
		[{ severity: "bad" }, "severity"],
		[{ for_runs: 0 }, "for_runs"],
		[{ for_runs: 101 }, "for_runs"],
		[{ config: { value: 1 } }, "config"],
		[{ type: "row_count", config: { operator: "about", value: 1 } }, "config.operator"],
		[{ type: "row_count", config: { operator: "eq", value: -1 } }, "config.value"],
		[{ type: "row_count", config: { operator: "eq" } }, "config.value"],
		[{ type: "each_row", config: { conditions: [] } }, "config.conditions"],
		[{ type: "each_row" }, "config.conditions"],
		[
			{ type: "each_row", config: { conditions: [{ field: "name", operator: "regex", value: "(" }] } },
			"config.conditions.0.value",
		],
		[{ type: "unique", config: { fields: [] } }, "config.fields"],
		[{ type: "unique", config: { fields: Array.from({ length: 21 }, (_, i) => `f${i}`) } }, "config.fields"],
	])("is refused with %j", async (fields, field) => {
		expect(Object.keys(await readRefusal(fields))).toContain(field);
	});

	it("may name fields that the class model has, and is refused others with suggestions", async () => {
		const condition = (field: string) => ({
			type: "each_row",
			config: { conditions: [{ field, operator: "exists" }] },
		});
		for (const field of ["name", "fvTenant.name", "attributes.descr", "dn", "class", "children.fvBD.name"]) {
			await checks.add({ saved_query: query, ...condition(field) });
		}
		expect((await readRefusal(condition("ownerKye")))["config.conditions.0.field"]).toEqual([
			"The class model 6.0(9c) has no property ownerKye on the rows of this query. Did you mean ownerKey?",
		]);
		expect(await readRefusal(condition("children.fvBD.mtuu"))).toHaveProperty(["config.conditions.0.field"]);
		expect(await readRefusal({ type: "unique", config: { fields: ["name", "nmae"] } })).toHaveProperty([
			"config.fields.1",
		]);
		// After a processor that reshapes rows nothing is known of their fields.
		const flat = await checks.query("fvTenant", { post_processors: [{ type: "flatten", config: {} }] });
		await checks.add({ saved_query: flat, ...condition("anything") });
	});

	it("is refused fields that neither the class nor one of its subclasses has", async () => {
		const ports = await checks.query("l1Port");
		const condition = (field: string) => ({
			saved_query: ports,
			type: "each_row",
			config: { conditions: [{ field, operator: "exists" }] },
		});
		for (const field of ["speed", "lanes", "name", "dn"]) await checks.add(condition(field));
		expect((await readRefusal(condition("sped")))["config.conditions.0.field"]).toEqual([
			"The class model 6.0(9c) has no property sped on the rows of this query. Did you mean speed?",
		]);
	});

	it("is changed in the fields that are given", async () => {
		const check = await checks.add({ saved_query: query, type: "no_rows", description: "d", for_runs: 3 });
		const path = `${CHECKS}${check.id}/`;
		const changed = await getApi().patch(path, { name: "other", severity: "info" });
		expect(changed.body).toMatchObject({ name: "other", severity: "info", description: "d", for_runs: 3 });
		expect((await getApi().patch(path, { type: "row_count" })).status).toBe(400);
		const typed = await getApi().patch(path, { type: "row_count", config: { operator: "le", value: 5 } });
		expect(typed.body).toMatchObject({ type: "row_count", config: { operator: "le", value: 5, group_by: [] } });
		const replaced = await getApi().put(path, { name: "new", saved_query: query, type: "no_rows" });
		expect(replaced.body).toMatchObject({ name: "new", description: "", severity: "warning", for_runs: 1, config: {} });
		expect((await getApi().patch(path, {})).body.name).toBe("new");
		expect((await getApi().del(path)).status).toBe(204);
		expect((await getApi().get(path)).status).toBe(404);
	});

	it("goes with its query", async () => {
		const gone = await checks.query();
		const check = await checks.add({ saved_query: gone, type: "no_rows" });
		expect((await getApi().del(`${QUERIES}${gone}/`)).status).toBe(204);
		expect((await getApi().get(`${CHECKS}${check.id}/`)).status).toBe(404);
	});

	it("has its entries for the connections that it names", async () => {
		const other = await addConnection(getApi(), { url: "http://127.0.0.1:9", username: "u", password: "p" });
		const check = await checks.add({ saved_query: query, type: "no_rows", controller_connection_ids: [connection] });
		const getIds = async (body: object) =>
			(await getApi().patch(`${CHECKS}${check.id}/`, body)).body.states.map(
				(entry: { controller_connection_id: string }) => entry.controller_connection_id,
			);
		expect(await getIds({ controller_connection_ids: [connection, other] })).toEqual([connection, other]);
		expect(await getIds({ controller_connection_ids: [other] })).toEqual([other]);
		expect(await getIds({ type: "unique", config: { fields: ["name"] } })).toEqual([null]);
		expect(await getIds({ type: "no_rows", config: {}, controller_connection_ids: [] })).toEqual([]);
	});
});

describe("the schedules of a check", () => {
	const TASKS = "/api/queries/scheduled-tasks/";
	const addSchedule = async (saved_query: string, name: string, frequency: string, more: object = {}) => {
		const fields = { name, saved_query, frequency, controller_connection_ids: [connection], timezone: "UTC", ...more };
		const { status, body, text } = await getApi().post(TASKS, fields);
		expect(status, text).toBe(201);
		return body;
	};

	it("are those of its query; only an active one watches", async () => {
		const own = await checks.query();
		const check = await checks.add({ saved_query: own, type: "no_rows" });
		expect(check).toMatchObject({ schedules: [], is_watched: false });
		const monthly = await addSchedule(own, "Each month", "monthly", { time_of_day: "03:00", day_of_month: 1 });
		const hourly = await addSchedule(own, "Each hour", "hourly", { minute_of_hour: 5 });
		const shown = ({ id, name, frequency, next_run_at }: typeof hourly) => ({ id, name, frequency, next_run_at });
		expect(hourly.next_run_at).toMatch(/:05:00\.000Z$/);
		expect(await checks.detail(check.id)).toMatchObject({
			schedules: [shown(hourly), shown(monthly)],
			is_watched: true,
		});
		for (const { id } of [hourly, monthly]) expect((await getApi().post(`${TASKS}${id}/pause/`)).status).toBe(200);
		const paused = await checks.detail(check.id);
		expect(paused.is_watched).toBe(false);
		expect(paused.schedules.map(({ next_run_at }: typeof hourly) => next_run_at)).toEqual([null, null]);
		await getApi().post(`${TASKS}${monthly.id}/resume/`);
		const { body } = await getApi().get(`${CHECKS}?query=${own}`);
		expect(body.results).toMatchObject([{ id: check.id, is_watched: true }]);
		expect(body.results[0].schedules.map(({ name }: typeof hourly) => name)).toEqual(["Each month", "Each hour"]);
		await getApi().del(`${TASKS}${monthly.id}/`);
		expect((await checks.detail(check.id)).is_watched).toBe(false);
	});

	it("cannot be written", async () => {
		const check = await checks.add({
			saved_query: await checks.query(),
			type: "no_rows",
			is_watched: true,
			schedules: [1],
		});
		expect(check).toMatchObject({ schedules: [], is_watched: false });
	});
});

describe("another user", () => {
	it("sees a public check of a query that they see, and changes nothing", async () => {
		const shared = await checks.query("fvTenant", { is_public: true });
		const hidden = await checks.add({ saved_query: query, type: "no_rows", is_public: true });
		const seen = await checks.add({
			saved_query: shared,
			type: "no_rows",
			is_public: true,
			controller_connection_ids: [connection],
		});
		const own = await checks.add({ saved_query: shared, type: "no_rows" });
		expect((await getOtherApi().get(`${CHECKS}${hidden.id}/`)).status).toBe(404);
		expect((await getOtherApi().get(`${CHECKS}${own.id}/`)).status).toBe(404);
		const { status, body } = await getOtherApi().get(`${CHECKS}${seen.id}/`);
		// Their entry is on a connection that only its owner sees.
		expect([status, body.can_edit, body.states, body.state]).toEqual([200, false, [], "unknown"]);
		expect((await getOtherApi().patch(`${CHECKS}${seen.id}/`, { name: "mine" })).status).toBe(403);
		expect((await getOtherApi().del(`${CHECKS}${seen.id}/`)).status).toBe(403);
		expect((await getOtherApi().post(`${CHECKS}${seen.id}/mute/`, { until: null })).status).toBe(403);
		expect((await getOtherApi().get(`${CHECKS}${seen.id}/states/${connection}/`)).status).toBe(404);
		const { results } = (await getOtherApi().get(CHECKS)).body;
		expect(results.map(({ id }: { id: string }) => id)).toEqual([seen.id]);
	});

	it("cannot make a check on a query or a connection that they do not see", async () => {
		const { body } = await getOtherApi().post(CHECKS, { name: "x", saved_query: query, type: "no_rows" });
		expect(body).toHaveProperty("saved_query");
		const own = (await getOtherApi().post(QUERIES, { name: "mine", flow_data: createCanvas([buildClassNode("fvBD")]) }))
			.body.id;
		const named = { name: "x", saved_query: own, type: "no_rows", controller_connection_ids: [connection] };
		expect((await getOtherApi().post(CHECKS, named)).body).toHaveProperty("controller_connection_ids");
	});
});

describe("the list", () => {
	it("has the worst first on demand, and those that are not active last", async () => {
		const ordered = await checks.query();
		const named = { saved_query: ordered, type: "no_rows", controller_connection_ids: [connection] };
		const add = async (name: string, state: string, fields: object = {}) => {
			const { id } = await checks.add({ ...named, name, ...fields });
			await t.pool.query("update check_states set state = $2 where check_id = $1", [id, state]);
		};
		await add("a ok", "ok");
		await add("b failing", "failing");
		await add("c error", "error");
		await add("d failing", "failing", { severity: "critical" });
		await add("e off", "failing", { is_active: false });
		await add("f pending", "pending");
		await checks.add({ ...named, name: "g without entries", controller_connection_ids: [] });
		const names = async (ordering: string) =>
			(await getApi().get(`${CHECKS}?query=${ordered}&ordering=${ordering}`)).body.results.map(
				({ name }: { name: string }) => name,
			);
		const worst = ["d failing", "b failing", "c error", "f pending", "g without entries", "a ok"];
		expect(await names("-state")).toEqual([...worst, "e off"]);
		expect(await names("state")).toEqual(["e off", ...worst.reverse()]);
		const second = await getApi().get(`${CHECKS}?query=${ordered}&ordering=-state&page_size=2&page=2`);
		expect(second.body.results.map(({ name }: { name: string }) => name)).toEqual(["c error", "f pending"]);
	});

	it("is ordered by the states of connections that the caller sees", async () => {
		const shared = await checks.query("fvTenant", { is_public: true });
		const open = { saved_query: shared, type: "no_rows", is_public: true };
		const hidden = await checks.add({ ...open, name: "a", controller_connection_ids: [connection] });
		await t.pool.query("update check_states set state = 'failing' where check_id = $1", [hidden.id]);
		const plain = await checks.add({
			...open,
			name: "b",
			controller_connection_ids: [connection],
			severity: "critical",
		});
		const list = async (as: typeof getApi) =>
			(await as().get(`${CHECKS}?query=${shared}&ordering=-state`)).body.results.map(({ id }: { id: string }) => id);
		expect(await list(getApi)).toEqual([hidden.id, plain.id]);
		expect(await list(getOtherApi)).toEqual([plain.id, hidden.id]);
	});

	it("is filtered and ordered", async () => {
		const filtered = await checks.query();
		const fields = { saved_query: filtered, type: "no_rows" };
		const a = await checks.add({ ...fields, name: "a 10", severity: "critical" });
		const b = await checks.add({ ...fields, name: "b", controller_connection_ids: [connection] });
		const list = async (search: string) =>
			(await getApi().get(`${CHECKS}?query=${filtered}&${search}`)).body.results.map(({ id }: { id: string }) => id);
		expect(await list("")).toEqual([a.id, b.id]);
		expect(await list("ordering=-name")).toEqual([b.id, a.id]);
		expect(await list("severity=critical")).toEqual([a.id]);
		expect(await list(`connection=${connection}`)).toEqual([b.id]);
		expect(await list(`connection=${connection}&state=unknown`)).toEqual([b.id]);
		expect(await list("state=unknown")).toEqual([a.id, b.id]);
		expect(await list("state=failing")).toEqual([]);
		expect(await list("search=10")).toEqual([a.id]);
		expect(await list("my_checks=false")).toEqual([]);
		expect((await getApi().get(`${CHECKS}?state=broken`)).status).toBe(400);
	});
});

it("each user has a limited number of checks of a query, whatever others have", async () => {
	const full = await checks.query("fvTenant", { is_public: true });
	const fill = (owner: TestUser) =>
		t.pool.query(
			`insert into checks (id, owner_id, name, description, saved_query_id, connection_ids, type, config, severity, for_runs,
				is_active, is_public, created_at, updated_at)
			select gen_random_uuid(), $1, 'c', '', $2, '{}', 'no_rows', '{}', 'info', 1, false, false, now(), now()
			from generate_series(1, 200)`,
			[owner.id, full],
		);
	const body = { name: "x", saved_query: full, type: "no_rows" };
	await fill(bob as TestUser);
	expect((await getOtherApi().post(CHECKS, body)).body.detail).toContain("200 checks");
	expect((await getApi().post(CHECKS, body)).status).toBe(201);
	await fill(ada as TestUser);
	expect((await getApi().post(CHECKS, body)).body.detail).toContain("200 checks");
});
