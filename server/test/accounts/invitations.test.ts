/** Invitations, passwords that must be changed, and second factors that are required. */
import { TOTP } from "otpauth";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { MfaRequirement } from "../../src/areas/accounts/sign-in/rules/restriction.ts";
import { startTestApp, TEST_PASSWORD, type TestApp, waitUntil } from "../support/harness.ts";
import { createMailbox } from "../support/mailbox.ts";
import { auditEntries, groupIds } from "../support/rights.ts";

const FRONTEND = "https://weft.example.com";
const MANAGEMENT = "/api/auth/management/";
const INVITATIONS = `${MANAGEMENT}invitations/`;
const DAY = 24 * 3_600_000;
const { sent, mailer } = createMailbox();

let t: TestApp;
beforeAll(async () => {
	t = await startTestApp({ work: true, deps: { mailer, frontendUrl: FRONTEND } });
});
afterAll(() => t.close());

const readToken = (url: string): string =>
	/^https:\/\/weft\.example\.com\/invitation#token=([\w-]{43})$/.exec(url)?.[1] ?? "";
const postLogin = (username: string, password = TEST_PASSWORD) =>
	t.anonymous.post("/api/auth/login/", { username, password });
const invitePeople = (...people: object[]) => t.admin.api.post(INVITATIONS, { people });
const acceptInvitation = (token: string, password = TEST_PASSWORD) =>
	t.anonymous.post(`/api/auth/invitations/${token}/`, { password });
async function inviteOne(username: string): Promise<string> {
	return readToken((await invitePeople({ username, group_ids: [] })).body.invitations[0].url);
}

describe("an invitation", () => {
	it("lets several people set their first password, each once, with exactly the chosen groups", async () => {
		const group_ids = await groupIds(t, "Viewer");
		const { status, body } = await invitePeople(
			{ username: "una", email: "una@example.com", group_ids },
			{ username: "vic", group_ids: [] },
		);
		expect([status, body.invitations.map(({ is_mailed }: { is_mailed: boolean }) => is_mailed)]).toEqual([
			201,
			[true, false],
		]);
		const [una, vic] = body.invitations;
		expect(Date.parse(una.expires_at) - t.clock.now()).toBe(7 * DAY);
		const mail = await waitUntil("the mail is there", () => sent.find(({ to }) => to === "una@example.com"));
		expect(mail.text).toContain(`${una.url}\n`);
		expect((await postLogin("una")).status).toBe(401);
		const token = readToken(una.url);
		const shown = await t.anonymous.get(`/api/auth/invitations/${token}/`);
		expect([shown.status, shown.body]).toEqual([200, { username: "una", expires_at: una.expires_at }]);
		expect((await acceptInvitation(token, "una")).body).toHaveProperty("password");
		const both = await Promise.all([acceptInvitation(token), acceptInvitation(token)]);
		expect(both.map((answer) => answer.status).sort()).toEqual([200, 404]);
		const { user } = (await postLogin("una")).body;
		expect((await t.admin.api.get(`${MANAGEMENT}${user.id}/`)).body.group_names).toEqual(["Viewer"]);
		expect((await t.anonymous.get(`/api/auth/invitations/${token}/`)).status).toBe(404);
		expect((await acceptInvitation(readToken(vic.url))).status).toBe(200);
		const entries = await auditEntries(t, { search: "una" });
		expect(JSON.stringify(entries)).not.toContain(token);
	});

	it("an open invitation is listed until it is accepted, and its withdrawal deletes the user", async () => {
		const token = await inviteOne("wanda");
		const listed = (await t.admin.api.get(INVITATIONS)).body.results;
		const wanda = listed.find(({ username }: { username: string }) => username === "wanda");
		expect(wanda).toMatchObject({ invited_by: "root", group_names: [], email: "" });
		expect((await t.admin.api.del(`${INVITATIONS}${wanda.id}/`)).status).toBe(204);
		expect((await acceptInvitation(token)).status).toBe(404);
		expect((await t.admin.api.get(`${MANAGEMENT}${wanda.id}/`)).status).toBe(404);
		expect((await t.admin.api.del(`${INVITATIONS}${t.admin.id}/`)).status).toBe(404);
	});

	it("an invitation ends after seven days, and when an administrator sets a password", async () => {
		const late = await inviteOne("xena");
		await t.pool.query("update user_invitations set expires_at = expires_at - interval '7 days'");
		expect((await acceptInvitation(late)).status).toBe(404);
		const token = await inviteOne("yuri");
		const { results } = (await t.admin.api.get(`${MANAGEMENT}?search=yuri`)).body;
		await t.admin.api.post(`${MANAGEMENT}${results[0].id}/reset_password/`, { new_password: TEST_PASSWORD });
		expect((await acceptInvitation(token)).status).toBe(404);
	});

	it("invites all or none, and names each person that cannot be invited", async () => {
		await t.user("taken");
		const { status, body } = await invitePeople(
			{ username: "fresh", group_ids: [] },
			{ username: "TAKEN", group_ids: [] },
			{ username: "fresh", group_ids: [] },
		);
		expect([status, body]).toEqual([
			400,
			{
				"people.1.username": ["There is a user of this name already."],
				"people.2.username": ["Is named twice."],
			},
		]);
		expect((await t.admin.api.get(`${MANAGEMENT}?search=fresh`)).body.count).toBe(0);
	});

	it("needs a recent sign-in, an administrator, and a superuser for the group Admin", async () => {
		const admin = await t.user("inviting.admin", ["Admin"]);
		const person = { username: "zoe", group_ids: await groupIds(t, "Admin") };
		expect((await admin.api.post(INVITATIONS, { people: [person] })).status).toBe(403);
		const user = await t.user("plain");
		expect((await user.api.post(INVITATIONS, { people: [person] })).status).toBe(403);
		const { refresh } = (await postLogin("inviting.admin")).body;
		await t.clock.advance(16 * 60_000);
		const { access } = (await t.anonymous.post("/api/auth/token/refresh/", { refresh })).body;
		const zoe = { people: [{ username: "zoe", group_ids: [] }] };
		expect((await t.as(access).post(INVITATIONS, zoe)).body).toMatchObject({ code: "reauthentication_required" });
		expect((await t.as(access).post("/api/auth/reauthenticate/", { password: TEST_PASSWORD })).status).toBe(204);
		expect((await t.as(access).post(INVITATIONS, zoe)).status).toBe(201);
	});
});

describe("a password that an administrator set", () => {
	it("must be changed before anything else where the administrator says so", async () => {
		const created = { username: "lou", password: TEST_PASSWORD, must_change_password: true, group_ids: [] };
		const { id } = (await t.admin.api.post(MANAGEMENT, created)).body;
		const lou = t.as((await postLogin("lou")).body.access);
		expect((await lou.get("/api/auth/profile/")).body.must_change_password).toBe(true);
		const refusal = await lou.get("/api/auth/preferences/");
		expect([refusal.status, refusal.body.code]).toEqual([403, "password_change_required"]);
		expect((await lou.post("/api/ws-ticket/")).status).toBe(403);
		const change = { old_password: TEST_PASSWORD, new_password: "another long phrase" };
		expect((await lou.post("/api/auth/password/change/", change)).status).toBe(200);
		expect((await lou.get("/api/auth/preferences/")).status).toBe(200);
		const reset = { new_password: TEST_PASSWORD, must_change_password: true };
		await t.admin.api.post(`${MANAGEMENT}${id}/reset_password/`, reset);
		const again = t.as((await postLogin("lou")).body.access);
		expect((await again.get("/api/auth/preferences/")).body.code).toBe("password_change_required");
	});
});

describe("a second factor that is required", () => {
	it("must be set up before anything else, and again once it was turned off", async () => {
		const app = await startTestApp({ deps: { requireMfa: new Set<MfaRequirement>(["administrators"]) } });
		try {
			const { status, body } = await app.anonymous.post("/api/auth/login/", {
				username: "root",
				password: app.admin.password,
			});
			expect(status).toBe(200);
			const root = app.as(body.access);
			const refusal = await root.get(MANAGEMENT);
			expect([refusal.status, refusal.body.code]).toEqual([403, "mfa_setup_required"]);
			expect((await root.get("/api/auth/profile/")).status).toBe(200);
			const { secret } = (await root.post("/api/auth/mfa/setup/")).body;
			const code = new TOTP({ secret }).generate({ timestamp: app.clock.now() });
			await root.post("/api/auth/mfa/verify/", { code });
			expect((await root.get(MANAGEMENT)).status).toBe(200);
			await root.post("/api/auth/mfa/disable/", { password: app.admin.password });
			expect((await root.get(MANAGEMENT)).status).toBe(403);
		} finally {
			await app.close();
		}
	});
});
