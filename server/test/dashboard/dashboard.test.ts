/** The start page: counters of the caller, and the health of what the service builds on. */
import { type RunningController, startController } from "@weft/lab";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDashboard } from "../../src/features/dashboard/index.ts";
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
	it("of somebody new are zero", async () => {
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
	const lists = ["/api/controller/connections/?page_size=200", "/api/queries/pipeline-executions/?page_size=20"];

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
		const [connections, runs] = await alone();
		expect(status).toBe(200);
		expect(body).toEqual({
			profile: (await api.get("/api/auth/profile/")).body,
			connections,
			pipeline_executions: runs,
			ws_ticket: { ticket: expect.any(String), expires_in: 60, ttl: 60 },
		});
		expect(runs).toMatchObject({ count: 21, next: expect.stringContaining("page=2") });
	});

	it("is for whoever is signed in", async () => {
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

describe("what the areas give", () => {
	const nothing = async () => 0;
	const unasked = () => Promise.reject(new Error("Nobody asked."));
	const parts = () => ({
		...t.deps,
		log: t.deps.logger,
		savedQueries: nothing,
		snapshotsSince: nothing,
		unreadNotifications: nothing,
		scheduledTasks: async () => ({ all: 0, active: 0, failing: 0 }),
		lastLogin: async () => null,
		profile: unasked,
		ticket: unasked,
		quotas: { check: async () => {}, limit: unasked },
		connections: unasked,
		pipelineExecutions: unasked,
		automation: null,
		model: null,
	});
	const findAnswer = async (deps: Parameters<typeof createDashboard>[0], id: string) => {
		const route = createDashboard(deps).routes.find(({ contract }) => contract.id === id);
		const answer = await route?.handler({ caller: { userId: t.admin.id, isAdmin: true } } as never);
		return answer?.body;
	};

	it("is not asked where the caller may not", async () => {
		const opening = createDashboard({
			...parts(),
			profile: async () => ({ username: "mia" }) as never,
			ticket: async () => ({ ticket: "t", expires_in: 60, ttl: 60 }),
		}).routes.find(({ contract }) => contract.id === "dashboard.opening");
		const caller = { userId: t.admin.id, isAdmin: false, permissions: new Set() };
		expect(await opening?.handler({ caller, url: "http://weft/api/dashboard/opening/" } as never)).toMatchObject({
			body: { profile: { username: "mia" }, connections: null, pipeline_executions: null },
		});
	});

	it("is asked for seven days, and shown", async () => {
		const automation = {
			requestsSince: async (_db: unknown, { isAdmin }: { isAdmin: boolean }, since: Date) => {
				expect(t.clock.now() - since.getTime()).toBe(7 * 24 * 3_600_000);
				return isAdmin ? 5 : 1;
			},
		};
		expect(await findAnswer({ ...parts(), automation }, "dashboard.stats")).toMatchObject({
			automation_requests_7d: 5,
		});
		const installedAt = new Date("2026-01-01T00:00:00Z");
		const model = { loaded: async () => ({ controllerVersion: "6.1(1)", installedAt }), healthy: async () => {} };
		expect(await findAnswer({ ...parts(), model }, "dashboard.platform_info")).toMatchObject({
			controller_version: "6.1(1)",
			mim_installed_at: installedAt.toISOString(),
			services: { graph_db: "healthy" },
		});
	});

	it("that is down or says nothing is down, and the answer comes all the same", async () => {
		const never = () => new Promise<never>(() => {});
		const model = { loaded: never, healthy: () => Promise.reject(new Error("gone")) };
		const cache = { ...t.deps.cache, ping: never };
		const store = { ...t.deps.store, healthy: () => Promise.reject(new Error("gone")) };
		expect(await findAnswer({ ...parts(), model, cache, store }, "dashboard.platform_info")).toMatchObject({
			controller_version: null,
			services: { relational_db: "down", graph_db: "down", cache: "down" },
		});
	});
});
