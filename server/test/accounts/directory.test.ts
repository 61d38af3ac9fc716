/** Signing in through a directory, against a real OpenLDAP server. */
import { readFileSync } from "node:fs";
import { TOTP } from "otpauth";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AppParts } from "../../src/app.ts";
import type { LdapOptions } from "../../src/integrations/ldap/ldap.ts";
import { startTestApp, TEST_PASSWORD, type TestApp } from "../support/harness.ts";
import { findAudit, groupIds, loginAttempts } from "../support/rights.ts";
import {
	BASE,
	buildGroupLdif,
	LIMITED,
	missing,
	openTestDirectory,
	PASSWORD,
	PEOPLE,
	SERVICE,
	type Slapd,
	startSlapd,
} from "../support/slapd.ts";

const RULES = {
	groupMap: { [`cn=Net Ops,ou=groups,${BASE}`]: ["Editor"], viewers: ["Viewer", "No such group"] },
	adminGroup: `cn=bosses,ou=groups,${BASE}`,
};
const GROUPS =
	buildGroupLdif("net ops", "ada", "bea") + buildGroupLdif("Viewers", "ada") + buildGroupLdif("bosses", "bea");

const getDirectory = (port: number, options: Partial<LdapOptions> = {}, lines?: string[]): AppParts["directory"] => ({
	...openTestDirectory(port, options, lines),
	rules: RULES,
});

describe("without a directory", () => {
	let t: TestApp;
	beforeAll(async () => {
		t = await startTestApp();
	});
	afterAll(() => t.close());

	it("there is nothing to sign in with", async () => {
		const { status, body } = await t.anonymous.post("/api/auth/ldap-login/", { username: "ada", password: PASSWORD });
		expect([status, body]).toEqual([404, { detail: expect.any(String) }]);
		expect((await t.anonymous.get("/api/auth/health/")).body.ldap_enabled).toBe(false);
	});
});

describe("a directory that cannot be reached", () => {
	let t: TestApp;
	const lines: string[] = [];
	beforeAll(async () => {
		t = await startTestApp({ deps: { directory: getDirectory(1, {}, lines) } });
	});
	afterAll(() => t.close());

	it("answers 503, and locks nobody for it", async () => {
		for (let i = 0; i < 7; i++) {
			const answer = await t.anonymous.post("/api/auth/ldap-login/", { username: "ada", password: PASSWORD });
			expect([answer.status, Number(answer.headers["retry-after"]) > 0]).toEqual([503, true]);
		}
		const { rows } = await t.pool.query("select distinct failure_reason, counts from login_attempts");
		expect(rows).toEqual([{ failure_reason: "directory_unavailable", counts: false }]);
		expect(lines.join()).toContain("ECONNREFUSED");
		for (const secret of [PASSWORD, SERVICE.password]) expect(lines.join()).not.toContain(secret);
		expect((await t.anonymous.get("/api/auth/health/")).body.ldap_enabled).toBe(true);
	});
});

describe.skipIf(missing !== null)(`a directory${missing ? ` (${missing})` : ""}`, () => {
	let t: TestApp;
	let slapd: Slapd;
	beforeAll(async () => {
		slapd = await startSlapd(PEOPLE + GROUPS);
		t = await startTestApp({ deps: { directory: getDirectory(slapd.port) } });
	});
	afterAll(async () => {
		await t.close();
		await slapd.remove();
	});
	const login = (username: string, password = PASSWORD) =>
		t.anonymous.post("/api/auth/ldap-login/", { username, password });
	const record = async (id: number) => (await t.admin.api.get(`/api/auth/management/${id}/`)).body;

	it("makes a user at the first sign-in, and refreshes names, address and groups at each", async () => {
		const { status, body } = await login("ADA");
		expect(status).toBe(200);
		expect(body.user).toEqual({ id: expect.any(Number), username: "ada", is_admin: false, mfa_enabled: false });
		const id = body.user.id;
		expect(await record(id)).toMatchObject({
			auth_source: "ldap",
			first_name: "First",
			last_name: "ada",
			email: "ada@directory.example.com",
			group_names: ["Editor", "Users", "Viewer"],
		});
		const groups = [...(await record(id)).group_ids, ...(await groupIds(t, "Operator"))];
		await t.admin.api.patch(`/api/auth/management/${id}/`, { group_ids: groups });
		const session = t.as(body.access);
		await slapd.load(PEOPLE.replace("givenName: First", "givenName: Augusta") + buildGroupLdif("bosses", "ada"));
		expect((await login("ada")).body.user).toMatchObject({ id, is_admin: true });
		expect(await record(id)).toMatchObject({ first_name: "Augusta", group_names: ["Admin", "Operator", "Users"] });
		expect((await session.get("/api/auth/management/")).status).toBe(200);
		await slapd.load(PEOPLE + GROUPS);
		expect((await login("ada")).body.user.is_admin).toBe(false);
		expect((await session.get("/api/auth/management/")).status).toBe(403);
		const entries = (await findAudit(t, id)).filter(({ user_id }) => user_id === id);
		expect(entries.map(({ action }) => action)).toEqual([
			...["directory_user_create", "ldap_login", "directory_user_update", "ldap_login"],
			...["directory_user_update", "ldap_login"],
		]);
	});

	describe("whose groups are not found", () => {
		const many = Array.from({ length: 1_399 }, (_, i) => buildGroupLdif(`group ${i}`, "ada")).join("");
		const lines: string[] = [];
		const asked = { current: null as AppParts["directory"] };
		let other: TestApp;
		beforeAll(async () => {
			const directory = {
				...openTestDirectory(slapd.port),
				rules: RULES,
				authenticate: async (name: string, password: string) =>
					(await asked.current?.authenticate(name, password)) ?? null,
			};
			other = await startTestApp({
				deps: { directory, logger: pino({ level: "warn" }, { write: (line: string) => void lines.push(line) }) },
			});
		});
		afterAll(async () => {
			await other.close();
			await slapd.load(PEOPLE + GROUPS);
		});
		const signIn = async (options: Partial<LdapOptions> = {}) => {
			asked.current = getDirectory(slapd.port, options);
			const { status, body } = await other.anonymous.post("/api/auth/ldap-login/", {
				username: "ada",
				password: PASSWORD,
			});
			expect(status).toBe(200);
			const { body: user } = await other.admin.api.get(`/api/auth/management/${body.user.id}/`);
			return user as { id: number; group_names: string[] };
		};

		it("finds a mapped group at the end of 1,400", async () => {
			await slapd.load(PEOPLE + many + buildGroupLdif("bosses", "ada"));
			expect((await signIn()).group_names).toEqual(["Admin", "Users"]);
		});

		it.each<[string, Partial<LdapOptions>]>([
			["fails", { groupBase: `ou=elsewhere,${BASE}` }],
			["ends at the directory's limit", { bind: LIMITED }],
			["is not configured", { groupBase: null }],
		])("keeps the membership where the search %s, and tells administrators", async (_what, options) => {
			await slapd.load(PEOPLE + many + buildGroupLdif("bosses", "ada") + buildGroupLdif("net ops", "ada"));
			const { id, group_names } = await signIn();
			expect(group_names).toEqual(["Admin", "Editor", "Users"]);
			lines.length = 0;
			await other.pool.query("delete from notifications");
			expect((await signIn(options)).group_names).toEqual(group_names);
			expect(lines.join("")).toContain("the directory does not name the groups of a user");
			const { body } = await other.admin.api.get("/api/notifications/notifications/");
			expect(body.results).toMatchObject([
				{ title: "The groups of ada are unknown", body: expect.stringContaining("WEFT_LDAP_GROUP_BASE") },
			]);
			expect(body.results[0].link).toBe(`/api/auth/management/${id}/`);
			await slapd.load(PEOPLE + buildGroupLdif("bosses", "bea"));
			expect((await signIn()).group_names).toEqual(["Users"]);
		});
	});

	it("refuses wrong passwords, unknown names and none alike", async () => {
		const answers = [await login("bea", "wrong"), await login("nobody"), await login("bea", " ")];
		expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
		expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
		expect((await login("bea", "")).body).toHaveProperty("password");
		const attempts = (await Promise.all(["bea", "nobody"].map((name) => loginAttempts(t, name)))).flat();
		const reasons = attempts.filter(({ success }) => !success).map(({ failure_reason }) => failure_reason);
		expect([...new Set(reasons)]).toEqual(["directory_failed"]);
		expect((await login("bea")).body.user.is_admin).toBe(true);
	});

	it("locks a name after five failures", async () => {
		for (let i = 0; i < 5; i++) expect((await login("dee", "wrong")).status).toBe(401);
		expect((await login("dee")).status).toBe(429);
		await t.clock.advance(15 * 60_000 + 1);
		expect((await login("dee")).status).toBe(200);
	});

	it.each(["*", "a*", "ada)(uid=*", "*)(objectClass=*", "ada))(|(uid=*", "\\61da", "ada\n", "uid=ada", "ad\u0430"])(
		"%j finds nobody",
		async (username) => expect((await login(username)).status).toBe(401),
	);

	it("lets nobody in by a name that cannot be one here, or that is a local user's", async () => {
		expect((await login("strange (name)*")).status).toBe(401);
		expect((await login("root")).status).toBe(401);
		expect((await t.admin.api.get("/api/auth/profile/")).body).toMatchObject({ first_name: "", is_superuser: true });
		expect((await t.anonymous.post("/api/auth/login/", { username: "root", password: PASSWORD })).status).toBe(401);
	});

	it("its users have no password here, to sign in with, to change or to reset", async () => {
		const { body } = await login("cal");
		const api = t.as(body.access);
		expect((await t.anonymous.post("/api/auth/login/", { username: "cal", password: PASSWORD })).status).toBe(401);
		const change = { old_password: PASSWORD, new_password: TEST_PASSWORD };
		expect((await api.post("/api/auth/password/change/", change)).status).toBe(400);
		const path = `/api/auth/management/${body.user.id}/`;
		expect((await t.admin.api.post(`${path}reset_password/`, { new_password: TEST_PASSWORD })).status).toBe(400);
		expect((await t.admin.api.post(`${path}generate_reset_code/`)).status).toBe(400);
		await t.admin.api.post(`${path}deactivate/`);
		expect((await login("cal")).status).toBe(401);
		expect((await record(body.user.id)).is_active).toBe(false);
		await t.admin.api.post(`${path}activate/`);
		await t.pool.query("update login_attempts set counts = false");
	});

	it("its users may have a second factor, which the directory's password removes", async () => {
		const api = t.as((await login("cal")).body.access);
		const { secret } = (await api.post("/api/auth/mfa/setup/")).body;
		const totp = new TOTP({ secret });
		await api.post("/api/auth/mfa/verify/", { code: totp.generate({ timestamp: t.clock.now() }) });
		await t.clock.advance(30_000);
		const first = await login("cal");
		expect(first.status).toBe(202);
		const code = totp.generate({ timestamp: t.clock.now() });
		const second = await t.anonymous.post("/api/auth/mfa-login/", { mfa_token: first.body.mfa_token, code });
		expect(second.status).toBe(200);
		expect((await api.post("/api/auth/mfa/disable/", { password: TEST_PASSWORD })).body).toHaveProperty("password");
		expect((await api.post("/api/auth/mfa/disable/", { password: PASSWORD })).body).toEqual({ enabled: false });
	});

	it("leaves another user's address alone", async () => {
		await t.pool.query("delete from users where username = 'dee'");
		const eve = await t.user("eve");
		await eve.api.patch("/api/auth/profile/", { email: "dee@directory.example.com" });
		const { body } = await login("dee");
		expect(await record(body.user.id)).toMatchObject({ email: "", email_verified: false });
	});

	it("speaks TLS where it is asked to, with a server whose certificate it trusts, and not at all otherwise", async () => {
		const ca = readFileSync(slapd.ca, "utf8");
		const ask = (options: Partial<LdapOptions>) =>
			getDirectory(slapd.port, { startTls: true, ...options })?.authenticate("ada", PASSWORD);
		expect(await ask({ ca })).toMatchObject({ username: "ada" });
		await expect(ask({ ca: null })).rejects.toThrow("could not be asked");
		await expect(ask({ ca, uri: `ldap://127.0.0.1:${slapd.port}` })).rejects.toThrow("could not be asked");
	});

	it("is not to be had with a wrong account of the service, or for a name that two people have", async () => {
		const lines: string[] = [];
		const wrong = getDirectory(slapd.port, { bind: { ...SERVICE, password: "not it" } }, lines);
		await expect(wrong?.authenticate("ada", PASSWORD)).rejects.toThrow("could not be asked");
		expect(lines.join()).not.toContain("not it");
		const loose = getDirectory(slapd.port, { userFilter: "(|(uid={username})(objectClass=inetOrgPerson))" });
		expect(await loose?.authenticate("ada", PASSWORD)).toBeNull();
	});
});
