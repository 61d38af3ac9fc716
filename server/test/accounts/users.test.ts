/**
 * User management through the API: records, filters, guards, actions, and that rights count at
 * once.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, startTestApp, TEST_PASSWORD, type TestApp, type TestUser } from "../support/harness.ts";
import { findAudit, findPermissionIds, groupIds } from "../support/rights.ts";

let t: TestApp;
let manager: TestUser;
beforeAll(async () => {
	t = await startTestApp();
	manager = await t.user("manager", ["Admin"]);
});
afterAll(() => t.close());

const USERS = "/api/auth/management/";
const createUser = (api: Api, body: Record<string, unknown>) => api.post(USERS, { password: TEST_PASSWORD, ...body });
const postLogin = (username: string, password: string) => t.anonymous.post("/api/auth/login/", { username, password });

describe("records", () => {
	it("are made with all that was asked for", async () => {
		const [editor] = await groupIds(t, "Editor");
		const { status, body } = await createUser(t.admin.api, {
			username: "ada",
			email: "ada@example.com",
			first_name: "Ada",
			last_name: "Byron",
			group_ids: [editor],
		});
		expect(status).toBe(201);
		expect(body).toEqual({
			id: expect.any(Number),
			username: "ada",
			email: "ada@example.com",
			first_name: "Ada",
			last_name: "Byron",
			group_names: ["Editor"],
			group_ids: [editor],
			permission_ids: [],
			is_admin: false,
			is_superuser: false,
			is_active: true,
			auth_source: "local",
			email_verified: false,
			mfa_enabled: false,
			must_change_password: false,
			query_count: 0,
			favorite_count: 0,
			date_joined: "2026-01-15T10:00:00.000Z",
			last_login: null,
			locked_until: null,
			gone_since: null,
		});
		expect((await t.admin.api.get(`${USERS}${body.id}/`)).body).toEqual(body);
		expect((await postLogin("ada", TEST_PASSWORD)).status).toBe(200);
	});

	it("are in exactly the groups that are given, and in Users where none are given", async () => {
		const [viewer] = await groupIds(t, "Viewer");
		const reader = (await createUser(t.admin.api, { username: "reader", group_ids: [viewer] })).body;
		expect(reader.group_names).toEqual(["Viewer"]);
		expect((await createUser(t.admin.api, { username: "nobody", group_ids: [] })).body.group_names).toEqual([]);
		expect((await createUser(t.admin.api, { username: "worker" })).body.group_names).toEqual(["Users"]);
		const { body } = await postLogin("reader", TEST_PASSWORD);
		const call = (method: string, url: string, payload?: object) =>
			t.anonymous.send(method, url, payload && JSON.stringify(payload), {
				authorization: `Bearer ${body.access}`,
				"content-type": "application/json",
			});
		const query = { name: "A viewer's", flow_data: { nodes: [], edges: [] } };
		expect((await call("POST", "/api/queries/saved-queries/", query)).status).toBe(403);
		expect((await call("GET", "/api/queries/saved-queries/")).status).toBe(200);
		expect((await call("PATCH", "/api/notifications/preferences/", { email_enabled: true })).status).toBe(200);
		await t.admin.api.del(`${USERS}${reader.id}/`);
	});

	it("ignore what is not theirs to set", async () => {
		const { body } = await createUser(t.admin.api, {
			username: "mass",
			id: 999_999,
			email_verified: true,
			mfa_enabled: true,
			auth_source: "ldap",
			last_login: "2020-01-01T00:00:00Z",
			date_joined: "2020-01-01T00:00:00Z",
			is_admin: true,
			password_hash: "x",
			permission_ids: [1],
		});
		const readOnly = { email_verified: false, mfa_enabled: false, auth_source: "local", is_admin: false };
		expect(body).toMatchObject({ ...readOnly, last_login: null, permission_ids: [] });
		expect(body.id).not.toBe(999_999);
		const patched = await t.admin.api.patch(`${USERS}${body.id}/`, {
			username: "other",
			email_verified: true,
			mfa_enabled: true,
			auth_source: "ldap",
			is_admin: true,
			id: 1,
			locked_until: null,
			password: "another password",
			group_names: ["Admin"],
		});
		expect(patched.status).toBe(200);
		expect(patched.body).toEqual(body);
		expect((await postLogin("mass", TEST_PASSWORD)).status).toBe(200);
	});

	it("refuse wrong and taken names, addresses and passwords", async () => {
		for (const username of ["ab", "a b", "аdа", "ａda", "ada\n", "' or 1=1 --", "x".repeat(151), "", 5]) {
			expect((await createUser(t.admin.api, { username })).body, String(username)).toHaveProperty("username");
		}
		expect((await createUser(t.admin.api, { username: "ADA" })).body).toHaveProperty("username");
		expect((await createUser(t.admin.api, { username: "ada2", email: "ADA@example.com" })).body).toHaveProperty(
			"email",
		);
		expect((await createUser(t.admin.api, { username: "ada3", email: "x@y@z" })).body).toHaveProperty("email");
		for (const password of ["short", "12345678", "ada4ada4", "password1", undefined]) {
			expect((await createUser(t.admin.api, { username: "ada4", password })).body).toHaveProperty("password");
		}
		expect((await createUser(t.admin.api, { username: "ada5", group_ids: [2_000_000] })).body).toHaveProperty(
			"group_ids",
		);
		expect((await t.admin.api.get(`${USERS}?search=ada`)).body.count).toBe(1);
	});

	it("are listed by state, group and word, in pages", async () => {
		const [viewer] = await groupIds(t, "Viewer");
		const { body: vic } = await createUser(t.admin.api, { username: "vic", group_ids: [viewer], is_active: false });
		const list = async (query: string) => (await t.admin.api.get(`${USERS}?${query}`)).body;
		expect((await list(`group=${viewer}`)).results).toEqual([vic]);
		expect((await list("is_active=false")).results).toEqual([vic]);
		expect((await list("is_active=true&page_size=1")).results).toHaveLength(1);
		expect((await list("group=2000000")).count).toBe(0);
		expect((await list("search=%25")).count).toBe(0);
		const names = (await list("ordering=-username")).results.map((user: { username: string }) => user.username);
		expect(names).toEqual([...names].sort().reverse());
		for (const wrong of ["is_active=1", "group=x", "ordering=password_hash", "page=0"]) {
			expect((await t.admin.api.get(`${USERS}?${wrong}`)).status, wrong).toBe(400);
		}
	});

	it("show until when a user is locked", async () => {
		const { body } = await createUser(t.admin.api, { username: "lock" });
		for (let i = 0; i < 5; i++) await postLogin("lock", "wrong");
		const locked = (await t.admin.api.get(`${USERS}${body.id}/`)).body.locked_until;
		expect(Date.parse(locked) - t.clock.now()).toBe(15 * 60_000);
		await t.clock.advance(15 * 60_000 + 1);
		expect((await t.admin.api.get(`${USERS}${body.id}/`)).body.locked_until).toBeNull();
	});

	it("a changed address is unverified again", async () => {
		const { body } = await createUser(t.admin.api, { username: "mia", email: "mia@example.com" });
		const verified = await t.admin.api.post(`${USERS}${body.id}/verify_email/`);
		expect(verified.body.email_verified).toBe(true);
		const changed = await t.admin.api.patch(`${USERS}${body.id}/`, { email: "mia@example.net" });
		expect(changed.body).toMatchObject({ email: "mia@example.net", email_verified: false });
		await t.admin.api.patch(`${USERS}${body.id}/`, { email: "" });
		expect((await t.admin.api.post(`${USERS}${body.id}/verify_email/`)).body).toHaveProperty("email");
	});
});

describe("guards", () => {
	it("nobody deletes or deactivates themselves, nor the last superuser", async () => {
		for (const user of [t.admin, manager]) {
			expect((await user.api.del(`${USERS}${user.id}/`)).status).toBe(400);
			expect((await user.api.post(`${USERS}${user.id}/deactivate/`)).status).toBe(400);
			expect((await user.api.patch(`${USERS}${user.id}/`, { is_active: false })).body).toHaveProperty("detail");
		}
		expect((await t.admin.api.patch(`${USERS}${t.admin.id}/`, { is_superuser: false })).status).toBe(400);
	});

	it("of two superusers that deactivate each other at once one stays", async () => {
		const { body } = await createUser(t.admin.api, { username: "root2", is_superuser: true });
		const second = t.as((await postLogin("root2", TEST_PASSWORD)).body.access);
		const statuses = await Promise.all([
			t.admin.api.patch(`${USERS}${body.id}/`, { is_superuser: false }),
			second.patch(`${USERS}${t.admin.id}/`, { is_superuser: false }),
		]);
		const { rows } = await t.pool.query("select count(*)::int from users where is_superuser and is_active");
		expect(rows[0].count).toBe(1);
		expect(statuses.filter(({ status }) => status === 200)).toHaveLength(1);
		await t.pool.query("update users set is_superuser = (id = $1)", [t.admin.id]);
		await t.pool.query("update sessions set revoked_at = now() where user_id <> $1", [t.admin.id]);
	});

	it("only a superuser touches a superuser, makes one, or says who is in Admin", async () => {
		const root = `${USERS}${t.admin.id}/`;
		const { body: ann } = await createUser(t.admin.api, { username: "ann" });
		const [admin] = await groupIds(t, "Admin");
		const api = t.as((await postLogin("manager", TEST_PASSWORD)).body.access);
		const refused = [
			await api.patch(root, { first_name: "x" }),
			await api.del(root),
			await api.post(`${root}reset_password/`, { new_password: "a brand new password" }),
			await api.post(`${root}generate_reset_code/`),
			await api.post(`${root}disable_mfa/`),
			await api.post(`${root}deactivate/`),
			await api.post(`${root}verify_email/`),
			await api.post(`${root}add_permissions/`, { permission_ids: [1] }),
			await api.patch(`${USERS}${ann.id}/`, { is_superuser: true }),
			await api.patch(`${USERS}${ann.id}/`, { group_ids: [admin] }),
			await api.patch(`${USERS}${manager.id}/`, { group_ids: [] }),
			await createUser(api, { username: "sneak", is_superuser: true }),
			await createUser(api, { username: "sneak", group_ids: [admin] }),
		];
		expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 403));
		expect((await api.get(root)).status).toBe(200);
		expect((await api.patch(`${USERS}${ann.id}/`, { first_name: "Ann", is_superuser: false })).status).toBe(200);
		expect((await api.patch(`${USERS}${manager.id}/`, { group_ids: [admin] })).status).toBe(200);
	});
});

describe("actions", () => {
	it("a reset password ends all sessions and every lock", async () => {
		const { body } = await createUser(t.admin.api, { username: "bob" });
		const session = t.as((await postLogin("bob", TEST_PASSWORD)).body.access);
		for (let i = 0; i < 5; i++) await postLogin("bob", "wrong");
		const reset = (new_password: string) => t.admin.api.post(`${USERS}${body.id}/reset_password/`, { new_password });
		expect((await reset("bobbobbob")).body).toHaveProperty("new_password");
		expect((await reset("a brand new password")).body).toMatchObject({ username: "bob", locked_until: null });
		expect((await session.get("/api/auth/profile/")).status).toBe(401);
		expect((await postLogin("bob", "a brand new password")).status).toBe(200);
	});

	it("deactivation ends sessions for good", async () => {
		const { body } = await createUser(t.admin.api, { username: "cyd" });
		const session = t.as((await postLogin("cyd", TEST_PASSWORD)).body.access);
		expect((await t.admin.api.post(`${USERS}${body.id}/deactivate/`)).body.is_active).toBe(false);
		expect((await session.get("/api/auth/profile/")).status).toBe(401);
		expect((await postLogin("cyd", TEST_PASSWORD)).status).toBe(401);
		expect((await t.admin.api.post(`${USERS}${body.id}/activate/`)).body.is_active).toBe(true);
		expect((await session.get("/api/auth/profile/")).status).toBe(401);
		expect((await postLogin("cyd", TEST_PASSWORD)).status).toBe(200);
	});

	it("permissions count at once, with what gives them", async () => {
		const { body } = await createUser(t.admin.api, { username: "dan" });
		const session = t.as((await postLogin("dan", TEST_PASSWORD)).body.access);
		const category = (await t.admin.api.post("/api/queries/categories/", { name: "Fabric" })).body;
		const remove = () => session.del(`/api/queries/categories/${category.id}/`);
		expect((await remove()).status).toBe(403);
		const ids = await findPermissionIds(t, "delete_querycategory", "view_querycategory");
		const given = await t.admin.api.post(`${USERS}${body.id}/add_permissions/`, { permission_ids: ids });
		expect(given.body.permission_ids.sort()).toEqual(ids.sort());
		const { body: effective } = await t.admin.api.get(`${USERS}${body.id}/effective_permissions/`);
		const getSources = (name: string) =>
			effective.find(({ codename }: { codename: string }) => codename === name)?.sources;
		expect(getSources("delete_querycategory")).toEqual(["direct"]);
		expect(getSources("view_querycategory").sort()).toEqual(["Users", "direct"]);
		expect(getSources("delete_user")).toBeUndefined();
		expect((await remove()).status).toBe(204);
		const taken = await t.admin.api.post(`${USERS}${body.id}/remove_permissions/`, { permission_ids: ids });
		expect(taken.body.permission_ids).toEqual([]);
		expect((await remove()).status).toBe(403);
		for (const permission_ids of [[2_000_000], ["1"], [0], [-1], "1"]) {
			const { status, body: errors } = await t.admin.api.post(`${USERS}${body.id}/add_permissions/`, {
				permission_ids,
			});
			expect([status, Object.keys(errors)[0]]).toEqual([400, expect.stringMatching(/^permission_ids/)]);
		}
	});

	it("a superuser has everything once", async () => {
		const { body } = await t.admin.api.get(`${USERS}${t.admin.id}/effective_permissions/`);
		const { rows } = await t.pool.query("select count(*)::int from permissions");
		expect(body).toHaveLength(rows[0].count);
	});

	it("deletion ends sessions and leaves the audit log its name", async () => {
		const { body } = await createUser(t.admin.api, { username: "eve" });
		const session = t.as((await postLogin("eve", TEST_PASSWORD)).body.access);
		expect((await t.admin.api.del(`${USERS}${body.id}/`)).status).toBe(204);
		expect((await session.get("/api/auth/profile/")).status).toBe(401);
		expect((await t.admin.api.get(`${USERS}${body.id}/`)).status).toBe(404);
		const entries = (await findAudit(t, body.id)).filter(({ target_type }) => target_type === "user");
		expect(entries.at(-1)).toMatchObject({ category: "user_management", action: "user_delete", username: "root" });
		expect(entries.at(0)).toMatchObject({ action: "user_create" });
	});

	it("leave no secret in the audit log", async () => {
		const { rows } = await t.pool.query("select * from audit_log");
		const text = JSON.stringify(rows);
		expect(text).not.toContain(TEST_PASSWORD);
		expect(text).not.toContain("a brand new password");
		expect(text).not.toContain("argon2");
	});
});
