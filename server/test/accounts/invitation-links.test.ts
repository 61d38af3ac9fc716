/** Links of invitations: their state, their renewal, and the limit of open ones. */
import { OPEN_INVITATIONS_MAX } from "@weft/contracts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestApp, TEST_PASSWORD, type TestApp, waitUntil } from "../support/harness.ts";
import { createMailbox } from "../support/mailbox.ts";
import { auditEntries } from "../support/rights.ts";

const INVITATIONS = "/api/auth/management/invitations/";
const { sent, mailer } = createMailbox();

let t: TestApp;
beforeAll(async () => {
	t = await startTestApp({ work: true, deps: { mailer, frontendUrl: "https://weft.example.com" } });
});
afterAll(() => t.close());

const readToken = (url: string): string => url.split("#token=")[1] ?? "";
const invitePeople = (...people: object[]) => t.admin.api.post(INVITATIONS, { people });
const acceptInvitation = (token: string) =>
	t.anonymous.post(`/api/auth/invitations/${token}/`, { password: TEST_PASSWORD });
const findInvitation = async (username: string) =>
	(await t.admin.api.get(INVITATIONS)).body.results.find((each: { username: string }) => each.username === username);

it("says whether a link was mailed, and whether it has expired", async () => {
	await invitePeople(
		{ username: "mailed.person", email: "mailed@example.com", group_ids: [] },
		{ username: "shown.person", group_ids: [] },
	);
	await waitUntil("the mail is noted", async () => (await findInvitation("mailed.person")).mail === "sent");
	expect(await findInvitation("shown.person")).toMatchObject({ mail: "none", state: "open" });
	expect(sent.map(({ to }) => to)).toEqual(["mailed@example.com"]);
	await t.pool.query("update user_invitations set expires_at = expires_at - interval '8 days'");
	expect(await findInvitation("shown.person")).toMatchObject({ state: "expired" });
});

it("replaces an expired link by a new one, which is the only one that works, and audits it", async () => {
	const old = readToken((await invitePeople({ username: "late.person", group_ids: [] })).body.invitations[0].url);
	await t.pool.query("update user_invitations set expires_at = expires_at - interval '8 days'");
	const { id } = await findInvitation("late.person");
	const { status, body } = await t.admin.api.post(`${INVITATIONS}${id}/renew/`, {});
	expect([status, body.username]).toEqual([200, "late.person"]);
	expect((await acceptInvitation(old)).status).toBe(404);
	const token = readToken(body.url);
	const entries = await auditEntries(t, { action: "invitation_renew" });
	expect(entries).toHaveLength(1);
	expect(JSON.stringify(entries)).not.toContain(token);
	expect((await acceptInvitation(token)).status).toBe(200);
	expect((await t.admin.api.post(`${INVITATIONS}${id}/renew/`, {})).status).toBe(404);
});

it("refuses a new link to who is no administrator", async () => {
	await invitePeople({ username: "guarded.person", group_ids: [] });
	const { id } = await findInvitation("guarded.person");
	const user = await t.user("no.administrator");
	expect((await user.api.post(`${INVITATIONS}${id}/renew/`, {})).status).toBe(403);
});

it("refuses more open invitations than the limit, and stores nothing of the request", async () => {
	await t.pool.query(
		`with made as (insert into users (username, username_key, email, first_name, last_name, password_hash, preferences, date_joined)
			select 'open' || i, 'open' || i, '', '', '', '', '{}', now() from generate_series(1, $1::int) i returning id)
		 insert into user_invitations (user_id, id, token_hash, created_at, expires_at)
			select id, gen_random_uuid(), 'hash' || id, now(), now() + interval '1 day' from made`,
		[OPEN_INVITATIONS_MAX],
	);
	const { status, body } = await invitePeople({ username: "one.more", group_ids: [] });
	expect([status, Object.keys(body)]).toEqual([400, ["people"]]);
	expect((await t.admin.api.get("/api/auth/management/?search=one.more")).body.count).toBe(0);
});

it("lists the users who have a permission, by whatever way", async () => {
	const direct = await t.user("direct.approver", []);
	const { results } = (await t.admin.api.get("/api/auth/permissions/?page_size=200")).body;
	const approve = results.find(({ codename }: { codename: string }) => codename === "approve_automationrequest");
	await t.admin.api.post(`/api/auth/management/${direct.id}/add_permissions/`, { permission_ids: [approve.id] });
	await t.admin.api.post("/api/auth/groups/", { name: "Deciders", permission_ids: [approve.id] });
	await t.user("group.approver", ["Deciders"]);
	await t.user("admin.approver", ["Admin"]);
	await t.user("no.approver", ["Viewer"]);
	const list = await t.admin.api.get("/api/auth/management/?permission=approve_automationrequest&search=approver");
	expect(list.body.results.map(({ username }: { username: string }) => username)).toEqual([
		"admin.approver",
		"direct.approver",
		"group.approver",
	]);
});

it("names the reason to the holder of a session whose account is deactivated, and to nobody else", async () => {
	const leaver = await t.user("left.person");
	expect((await leaver.api.get("/api/auth/profile/")).status).toBe(200);
	await t.admin.api.post(`/api/auth/management/${leaver.id}/deactivate/`, {});
	const own = await leaver.api.get("/api/auth/profile/");
	expect([own.status, own.body]).toEqual([
		401,
		{ detail: "Your account is deactivated.", code: "account_deactivated" },
	]);
	const login = await t.anonymous.post("/api/auth/login/", { username: "left.person", password: TEST_PASSWORD });
	expect(login.body.detail).not.toContain("deactivated");
});
