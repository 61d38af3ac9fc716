/** The start page: counters of the caller, and the health of what the service builds on. */
import { type RunningController, startController } from "@weft/lab";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findIdentity } from "../../src/areas/accounts/sign-in/create-sessions.ts";
import type { Loaded, LoadedModel } from "../../src/areas/model/loaded.ts";
import { readOpening, readPlatformInfo } from "../../src/areas/overview/read-overview.ts";
import type { Context } from "../../src/context.ts";
import type { Caller } from "../../src/core/caller.ts";
import { startTestApp, type TestApp, type TestUser, waitUntil } from "../support/harness.ts";
import { createTelling } from "../support/telling.ts";

const STATS = "/api/dashboard/stats/";
const INFO = "/api/dashboard/platform-info/";
const TASKS = "/api/queries/scheduled-tasks/";

let t: TestApp;
let lab: RunningController;
beforeAll(async () => {
	lab = await startController({ size: "small" });
	t = await startTestApp({ work: true });
});
afterAll(async () => {
	await t.close();
	await lab.close();
});

const getStats = async (user: TestUser) => (await user.api.get(STATS)).body;

describe("stats", () => {
	it("start at zero for a new user", async () => {
		const ada = await t.user("ada");
		expect(await getStats(ada)).toEqual({
			saved_queries: 0,
			scheduled_tasks: { total: 0, enabled: 0, failing: 0 },
			automation_requests_7d: 0,
			snapshots_7d: 0,
			unread_notifications: 0,
			last_login: new Date(t.clock.now()).toISOString(),
		});
		expect((await t.anonymous.get(STATS)).status).toBe(401);
	});

	it("count the caller's queries, tasks, snapshots and notifications", async () => {
		const [bob, eve] = [await t.user("bob", ["Editor"]), await t.user("eve", ["Editor"])];
		const before = await getStats(t.admin);
		const { url, username, password } = lab;
		const { body: fabric } = await bob.api.post("/api/controller/connections/", {
			name: "Fabric",
			url,
			username,
			password,
			verify_ssl: false,
		});
		const query = async (name: string, nodes: unknown[]) => {
			const { status, body } = await bob.api.post("/api/queries/saved-queries/", {
				name,
				is_public: true,
				flow_data: { nodes, edges: [] },
			});
			expect(status).toBe(201);
			return body.id;
		};
		const good = await query("Good", [{ id: "a", type: "classNode", data: { className: "fvTenant" } }]);
		const bad = await query("Bad", []);
		const task = async (name: string, saved_query: string) => {
			const fields = {
				name,
				saved_query,
				controller_connection_ids: [fabric.id],
				frequency: "daily",
				time_of_day: "00:00",
			};
			const { status, body } = await bob.api.post(TASKS, fields);
			expect(status).toBe(201);
			await bob.api.post(`${TASKS}${body.id}/execute_now/`);
			return body.id;
		};
		const tasks = [await task("Good", good), await task("Bad", bad), await task("Bad and paused", bad)];
		await bob.api.post(`${TASKS}${tasks[2]}/pause/`);
		await waitUntil("all have run", async () => {
			const { body } = await bob.api.get(TASKS);
			return body.results.every((one: { last_run_status: string | null }) => one.last_run_status !== null);
		});
		for (const name of ["one", "two"]) {
			const captured = await bob.api.post("/api/time-machine/capture/", {
				query_name: name,
				result_data: { imdata: [], totalCount: "0" },
			});
			expect(captured.body.success).toBe(true);
		}
		expect(await getStats(bob)).toMatchObject({
			saved_queries: 2,
			scheduled_tasks: { total: 3, enabled: 2, failing: 1 },
			snapshots_7d: 2,
			unread_notifications: 3,
		});
		expect(await getStats(eve)).toMatchObject({ saved_queries: 0, scheduled_tasks: { total: 0 }, snapshots_7d: 0 });
		// Snapshots are everybody's for administrators; the rest is their own.
		expect(await getStats(t.admin)).toEqual({ ...before, snapshots_7d: before.snapshots_7d + 2 });
		await t.pool.query("update snapshots set executed_at = executed_at - interval '8 days' where executed_by_id = $1", [
			bob.id,
		]);
		expect((await getStats(bob)).snapshots_7d).toBe(0);
	});

	it("say the same of notifications as their own area", async () => {
		const user = await t.user("fay");
		const telling = createTelling(t);
		await telling.many(user.id, 3);
		await user.api.post("/api/notifications/notifications/mark_all_read/");
		await telling.many(user.id, 2);
		expect((await getStats(user)).unread_notifications).toBe(2);
	});
});

describe("the opening", () => {
	const OPENING = "/api/dashboard/opening/";
	const lists = [
		"/api/controller/connections/?page_size=200",
		"/api/queries/pipeline-executions/?page_size=20",
		"/api/change-windows/?state=open&page_size=200",
	];

	it("is what its parts answer by themselves", async () => {
		const { api } = await t.user("lin", ["Editor"]);
		const { url, username, password } = lab;
		const { body: fabric } = await api.post("/api/controller/connections/", {
			name: "Lin's fabric",
			url,
			username,
			password,
			verify_ssl: false,
		});
		const flow_data = { nodes: [{ id: "a", type: "classNode", data: { className: "fvTenant" } }], edges: [] };
		for (let run = 0; run < 21; run++) {
			const asked = { flow_data, controller_connection_id: fabric.id };
			expect((await api.post("/api/queries/pipeline-executions/", asked)).status).toBe(201);
		}
		const alone = () => Promise.all(lists.map(async (list) => (await api.get(list)).body));
		await waitUntil("all runs have ended", async () =>
			(await alone())[1].results.every(({ status }: { status: string }) => status === "completed"),
		);
		const { status, body } = await api.post(OPENING, {});
		const [connections, runs, open_windows] = await alone();
		expect(status).toBe(200);
		expect(body).toEqual({
			profile: (await api.get("/api/auth/profile/")).body,
			connections,
			pipeline_executions: runs,
			snapshot_queries: (await api.get("/api/time-machine/queries/")).body,
			open_windows,
			ws_ticket: { ticket: expect.any(String), expires_in: 60, ttl: 60 },
		});
		expect(runs).toMatchObject({ count: 21, next: expect.stringContaining("page=2") });
	});

	it("is refused without a sign-in", async () => {
		expect((await t.anonymous.post(OPENING, {})).status).toBe(401);
	});
});

describe("platform information", () => {
	it("is for everybody who is signed in", async () => {
		const { body } = await t.admin.api.get(INFO);
		expect(body).toEqual({
			version: "0.0.0-test",
			controller_version: null,
			mim_installed_at: null,
			uptime_seconds: expect.any(Number),
			services: { relational_db: "healthy", graph_db: "healthy", cache: "healthy" },
		});
		await t.clock.advance(61_000);
		expect((await t.admin.api.get(INFO)).body.uptime_seconds - body.uptime_seconds).toBe(61);
		expect((await t.anonymous.get(INFO)).status).toBe(401);
		expect((await (await t.user("gil")).api.get(INFO)).status).toBe(200);
	});
});

describe("parts of the start page", () => {
	async function getCaller(user: TestUser): Promise<Caller> {
		const identity = await findIdentity(t.app.context, user.id);
		if (identity === null) throw new Error("the user exists");
		return { ...identity, ip: "127.0.0.1", userAgent: "", requestId: "", audit: { none: "A test." } };
	}

	it("are null where the caller may not read them", async () => {
		const caller = { ...(await getCaller(await t.user("mia"))), permissions: new Set<string>() };
		expect(await readOpening(t.app.context, caller, "http://weft/api/dashboard/opening/")).toMatchObject({
			profile: { username: "mia" },
			connections: null,
			pipeline_executions: null,
			snapshot_queries: null,
			open_windows: null,
		});
	});

	it("count automation requests of seven days, those of all users for administrators", async () => {
		const ned = await t.user("ned");
		const before = await getStats(t.admin);
		const insertRequest = (days: number) =>
			t.pool.query(
				`insert into automation_requests (id, title, status, template_name, template_snapshot, connection_id,
					connection_name, input_data, row_count, check_mode, requires_approval, requested_by_id, requested_by,
					requested_at, created_at, updated_at)
				values (gen_random_uuid(), 'x', 'successful', 'x', '{}', gen_random_uuid(), 'x', '[]', 0, false, false, $1,
					'ned', $2, $2, $2)`,
				[ned.id, new Date(t.clock.now() - days * 24 * 3_600_000)],
			);
		await insertRequest(6.9);
		await insertRequest(7.1);
		expect((await getStats(ned)).automation_requests_7d).toBe(1);
		expect((await getStats(t.admin)).automation_requests_7d).toBe(before.automation_requests_7d + 1);
	});
});

describe("the health of the stores", () => {
	const readInfo = (parts: Partial<Context>, state: Partial<LoadedModel>) => {
		const { context } = t.app;
		const model = { ...context.areas.model, loaded: { ...context.areas.model.loaded, ...state } };
		return readPlatformInfo({ ...context, ...parts, areas: { ...context.areas, model } }, t.clock.now());
	};

	it("comes with the release of the class model and its installation", async () => {
		const installedAt = new Date("2026-01-01T00:00:00Z");
		const version = { controller_version: "6.1(1)", imported_at: installedAt };
		expect(await readInfo({}, { current: async () => ({ version }) as Loaded })).toMatchObject({
			controller_version: "6.1(1)",
			mim_installed_at: installedAt.toISOString(),
			services: { graph_db: "healthy" },
		});
	});

	it("shows a store, a cache or a model that fails or does not answer as down", async () => {
		const never = () => new Promise<never>(() => {});
		const cache = { ...t.deps.cache, ping: never };
		const store = { ...t.deps.store, healthy: () => Promise.reject(new Error("gone")) };
		const current = () => Promise.reject(new Error("gone"));
		expect(await readInfo({ cache, store }, { current })).toMatchObject({
			controller_version: null,
			services: { relational_db: "down", graph_db: "down", cache: "down" },
		});
	});
});
