/** Recent sign-ins for new API tokens, the end of sessions, and routes closed to tokens. */
import { TOTP } from "otpauth";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, startTestApp, type TestApp, type TestUser, waitUntil } from "../support/harness.ts";
import { findAudit, findPermissionIds, setRights } from "../support/rights.ts";

const TOKENS = "/api/auth/tokens/";
const REAUTHENTICATE = "/api/auth/reauthenticate/";
const PROFILE = "/api/auth/profile/";
const DAY = 24 * 3_600_000;
const NEW_PASSWORD = "another horse battery";

let t: TestApp;
let serial = 0;
beforeAll(async () => {
	t = await startTestApp({ inProcess: true });
});
afterAll(() => t.close());

/** A session of its own, which ages with the clock: access tokens are refreshed. */
async function signIn(user: TestUser, password = user.password) {
	const { status, body } = await t.anonymous.post("/api/auth/login/", { username: user.username, password });
	expect(status).toBe(200);
	return {
		/** A client with a fresh access token of the same session. */
		api: async (): Promise<Api> => {
			const refreshed = await t.anonymous.post("/api/auth/token/refresh/", { refresh: body.refresh });
			return t.as(refreshed.body.access);
		},
	};
}
const createNewUser = (groups: string[] = []) => t.user(`person.${++serial}`, groups);
const createToken = (api: Api, more: object = {}) => api.post(TOKENS, { name: `token ${++serial}`, ...more });
const findToken = async (user: TestUser, more: object = {}): Promise<Api> => {
	const { status, body, text } = await createToken(await (await signIn(user)).api(), more);
	expect(status, text).toBe(201);
	return t.as(body.token);
};
const findStatus = async (api: Api) => (await api.get(PROFILE)).status;
const listNotices = async (user: TestUser): Promise<{ title: string; body: string }[]> =>
	(await user.api.get("/api/notifications/notifications/?page_size=200")).body.results;

describe("a new API token", () => {
	it("needs a sign-in of at most 15 minutes ago, or the password again", async () => {
		const ada = await createNewUser();
		const session = await signIn(ada);
		await t.clock.advance(15 * 60_000);
		expect((await createToken(await session.api())).status).toBe(201);
		await t.clock.advance(1_000);
		const api = await session.api();
		const refused = await createToken(api);
		expect([refused.status, refused.body]).toEqual([
			403,
			{ detail: expect.stringContaining("again"), code: "reauthentication_required" },
		]);
		expect((await api.post(REAUTHENTICATE, { password: "wrong" })).body).toEqual({ password: [expect.any(String)] });
		expect((await createToken(api)).status).toBe(403);
		expect((await api.post(REAUTHENTICATE, { password: ada.password })).status).toBe(204);
		expect((await createToken(api)).status).toBe(201);
		const entries = await findAudit(t, ada.id);
		expect(entries.map(({ action }) => action)).toContain("reauthenticate");
	});

	it("refuses a token in a session with an old sign-in, although another session has a recent one", async () => {
		const bob = await createNewUser();
		const old = await signIn(bob);
		await t.clock.advance(16 * 60_000);
		await signIn(bob);
		expect((await createToken(await old.api())).body.code).toBe("reauthentication_required");
	});

	it("of a service account needs it too", async () => {
		const admin = await createNewUser(["Admin"]);
		const session = await signIn(admin);
		const { body: account } = await t.admin.api.post("/api/auth/management/", {
			username: "svc.deploy",
			auth_source: "service",
		});
		const path = `/api/auth/management/${account.id}/tokens/`;
		await t.clock.advance(16 * 60_000);
		expect((await (await session.api()).post(path, { name: "x" })).body.code).toBe("reauthentication_required");
	});

	it("may follow a code of the second factor", async () => {
		const cal = await createNewUser();
		const session = await signIn(cal);
		const api = await session.api();
		const { secret } = (await api.post("/api/auth/mfa/setup/")).body;
		const totp = new TOTP({ secret });
		const code = () => totp.generate({ timestamp: t.clock.now() });
		await api.post("/api/auth/mfa/verify/", { code: code() });
		await t.clock.advance(16 * 60_000);
		const later = await session.api();
		expect((await later.post(REAUTHENTICATE, { code: "000000" })).body).toEqual({ code: [expect.any(String)] });
		const used = code();
		expect((await later.post(REAUTHENTICATE, { code: used })).status).toBe(204);
		expect((await later.post(REAUTHENTICATE, { code: used })).status).toBe(400);
		expect((await createToken(later)).status).toBe(201);
	});

	it.each([{}, { password: "x", code: "123456" }])("needs exactly one proof, not %j", async (body) => {
		const dee = await createNewUser();
		expect((await dee.api.post(REAUTHENTICATE, body)).body).toHaveProperty("non_field_errors");
	});

	it("tells its owner, and ends after 90 days unless it is to have no end", async () => {
		const eve = await createNewUser();
		const usual = (await createToken(eve.api, { name: "usual" })).body;
		expect(usual.expires_at).toBe(new Date(t.clock.now() + 90 * DAY).toISOString());
		expect((await createToken(eve.api, { expires_at: null })).body.expires_at).toBeNull();
		expect((await createToken(eve.api, { expires_in_days: 400 })).body.expires_at).toBe(
			new Date(t.clock.now() + 400 * DAY).toISOString(),
		);
		expect((await listNotices(eve)).map(({ title }) => title)).toContain('The API token "usual" was created');
		expect((await eve.api.get(`${TOKENS}options/`)).body).toMatchObject({ max_days: null, default_days: 90 });
	});

	it("under a bound ends with the smaller of both, and never has no end", async () => {
		for (const [tokenMaxDays, days] of [
			[30, 30],
			[365, 90],
		]) {
			const own = await startTestApp({ deps: { tokenMaxDays: Number(tokenMaxDays) } });
			const user = await own.user("fay");
			const { body } = await user.api.post(TOKENS, { name: "x" });
			expect(body.expires_at).toBe(new Date(own.clock.now() + Number(days) * DAY).toISOString());
			const endless = await user.api.post(TOKENS, { name: "x", expires_at: null });
			expect([endless.status, Object.keys(endless.body)]).toEqual([400, ["expires_at"]]);
			await own.close();
		}
	});
});

describe("the end of sessions", () => {
	const change = (user: TestUser, more: object = {}) => ({
		old_password: user.password,
		new_password: NEW_PASSWORD,
		...more,
	});

	it("by a new password ends API tokens too", async () => {
		const gus = await createNewUser();
		const token = await findToken(gus);
		const { status, body } = await gus.api.post("/api/auth/password/change/", change(gus));
		expect([status, body]).toEqual([200, { message: expect.stringContaining("tokens") }]);
		expect(await findStatus(token)).toBe(401);
	});

	it("keeps API tokens where that is asked for, and says what it ended", async () => {
		const hal = await createNewUser();
		const token = await findToken(hal);
		const { body } = await hal.api.post("/api/auth/password/change/", change(hal, { revoke_tokens: false }));
		expect(body).toEqual({ sessions_ended: 1, tokens_revoked: 0 });
		expect(await findStatus(token)).toBe(200);
	});

	it("of all others ends API tokens unless they are to stay", async () => {
		const ida = await createNewUser();
		const token = await findToken(ida);
		const kept = await ida.api.del("/api/auth/sessions/?revoke_tokens=false");
		expect([kept.status, kept.body]).toEqual([200, { sessions_ended: 1, tokens_revoked: 0 }]);
		expect(await findStatus(token)).toBe(200);
		const headers = { "content-type": "application/json" };
		const again = await ida.api.send("DELETE", "/api/auth/sessions/", '{"revoke_tokens": false}', headers);
		expect([again.status, again.body]).toEqual([200, { sessions_ended: 0, tokens_revoked: 0 }]);
		const plain = await ida.api.del("/api/auth/sessions/");
		expect([plain.status, plain.text]).toEqual([204, ""]);
		expect(await findStatus(token)).toBe(401);
		const other = await findToken(ida);
		const counted = await ida.api.del("/api/auth/sessions/?revoke_tokens=true");
		expect([counted.status, counted.body]).toEqual([200, { sessions_ended: 1, tokens_revoked: 1 }]);
		expect(await findStatus(other)).toBe(401);
		expect((await ida.api.get(PROFILE)).status).toBe(200);
	});

	it("by an administrator's reset or code ends API tokens unless they are to stay", async () => {
		const jan = await createNewUser();
		const path = `/api/auth/management/${jan.id}/`;
		const first = await findToken(jan);
		const kept = await t.admin.api.post(`${path}reset_password/`, { new_password: NEW_PASSWORD, revoke_tokens: false });
		expect(kept.body).toEqual({ sessions_ended: 1, tokens_revoked: 0 });
		expect(await findStatus(first)).toBe(200);
		const confirm = async (more: object) => {
			const { code } = (await t.admin.api.post(`${path}generate_reset_code/`)).body;
			return t.anonymous.post("/api/auth/password-reset/confirm/", { code, new_password: NEW_PASSWORD, ...more });
		};
		expect((await confirm({ revoke_tokens: false })).body).toEqual({ sessions_ended: 0, tokens_revoked: 0 });
		expect(await findStatus(first)).toBe(200);
		expect((await confirm({})).body).toEqual({ status: "ok" });
		expect(await findStatus(first)).toBe(401);
		const { body } = await t.admin.api.post(`${path}reset_password/`, { new_password: NEW_PASSWORD });
		expect(body).toMatchObject({ id: jan.id, username: jan.username });
	});
});

describe("an administrator's token", () => {
	const ACTIONS = ["disable_mfa", "generate_reset_code", "reset_password", "verify_email"];
	const act = (api: Api, id: number, action: string) =>
		api.post(
			`/api/auth/management/${id}/${action}/`,
			action === "reset_password" ? { new_password: NEW_PASSWORD } : undefined,
		);

	it("never reaches how its own owner signs in", async () => {
		const admin = await createNewUser(["Admin"]);
		const change_user = await findPermissionIds(t, "change_user");
		for (const api of [await findToken(admin), await findToken(admin, { permission_ids: change_user })]) {
			for (const action of [...ACTIONS, "deactivate"]) {
				const { status, body } = await act(api, admin.id, action);
				expect([action, status, body.detail]).toEqual([action, 403, expect.stringContaining("API tokens cannot")]);
			}
			const patched = await api.patch(`/api/auth/management/${admin.id}/`, { email: "new@example.com" });
			expect(patched.status).toBe(403);
			expect((await api.post(REAUTHENTICATE, { password: admin.password })).status).toBe(403);
		}
	});

	it("reaches how others sign in only with the chosen permission change_user", async () => {
		const admin = await createNewUser(["Admin"]);
		const victim = await createNewUser();
		await t.admin.api.patch(`/api/auth/management/${victim.id}/`, { email: `victim${serial}@example.com` });
		const whole = await findToken(admin);
		const other = await findToken(admin, { permission_ids: await findPermissionIds(t, "view_savedquery") });
		const chosen = await findToken(admin, { permission_ids: await findPermissionIds(t, "change_user") });
		for (const action of ACTIONS) {
			expect((await act(whole, victim.id, action)).body.detail).toContain("change_user");
			expect((await act(other, victim.id, action)).status).toBe(403);
			expect([action, (await act(chosen, victim.id, action)).status]).toEqual([action, 200]);
		}
		expect((await act(chosen, t.admin.id, "disable_mfa")).status).toBe(403);
		expect((await chosen.get("/api/auth/management/")).status).toBe(403);
		expect((await whole.patch(`/api/auth/management/${victim.id}/`, { first_name: "V" })).status).toBe(200);
	});

	it("needs an owner who is an administrator", async () => {
		const user = await createNewUser();
		await setRights(t, user, { groups: ["Users"], permissions: ["change_user"] });
		const token = await findToken(user, { permission_ids: await findPermissionIds(t, "change_user") });
		expect((await act(token, t.admin.id, "disable_mfa")).status).toBe(403);
	});

	it.each(["start/", "callback/?code=x&state=y", "exchange/", "terminal/"])(
		"is refused at single sign-on: %s",
		async (path) => {
			const token = await findToken(await createNewUser(["Admin"]));
			const answer =
				path === "exchange/" || path === "terminal/"
					? await token.post(`/api/auth/oidc/${path}`, { code: "x", request: "x" })
					: await token.get(`/api/auth/oidc/${path}`);
			expect([answer.status, answer.body.detail]).toEqual([403, expect.stringContaining("API tokens cannot")]);
		},
	);
});

describe("the owner is notified", () => {
	it("when the second factor is turned on, its codes are made anew, and it is turned off", async () => {
		const kim = await createNewUser();
		const { secret } = (await kim.api.post("/api/auth/mfa/setup/")).body;
		const code = new TOTP({ secret }).generate({ timestamp: t.clock.now() });
		await kim.api.post("/api/auth/mfa/verify/", { code });
		await kim.api.post("/api/auth/mfa/backup-codes/", { password: kim.password });
		await kim.api.post("/api/auth/mfa/disable/", { password: kim.password });
		expect((await listNotices(kim)).map(({ title }) => title).reverse()).toEqual([
			"The second factor of your account was switched on",
			"Your backup codes were replaced",
			"The second factor of your account was switched off",
		]);
	});

	it("when the email address changes, at the address before too", async () => {
		const sent: { to: string; subject: string }[] = [];
		const mailer = {
			send: async (mail: { to: string; subject: string }) => void sent.push(mail),
			close: async () => {},
		};
		const own = await startTestApp({ work: true, deps: { mailer } });
		try {
			const mia = await own.user("mia");
			await mia.api.patch(PROFILE, { email: "first@example.com" });
			expect((await mia.api.patch(PROFILE, { email: "second@example.com", first_name: "Mia" })).status).toBe(200);
			await mia.api.patch(PROFILE, { first_name: "M" });
			await own.admin.api.patch(`/api/auth/management/${mia.id}/`, { email: "third@example.com" });
			const mails = await waitUntil("both mails are sent", () => {
				const found = sent.filter(({ subject }) => subject === "Your email address for Weft was changed");
				return found.length === 2 ? found : null;
			});
			expect(mails.map(({ to }) => to).sort()).toEqual(["first@example.com", "second@example.com"]);
			const changed = (await listNotices(mia)).filter(({ title }) => title === "Your email address was changed");
			expect(changed.map(({ body }) => body.split(" ")[0])).toEqual(["root", "mia", "mia"]);
		} finally {
			await own.close();
		}
	});
});
