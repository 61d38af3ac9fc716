/** Quotas where they apply, and the caller's view of them. */
import { type RunningController, startController } from "@weft/lab";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestApp, type TestApp, type TestUser, waitUntil } from "../support/harness.ts";
import { groupIds } from "../support/rights.ts";
import { createWorld, VALID_CALLS, type World } from "../support/valid-calls.ts";

let t: TestApp;
let lab: RunningController;
beforeAll(async () => {
	[t, lab] = await Promise.all([startTestApp({ work: true }), startController({ size: "small" })]);
});
afterAll(() => Promise.all([t.close(), lab.close()]));

const QUERIES = "/api/queries/saved-queries/";
const CONNECTIONS = "/api/controller/connections/";
const EMPTY = { nodes: [], edges: [] };
let serial = 0;

/** A user of one new group with this quota. */
async function createLimitedUser(quota: Record<string, unknown>): Promise<TestUser & { group: number }> {
	const name = `group ${++serial}`;
	const { body } = await t.admin.api.post("/api/auth/groups/", { name });
	await t.admin.api.put(`/api/auth/groups/${body.id}/quota/`, quota);
	return { ...(await t.user(`user${serial}`, [name])), group: body.id };
}

const saveQuery = (user: TestUser, fields: Record<string, unknown> = {}) =>
	user.api.post(QUERIES, { name: `query ${++serial}`, flow_data: EMPTY, ...fields });
const addConnection = (user: TestUser, fields: Record<string, unknown> = {}) =>
	user.api.post(CONNECTIONS, {
		name: `fabric ${++serial}`,
		url: "http://127.0.0.1:9",
		username: "u",
		password: "p",
		...fields,
	});

describe("quotas", () => {
	it("limit how many queries and connections one has, also for requests at the same time", async () => {
		const user = await createLimitedUser({ queries_max: 2, connections_max: 1 });
		await user.api.get("/api/auth/profile/");
		const saved = await Promise.all(Array.from({ length: 6 }, () => saveQuery(user)));
		expect(saved.map(({ status }) => status).sort()).toEqual([201, 201, 403, 403, 403, 403]);
		expect(saved.find(({ status }) => status === 403)?.body).toEqual({
			detail: expect.stringContaining("Your quota of saved queries (2) is used up."),
			quota: "queries_max",
		});
		const id = saved.find(({ status }) => status === 201)?.body.id;
		expect((await user.api.post(`${QUERIES}${id}/duplicate/`)).body.quota).toBe("queries_max");
		expect((await user.api.del(`${QUERIES}${id}/`)).status).toBe(204);
		expect((await saveQuery(user)).status).toBe(201);
		expect((await addConnection(user)).status).toBe(201);
		expect((await addConnection(user)).body.quota).toBe("connections_max");
	});

	it("limit executions by day, with the time until the next one", async () => {
		const user = await createLimitedUser({ executions_daily: 2 });
		const { id } = (await saveQuery(user)).body;
		const execute = () => user.api.post(`${QUERIES}${id}/execute/`, { success: true });
		const done = await Promise.all([execute(), execute(), execute()]);
		expect(done.map(({ status }) => status).sort()).toEqual([200, 200, 429]);
		const refused = await execute();
		expect(refused.body.quota).toBe("executions_daily");
		expect(Number(refused.headers["retry-after"])).toBe(14 * 3600);
		const { body } = await user.api.get("/api/auth/quota-usage/");
		expect(body.usage).toMatchObject({ executions_today: 2, queries_total: 1, ai_analysis_today: 0 });
		expect((await user.api.get("/api/auth/stats/")).body).toEqual({
			queries_run: 2,
			schedules_active: 0,
			notifications_unread: 0,
		});
		// Make it yesterday's usage. Advancing the clock by a day would fire every timer of a few
		// seconds.
		await t.pool.query("update quota_usage set day = day - 1 where user_id = $1", [user.id]);
		expect((await execute()).status).toBe(200);
	});

	it.each([
		["can_create_queries", (user: TestUser) => saveQuery(user)],
		["can_share", (user: TestUser) => saveQuery(user, { is_public: true })],
		["can_share", (user: TestUser) => saveQuery(user, { shared_with: [t.admin.id] })],
		["can_share", (user: TestUser) => addConnection(user, { is_public: true })],
		["can_use_time_machine", (user: TestUser) => saveQuery(user, { enable_time_machine: true })],
		[
			"can_share",
			async (user: TestUser) =>
				user.api.patch(`${QUERIES}${(await saveQuery(user)).body.id}/`, { is_public: true, name: "public" }),
		],
		[
			"can_execute_queries",
			async (user: TestUser) =>
				user.api.post(`${QUERIES}${(await saveQuery(user)).body.id}/execute/`, { success: true, result_count: 1 }),
		],
		[
			"can_execute_queries",
			async (user: TestUser) =>
				user.api.post(`${CONNECTIONS}execute_query/`, {
					connection_id: (await addConnection(user)).body.id,
					query_path: "/api/class/fvTenant.json",
				}),
		],
	] as const)("%s is asked for", async (right, act) => {
		const { status, body } = await act(await createLimitedUser({ [right]: false }));
		expect([status, body]).toEqual([403, { detail: expect.any(String), quota: right }]);
	});

	it("of several groups the most permissive counts; none, admins and superusers are not limited", async () => {
		const user = await createLimitedUser({ queries_max: 1, can_share: false });
		expect((await saveQuery(user)).status).toBe(201);
		expect((await saveQuery(user)).status).toBe(403);
		const { body: wider } = await t.admin.api.post("/api/auth/groups/", { name: "wider", quota: { queries_max: 2 } });
		const { body: record } = await t.admin.api.get(`/api/auth/management/${user.id}/`);
		const groups = { group_ids: [...record.group_ids, wider.id] };
		await t.admin.api.patch(`/api/auth/management/${user.id}/`, groups);
		expect((await saveQuery(user, { is_public: true })).status).toBe(201);
		expect((await saveQuery(user)).status).toBe(403);
		const [admin] = await groupIds(t, "Admin");
		await t.admin.api.patch(`/api/auth/management/${user.id}/`, { group_ids: [...groups.group_ids, admin] });
		expect((await saveQuery(user)).status).toBe(201);
		const { body } = await user.api.get("/api/auth/quota-usage/");
		expect(body.quota).toMatchObject({
			queries_max: 0,
			can_share: true,
			ai_analysis_daily: 0,
			can_use_ai_builder: true,
		});
		await t.admin.api.patch(`/api/auth/management/${user.id}/`, { group_ids: record.group_ids });
		await t.admin.api.del(`/api/auth/groups/${user.group}/quota/`);
		expect((await saveQuery(user)).status).toBe(201);
	});

	it("leave alone what was shared before", async () => {
		const user = await createLimitedUser({});
		const { body } = await saveQuery(user, { is_public: true, shared_with: [t.admin.id] });
		await t.admin.api.put(`/api/auth/groups/${user.group}/quota/`, { can_share: false });
		const { status } = await user.api.patch(`${QUERIES}${body.id}/`, {
			is_public: true,
			shared_with: [t.admin.id],
			description: "changed",
		});
		expect(status).toBe(200);
	});
});

describe("quotas of a user with all rights", () => {
	let world: World;
	beforeAll(async () => {
		world = await createWorld(t);
	});
	async function limitGroups(quota: Record<string, unknown>): Promise<void> {
		const ids = await groupIds(t, "Editor", "Operator");
		for (const id of ids) await t.admin.api.put(`/api/auth/groups/${id}/quota/`, quota);
	}

	it.each([
		["can_use_automation", "automation_connections.create", {}],
		["can_use_automation", "automation_templates.create", {}],
		["can_use_automation", "automation_requests.create", {}],
		["can_share", "automation_connections.create", { is_public: true }],
		["can_share", "automation_connections.update", { is_public: true }],
		["can_share", "automation_templates.create", { is_public: true }],
		["can_share", "automation_templates.update", { is_public: true }],
		["can_share", "automation_column_templates.create", { is_public: true }],
		["can_share", "automation_column_templates.update", { is_public: true }],
		["can_use_time_machine", "time_machine.capture", {}],
		["can_execute_queries", "background_runs.start", {}],
		["can_execute_queries", "pipelines.create", {}],
	])("ask for %s at %s", async (right, route, more) => {
		const call = await VALID_CALLS[route]?.(world);
		if (call === undefined) throw new Error(`no valid call for ${route}`);
		const changes = route.endsWith(".update");
		const own = changes || call.body.name === undefined ? {} : { name: `named ${++serial}` };
		const send = () =>
			world.user.api.send(changes ? "PATCH" : "POST", call.path, JSON.stringify({ ...call.body, ...own, ...more }), {
				"content-type": "application/json",
			});
		await limitGroups({ [right]: false });
		const { status, body } = await send();
		expect([status, body]).toEqual([403, { detail: expect.any(String), quota: right }]);
		await limitGroups({});
		expect((await send()).status).toBeLessThan(300);
	});
});

describe("quotas of runs", () => {
	const RUNS = "/api/queries/pipeline-executions/";
	const tenants = {
		nodes: [{ id: "a", type: "classNode", position: { x: 0, y: 0 }, data: { className: "fvTenant" } }],
		edges: [],
	};
	async function runQuery(user: TestUser) {
		const { url, username, password } = lab;
		const { body } = await addConnection(user, { url, username, password });
		return user.api.post(RUNS, { flow_data: tenants, controller_connection_id: body.id });
	}
	const ended = (user: TestUser, id: string) =>
		waitUntil("the run has ended", async () => {
			const { body } = await user.api.get(`${RUNS}${id}/`);
			return ["completed", "failed"].includes(body.status) ? body : null;
		});

	it("limit how many there are a day, and whether there are any", async () => {
		const user = await createLimitedUser({ executions_daily: 1 });
		expect((await runQuery(user)).status).toBe(201);
		expect((await runQuery(user)).body.quota).toBe("executions_daily");
		expect((await runQuery(await createLimitedUser({ can_execute_queries: false }))).body.quota).toBe(
			"can_execute_queries",
		);
	});

	it("limit the rows of a run, which fails in clear words", async () => {
		const user = await createLimitedUser({ result_rows_max: 1 });
		const { status, errors } = await ended(user, (await runQuery(user)).body.id);
		expect([status, JSON.stringify(errors)]).toEqual(["failed", expect.stringContaining("more than 1 rows")]);
	});

	it("limit exports, and leave looking at the rows alone", async () => {
		const user = await createLimitedUser({ export_rows_max: 1 });
		const { id } = await ended(user, (await runQuery(user)).body.id);
		const exported = () => user.api.get(`${RUNS}${id}/results/?export=csv`);
		expect((await user.api.get(`${RUNS}${id}/results/`)).status).toBe(200);
		expect([(await exported()).status, (await exported()).body.quota]).toEqual([403, "export_rows_max"]);
		await t.admin.api.put(`/api/auth/groups/${user.group}/quota/`, { can_export: false });
		expect((await exported()).body.quota).toBe("can_export");
		await t.admin.api.put(`/api/auth/groups/${user.group}/quota/`, {});
		expect((await exported()).status).toBe(200);
	});
});
