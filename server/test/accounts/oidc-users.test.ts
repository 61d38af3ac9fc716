/**
 * The users who sign in at an identity provider: names, groups, claims, locks, second factors and
 * ends of sessions.
 */
import { TOTP } from "otpauth";
import { pino } from "pino";
import { beforeAll, describe, expect, it } from "vitest";
import { createOidcProvider } from "../../src/integrations/oidc/oidc.ts";
import { TEST_PASSWORD, type TestApp } from "../support/harness.ts";
import { startIdentityProvider, type TestProvider } from "../support/identity-provider.ts";
import { CALLBACK, FRONTEND, useIdentityProvider } from "../support/oidc-sign-ins.ts";
import { findAudit, groupIds, loginAttempts } from "../support/rights.ts";

const signIns = useIdentityProvider();
const { addPerson, runSignIn, exchangeCode, signIn, getFailure, getRecord, lines } = signIns;
let t: TestApp;
let provider: TestProvider;
beforeAll(() => {
	({ t, provider } = signIns);
});

describe("an identity provider", () => {
	it("makes a user at the first sign-in, and refreshes names, address and groups at each", async () => {
		const ada = addPerson("ada", { groups: ["Net Ops", "viewers", 7] });
		const { search } = await runSignIn(ada, undefined, "/queries?q=a//b");
		expect([...search.keys()].sort()).toEqual(["next", "oidc"]);
		expect(search.get("next")).toBe("/queries?q=a//b");
		const { status, body } = await exchangeCode(search);
		expect(status).toBe(200);
		const { id } = body.user;
		expect(body).toEqual({
			access: expect.any(String),
			refresh: expect.any(String),
			user: { id, username: "ada", is_admin: false, mfa_enabled: false },
		});
		expect(await getRecord(id)).toMatchObject({
			auth_source: "oidc",
			first_name: "First",
			last_name: "ada",
			email: "ada@provider.example.com",
			email_verified: true,
			group_names: ["Editor", "Users", "Viewer"],
		});
		const groups = [...(await getRecord(id)).group_ids, ...(await groupIds(t, "Operator"))];
		await t.admin.api.patch(`/api/auth/management/${id}/`, { group_ids: groups });
		const session = t.as(body.access);
		addPerson("ada", { groups: "bosses", given_name: "Augusta" });
		expect((await signIn(ada)).body.user).toMatchObject({ id, is_admin: true });
		expect(await getRecord(id)).toMatchObject({ first_name: "Augusta", group_names: ["Admin", "Operator", "Users"] });
		expect((await session.get("/api/auth/management/")).status).toBe(200);
		addPerson("ada", { groups: [] });
		expect((await signIn(ada)).body.user.is_admin).toBe(false);
		expect((await session.get("/api/auth/management/")).status).toBe(403);
		const entries = (await findAudit(t, id)).filter(({ user_id }) => user_id === id);
		expect(entries.map(({ action }) => action)).toEqual([
			...["oidc_user_create", "oidc_login", "oidc_user_update", "oidc_login", "oidc_user_update", "oidc_login"],
		]);
		expect((await loginAttempts(t, "ada")).map(({ success }) => success)).toEqual([true, true, true]);
	});

	describe("that does not name a person's groups", () => {
		const member = { groups: ["bosses", "net ops"] };
		const groupNames = async (id: number) => (await getRecord(id)).group_names;

		it.each([
			["says nothing", {}],
			[
				"refers to another source",
				{ _claim_names: { groups: "src1" }, _claim_sources: { src1: { endpoint: "https://x" } } },
			],
			["has a number for a name", { groups: [7] }],
			["has an empty text", { groups: "" }],
			["has an object", { groups: { name: "viewers" } }],
		])("keeps the membership where the token %s", async (_what, claims) => {
			const kim = addPerson("kim", member);
			const { id } = (await signIn(kim)).body.user;
			expect(await groupNames(id)).toEqual(["Admin", "Editor", "Users"]);
			addPerson("kim", claims);
			expect((await signIn(kim)).body.user.is_admin).toBe(true);
			expect(await groupNames(id)).toEqual(["Admin", "Editor", "Users"]);
			addPerson("kim", { groups: [] });
			expect((await signIn(kim)).body.user.is_admin).toBe(false);
			expect(await groupNames(id)).toEqual(["Users"]);
		});

		it("logs each user with unknown groups, and notifies administrators once for each", async () => {
			const lou = addPerson("lou", member);
			const { id } = (await signIn(lou)).body.user;
			await t.user("second.admin", ["Admin"]);
			addPerson("lou");
			for (let i = 0; i < 2; i++) await signIn(lou);
			const logged = lines.map((line) => JSON.parse(line)).filter(({ userId, level }) => userId === id && level === 40);
			expect(logged).toHaveLength(2);
			expect(logged[0].msg).toContain("the identity provider does not name the groups of a user");
			const { rows } = await t.pool.query(
				`select u.username, n.category, n.severity, n.title, n.body from notifications n join users u on u.id = n.user_id
				where n.key = $1 and u.username in ('root', 'second.admin', 'lou') order by u.username`,
				[`groups_unknown:${id}`],
			);
			const notice = {
				category: "system",
				severity: "warning",
				title: "The groups of lou are unknown",
				body: expect.stringMatching(
					/^The identity provider did not name the groups of lou .*are kept.*WEFT_OIDC_GROUPS_CLAIM/,
				),
			};
			expect(rows).toEqual(["lou", "root", "second.admin"].map((username) => ({ username, ...notice })));
		});

		it("adds a new person to no group, and keeps names that are absent later", async () => {
			const { body } = await signIn(addPerson("max"));
			expect(await groupNames(body.user.id)).toEqual(["Users"]);
			provider.people.set("subject of max", { preferred_username: "max", ...member });
			await signIn("subject of max");
			expect(await getRecord(body.user.id)).toMatchObject({
				first_name: "First",
				last_name: "max",
				email: "max@provider.example.com",
				group_names: ["Admin", "Editor", "Users"],
			});
		});
	});

	it("reads claims in the forms that providers use", async () => {
		provider.people.set("forms", {
			preferred_username: "forms",
			email: "forms@provider.example.com",
			email_verified: "true",
			name: "Ada King Lovelace",
			groups: "net ops, viewers",
		});
		const { body } = await signIn("forms");
		expect(await getRecord(body.user.id)).toMatchObject({
			first_name: "Ada King",
			last_name: "Lovelace",
			email_verified: true,
			group_names: ["Editor", "Users", "Viewer"],
		});
	});

	it("finds a mapped group at the end of 1,400", async () => {
		const groups = Array.from({ length: 1_399 }, (_, i) => `group ${i}`);
		const { body } = await signIn(addPerson("ned", { groups: [...groups, "Bosses"] }));
		expect(body.user.is_admin).toBe(true);
	});

	it("takes over no account with the same name, and follows a person under another name", async () => {
		expect(await getFailure(addPerson("root", { groups: ["bosses"] }))).toBe("taken");
		expect(await getFailure(addPerson("ROOT"))).toBe("taken");
		await t.user("cleo");
		await t.pool.query("update users set auth_source = 'ldap' where username = 'cleo'");
		expect(await getFailure(addPerson("cleo"))).toBe("taken");
		const dan = addPerson("dan");
		const { id } = (await signIn(dan)).body.user;
		provider.people.set("another", { preferred_username: "dan" });
		expect(await getFailure("another")).toBe("taken");
		provider.people.set(dan, { preferred_username: "daniel" });
		expect((await signIn(dan)).body.user).toMatchObject({ id, username: "dan" });
		const attempts = [];
		for (const name of ["root", "cleo", "dan"]) attempts.push(...(await loginAttempts(t, name)));
		const reasons = attempts.filter(({ success }) => !success).map(({ failure_reason }) => failure_reason);
		expect([...new Set(reasons)]).toEqual(["oidc_taken"]);
		expect((await t.anonymous.post("/api/auth/login/", { username: "dan", password: TEST_PASSWORD })).status).toBe(401);
	});

	it("lets its users in again after the provider was replaced", async () => {
		const { id } = (await signIn(addPerson("eli"))).body.user;
		await t.pool.query("update oidc_accounts set issuer = 'https://former.example.com' where user_id = $1", [id]);
		provider.people.set("new subject", { preferred_username: "eli" });
		expect((await signIn("new subject")).body.user.id).toBe(id);
	});

	it.each([["strange (name)*"], [""], [undefined], ["ab"], ["x".repeat(151)]])(
		"lets nobody in as %j",
		async (preferred_username) => {
			provider.people.set("strange", preferred_username === undefined ? {} : { preferred_username });
			expect(await getFailure("strange")).toBe("username");
		},
	);

	it("refuses a user who is not active, at the callback and at the exchange", async () => {
		const fay = addPerson("fay");
		const { id } = (await signIn(fay)).body.user;
		const { search } = await runSignIn(fay);
		await t.admin.api.post(`/api/auth/management/${id}/deactivate/`);
		expect((await exchangeCode(search)).status).toBe(401);
		expect(await getFailure(fay)).toBe("inactive");
		expect((await getRecord(id)).is_active).toBe(false);
	});

	it("locks a name after five failed passwords", async () => {
		const gus = addPerson("gus");
		await signIn(gus);
		for (let i = 0; i < 5; i++) await t.anonymous.post("/api/auth/login/", { username: "gus", password: "wrong" });
		expect(await getFailure(gus)).toBe("locked");
		await t.clock.advance(15 * 60_000 + 1);
		expect(await getFailure(gus)).toBeNull();
	});

	it("has users without a password here, who may have a second factor that an administrator removes", async () => {
		const hal = addPerson("hal");
		const { body } = await signIn(hal);
		const api = t.as(body.access);
		const change = { old_password: "x", new_password: TEST_PASSWORD };
		expect((await api.post("/api/auth/password/change/", change)).body).toHaveProperty("old_password");
		const path = `/api/auth/management/${body.user.id}/`;
		expect((await t.admin.api.post(`${path}reset_password/`, { new_password: TEST_PASSWORD })).status).toBe(400);
		expect((await t.admin.api.post(`${path}generate_reset_code/`)).status).toBe(400);
		const { secret } = (await api.post("/api/auth/mfa/setup/")).body;
		const totp = new TOTP({ secret });
		await api.post("/api/auth/mfa/verify/", { code: totp.generate({ timestamp: t.clock.now() }) });
		await t.clock.advance(30_000);
		const first = await signIn(hal);
		expect(first.status).toBe(202);
		const code = totp.generate({ timestamp: t.clock.now() });
		const second = await t.anonymous.post("/api/auth/mfa-login/", { mfa_token: first.body.mfa_token, code });
		expect(second.status).toBe(200);
		expect((await api.post("/api/auth/mfa/disable/", { password: "x" })).body).toHaveProperty("password");
		expect((await t.admin.api.post(`${path}disable_mfa/`)).status).toBe(200);
		expect((await signIn(hal)).status).toBe(200);
	});

	it("ends the session here and says where it ends at the provider", async () => {
		const { body } = await signIn(addPerson("ida"));
		const api = t.as(body.access);
		const { status, body: ended } = await api.post("/api/auth/logout/");
		expect(status).toBe(200);
		const address = new URL(ended.end_session_url);
		expect(address.href.startsWith(`${provider.issuer}/session/end?`)).toBe(true);
		expect(address.searchParams.get("post_logout_redirect_uri")).toBe(`${FRONTEND}/login`);
		expect((await fetch(address)).status).toBe(200);
		expect((await api.get("/api/auth/profile/")).status).toBe(401);
		expect((await t.admin.api.get("/api/auth/profile/")).status).toBe(200);
	});
});

describe("an identity provider that signs user info", () => {
	it("lets people in with its claims, and refuses one with a wrong signature", async () => {
		const provider = await startIdentityProvider(FRONTEND, true);
		const { issuer, clientId, clientSecret } = provider;
		const settings = { scopes: "openid profile email", usernameClaim: "preferred_username", groupsClaim: "groups" };
		const lines: string[] = [];
		const logger = pino({ level: "debug" }, { write: (line: string) => void lines.push(line) });
		const adapter = createOidcProvider(
			{ issuer, clientId, clientSecret, ...settings },
			{ now: () => Date.now() },
			logger,
		);
		try {
			provider.people.set("signed", { preferred_username: "signed", given_name: "Ada" });
			const secrets = { redirectUri: CALLBACK, state: "s".repeat(43), nonce: "n".repeat(43), verifier: "v".repeat(43) };
			const redeem = async () => {
				const location = await adapter.authorizationUrl(secrets, null);
				const back = new URL(await provider.signIn(location, "signed", CALLBACK));
				return adapter.redeem(back.searchParams, secrets);
			};
			expect(await redeem()).toMatchObject({ subject: "signed", username: "signed", first_name: "Ada" });
			provider.forgesUserInfo = true;
			await expect(redeem()).rejects.toMatchObject({ reason: "token" });
		} finally {
			await adapter.close();
			await provider.stop();
		}
	});
});
