/** Signing in, sessions, one's own account, through the API. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildApp } from "../../src/app.ts";
import { createMemoryCache } from "../../src/storage/memory/cache.ts";
import { startTestApp, TEST_PASSWORD, type TestApp, waitUntil } from "../support/harness.ts";
import { auditEntries } from "../support/rights.ts";

let t: TestApp;
beforeAll(async () => {
	t = await startTestApp();
});
afterAll(() => t.close());

const postLogin = (username: string, password: string, headers?: Record<string, string>) =>
	t.anonymous.post("/api/auth/login/", { username, password }, headers);

describe("login", () => {
	it("answers tokens and a summary, and writes the attempt and the audit entry", async () => {
		const { id } = await t.user("ada");
		const { status, body } = await postLogin("ada", TEST_PASSWORD);
		expect(status).toBe(200);
		expect(body.user).toEqual({ id, username: "ada", is_admin: false, mfa_enabled: false });
		const entries = await auditEntries(t, { user: String(id) });
		expect(entries).toContainEqual(expect.objectContaining({ action: "login", username: "ada" }));
	});

	it("refuses unknown names, wrong passwords and inactive users in the same words", async () => {
		const { id } = await t.user("bea");
		await t.admin.api.patch(`/api/auth/management/${id}/`, { is_active: false });
		const answers = await Promise.all([
			postLogin("nobody", "x"),
			postLogin("ada", "x"),
			postLogin("bea", TEST_PASSWORD),
		]);
		expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
		expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
		expect(answers[0]?.headers["www-authenticate"]).toBe("Bearer");
	});

	it.each(["eve", "ghost"])("locks %s after five failures, known or not, and says when to come back", async (name) => {
		if (name === "eve") await t.user("eve");
		for (let i = 0; i < 5; i++) expect((await postLogin(name, "wrong")).status).toBe(401);
		const locked = await postLogin(name, TEST_PASSWORD);
		expect(locked.status).toBe(429);
		expect(Number(locked.headers["retry-after"])).toBeGreaterThan(0);
		await t.clock.advance(15 * 60_000 + 1);
		expect((await postLogin(name, TEST_PASSWORD)).status).toBe(name === "eve" ? 200 : 401);
	});

	it("lets sign-ins of one user on several nodes succeed while each forgives the same failure", async () => {
		await t.user("max");
		expect((await postLogin("max", "wrong")).status).toBe(401);
		const nodes = await Promise.all([1, 2].map(() => buildApp({ ...t.deps, localCache: createMemoryCache(t.clock) })));
		const payload = { username: "max", password: TEST_PASSWORD };
		const held = await t.pool.connect();
		await held.query("begin");
		await held.query("select 1 from login_attempts where username_key = 'max' for update");
		const answers = [
			postLogin("max", TEST_PASSWORD).then(({ status }) => status),
			...nodes.map(async ({ server }) => {
				const answer = await server.inject({ method: "POST", url: "/api/auth/login/", payload });
				return answer.statusCode;
			}),
		];
		const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
		await waitUntil("all wait for the row", async () => (await t.pool.query(waiting)).rowCount === answers.length);
		await held.query("commit");
		held.release();
		expect(await Promise.all(answers)).toEqual([200, 200, 200]);
		await Promise.all(nodes.map((node) => node.close()));
	});

	it("lets no parallel guesses past the fifth", async () => {
		await t.user("fay");
		const statuses = await Promise.all(
			Array.from({ length: 20 }, async () => (await postLogin("fay", "wrong")).status),
		);
		expect(statuses.filter((status) => status === 401)).toHaveLength(5);
		expect(statuses.filter((status) => status === 429)).toHaveLength(15);
	});
});

describe("sessions", () => {
	it("refresh gives a new access token and leaves the refresh token valid", async () => {
		const { body } = await postLogin("ada", TEST_PASSWORD);
		for (let i = 0; i < 2; i++) {
			const refreshed = await t.anonymous.post("/api/auth/token/refresh/", { refresh: body.refresh });
			expect(refreshed.status).toBe(200);
			expect((await t.as(refreshed.body.access).get("/api/auth/profile/")).status).toBe(200);
		}
		expect((await t.anonymous.post("/api/auth/token/refresh/", { refresh: body.access })).status).toBe(401);
		expect((await t.as(body.refresh).get("/api/auth/profile/")).status).toBe(401);
	});

	it("ends access after 15 minutes and refresh after 7 days", async () => {
		const { body } = await postLogin("ada", TEST_PASSWORD);
		await t.clock.advance(15 * 60_000 + 1_000);
		expect((await t.as(body.access).get("/api/auth/profile/")).status).toBe(401);
		expect((await t.anonymous.post("/api/auth/token/refresh/", { refresh: body.refresh })).status).toBe(200);
		await t.clock.advance(7 * 24 * 3_600_000);
		expect((await t.anonymous.post("/api/auth/token/refresh/", { refresh: body.refresh })).status).toBe(401);
	});

	it("logout ends the access and the refresh token at once", async () => {
		const { body } = await postLogin("ada", TEST_PASSWORD);
		const api = t.as(body.access);
		expect((await api.post("/api/auth/logout/")).status).toBe(204);
		expect((await api.get("/api/auth/profile/")).status).toBe(401);
		expect((await t.anonymous.post("/api/auth/token/refresh/", { refresh: body.refresh })).status).toBe(401);
	});

	it("ends a session that has been idle for longer than its user allows", async () => {
		const { body } = await postLogin("ada", TEST_PASSWORD);
		const api = t.as(body.access);
		const set = (session_timeout_minutes: unknown) =>
			api.post("/api/auth/session-timeout/", { session_timeout_minutes });
		expect((await set(15)).body).toEqual({ session_timeout_minutes: 15 });
		expect((await set(16)).body).toHaveProperty("session_timeout_minutes");
		await t.clock.advance(14 * 60_000);
		expect((await api.get("/api/auth/session-timeout/")).body).toEqual({ session_timeout_minutes: 15 });
		await t.clock.advance(15 * 60_000 + 1_000);
		expect((await t.anonymous.post("/api/auth/token/refresh/", { refresh: body.refresh })).status).toBe(401);
	});

	it("are listed and revoked by their owner only", async () => {
		const gus = await t.user("gus");
		await gus.api.get("/api/auth/profile/");
		const { body } = await postLogin("gus", TEST_PASSWORD);
		const list = (await gus.api.get("/api/auth/sessions/")).body;
		expect(list).toHaveLength(2);
		const other = list.find((session: { is_current: boolean }) => !session.is_current);
		expect((await t.admin.api.del(`/api/auth/sessions/${other.id}/`)).status).toBe(404);
		expect((await gus.api.del(`/api/auth/sessions/${other.id}/`)).status).toBe(204);
		expect((await t.as(body.access).get("/api/auth/profile/")).status).toBe(401);
		expect((await gus.api.del("/api/auth/sessions/nonsense/")).status).toBe(404);
	});

	it("all but the caller's end at once, and nobody else's", async () => {
		const eve = await t.user("eva");
		const other = await t.user("other");
		await Promise.all([eve.api.get("/api/auth/profile/"), other.api.get("/api/auth/profile/")]);
		const tokens = await Promise.all([postLogin("eva", TEST_PASSWORD), postLogin("eva", TEST_PASSWORD)]);
		expect((await eve.api.del("/api/auth/sessions/")).status).toBe(204);
		for (const { body } of tokens) expect((await t.as(body.access).get("/api/auth/profile/")).status).toBe(401);
		expect((await eve.api.get("/api/auth/sessions/")).body).toMatchObject([{ is_current: true }]);
		expect((await other.api.get("/api/auth/sessions/")).body).toHaveLength(1);
	});

	it("that have been idle for too long are not listed", async () => {
		const uma = await t.user("uma");
		await postLogin("uma", TEST_PASSWORD);
		await uma.api.post("/api/auth/session-timeout/", { session_timeout_minutes: 15 });
		const ids = async (): Promise<string[]> =>
			(await uma.api.get("/api/auth/sessions/")).body.map(({ id }: { id: string }) => id);
		const { body } = await uma.api.get("/api/auth/sessions/");
		const idle = body.find((session: { is_current: boolean }) => !session.is_current).id;
		await t.clock.advance(10 * 60_000);
		expect(await ids()).toContain(idle);
		await t.clock.advance(10 * 60_000);
		expect(await ids()).not.toContain(idle);
		expect((await t.pool.query("select from sessions where id = $1 and revoked_at is null", [idle])).rowCount).toBe(1);
	});
});

describe("account", () => {
	it("profile shows what the specification names, and PATCH changes what is editable", async () => {
		const hal = await t.user("hal");
		const changed = await hal.api.patch("/api/auth/profile/", {
			first_name: "Hal",
			email: "hal@example.com",
			username: "root2",
			is_superuser: true,
		});
		expect(changed.status).toBe(200);
		expect(changed.body).toMatchObject({
			username: "hal",
			first_name: "Hal",
			email: "hal@example.com",
			is_superuser: false,
		});
		expect(changed.body.permissions).toContain("view_savedquery");
		expect(changed.body.permissions).not.toContain("approve_automationrequest");
		const kim = await t.user("kim");
		expect((await kim.api.patch("/api/auth/profile/", { email: "HAL@example.com" })).body).toHaveProperty("email");
	});

	it("preferences merge, and refuse what they cannot be", async () => {
		const { api } = await t.user("ida");
		await api.patch("/api/auth/preferences/", { timezone: "Europe/Paris" });
		const { body } = await api.patch("/api/auth/preferences/", { time_format: "12h" });
		expect(body).toEqual({
			timezone: "Europe/Paris",
			date_format: "YYYY-MM-DD",
			time_format: "12h",
			theme: "system",
			class_browser_sections: {},
			default_controller_connection_id: null,
		});
		for (const wrong of [
			{ timezone: "Mars/Olympus" },
			{ theme: "pink" },
			{ class_browser_sections: [] },
			{ default_controller_connection_id: 7 },
		]) {
			expect((await api.patch("/api/auth/preferences/", wrong)).status).toBe(400);
		}
	});

	it("a new password ends all other sessions and keeps the caller's", async () => {
		const jon = await t.user("jon");
		const { body } = await postLogin("jon", TEST_PASSWORD);
		const change = (old_password: string, new_password: string) =>
			jon.api.post("/api/auth/password/change/", { old_password, new_password });
		expect((await change("wrong", "a fine new password")).body).toHaveProperty("old_password");
		for (const weak of ["short", "1234567890", "password123", "jon", "jonjonjon"]) {
			expect((await change(TEST_PASSWORD, weak)).body).toHaveProperty("new_password");
		}
		expect((await change(TEST_PASSWORD, "a fine new password")).status).toBe(200);
		expect((await t.as(body.access).get("/api/auth/profile/")).status).toBe(401);
		expect((await jon.api.get("/api/auth/profile/")).status).toBe(200);
		expect((await postLogin("jon", "a fine new password")).status).toBe(200);
	});

	it("a ticket opens one socket: unknown channels and reuse are refused", async () => {
		const { body } = await t.admin.api.post("/api/ws-ticket/");
		expect(body).toMatchObject({ expires_in: 60, ttl: 60 });
		expect(await t.app.server.inject("/api/ws-ticket/")).toMatchObject({ statusCode: 405 });
	});
});
