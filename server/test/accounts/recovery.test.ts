/** Forgotten passwords and the verification of addresses, with the mails that are sent. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Mail, type Mailer, MailRefused } from "../../src/integrations/smtp/port.ts";
import { startTestApp, TEST_PASSWORD, type TestApp, type TestUser, waitUntil } from "../support/harness.ts";
import { auditEntries } from "../support/rights.ts";

const FRONTEND = "https://weft.example.com";
const HOUR = 3_600_000;
const sent: Mail[] = [];
/** What the mail server does with the next mails, first in first. */
const troubles: Error[] = [];
const mailer: Mailer = {
	async send(mail) {
		const trouble = troubles.shift();
		if (trouble) throw trouble;
		sent.push(mail);
	},
	async close() {},
};

let t: TestApp;
let without: TestApp;
beforeAll(async () => {
	t = await startTestApp({ work: true, deps: { mailer, frontendUrl: FRONTEND } });
	without = await startTestApp({ work: true });
});
afterAll(() => Promise.all([t.close(), without.close()]));

const postLogin = (username: string, password = TEST_PASSWORD) =>
	t.anonymous.post("/api/auth/login/", { username, password });
const requestReset = (email: string) => t.anonymous.post("/api/auth/password-reset/", { email });
const confirmReset = (body: Record<string, unknown>) => t.anonymous.post("/api/auth/password-reset/confirm/", body);
const NEW = "a brand new password";

async function createMailedUser(username: string, app = t): Promise<TestUser> {
	const user = await app.user(username);
	await user.api.patch("/api/auth/profile/", { email: `${username}@example.com` });
	return user;
}
/**
 * Lets hours pass for a user's links and codes; a clock moved that far would set off everything
 * that runs every few seconds.
 */
const ageTokens = (hours: number, user: TestUser) =>
	t.pool.query("update user_tokens set expires_at = expires_at - make_interval(hours => $1) where user_id = $2", [
		hours,
		user.id,
	]);
const listMailsTo = (username: string): Mail[] => sent.filter(({ to }) => to === `${username}@example.com`);
const readToken = (mail: Mail | undefined): string =>
	decodeURIComponent(/[?&]token=(\S+)/.exec(mail?.text ?? "")?.[1] ?? "none");

describe("reset by link", () => {
	it("mails a link that works once, ends all sessions and every lock", async () => {
		await createMailedUser("ada");
		const session = t.as((await postLogin("ada")).body.access);
		for (let i = 0; i < 5; i++) await postLogin("ada", "wrong");
		expect((await requestReset("ADA@example.com")).body).toEqual({ status: "ok" });
		const mail = await waitUntil("the mail is there", () => listMailsTo("ada")[0]);
		expect(mail.text).toContain(`${FRONTEND}/reset-password?token=`);
		const token = readToken(mail);
		expect(token).toMatch(/^[\w-]+:[\w-]{43}$/);
		expect((await confirmReset({ token, new_password: "adaadaada" })).body).toHaveProperty("new_password");
		const twice = await Promise.all([
			confirmReset({ token, new_password: NEW }),
			confirmReset({ token, new_password: NEW }),
		]);
		expect(twice.map(({ status }) => status).sort()).toEqual([200, 400]);
		expect((await confirmReset({ token, new_password: NEW })).body).toHaveProperty("token");
		expect((await session.get("/api/auth/profile/")).status).toBe(401);
		expect((await postLogin("ada", NEW)).status).toBe(200);
	});

	it("answers the same for addresses that nobody has, and mails nobody who may not", async () => {
		const bea = await createMailedUser("bea");
		await t.admin.api.post(`/api/auth/management/${bea.id}/deactivate/`);
		const ldap = await createMailedUser("lea");
		await t.pool.query("update users set auth_source = 'ldap' where id = $1", [ldap.id]);
		await createMailedUser("cal");
		for (const name of ["bea", "lea", "nobody", "cal"]) {
			const { status, text } = await requestReset(`${name}@example.com`);
			expect([status, text]).toEqual([200, '{"status":"ok"}']);
		}
		await waitUntil("the last mail is there", () => listMailsTo("cal")[0]);
		expect(sent.filter(({ to }) => /^(bea|lea|nobody)@/.test(to))).toEqual([]);
		for (const wrong of [{}, { email: "" }, { email: "x" }, { email: 5 }, { email: "a@b.c\r\nBcc: d@e.f" }]) {
			expect((await t.anonymous.post("/api/auth/password-reset/", wrong)).body).toHaveProperty("email");
		}
	});

	it("a link is void after its hour, after a changed password and after a changed address", async () => {
		const dee = await createMailedUser("dee");
		const link = async (): Promise<string> => {
			const before = listMailsTo("dee").length;
			await requestReset("dee@example.com");
			return readToken(await waitUntil("the mail is there", () => listMailsTo("dee")[before]));
		};
		const late = await link();
		await t.clock.advance(HOUR);
		expect((await confirmReset({ token: late, new_password: NEW })).body).toHaveProperty("token");
		const changed = await link();
		await dee.api.post("/api/auth/password/change/", { old_password: TEST_PASSWORD, new_password: NEW });
		expect((await confirmReset({ token: changed, new_password: "another password" })).body).toHaveProperty("token");
		const moved = await link();
		await t.admin.api.patch(`/api/auth/management/${dee.id}/`, { email: "dee@example.net" });
		expect((await confirmReset({ token: moved, new_password: "another password" })).body).toHaveProperty("token");
		expect((await postLogin("dee", NEW)).status).toBe(200);
	});

	it("refuses tokens that are none, another user's, or of a verification", async () => {
		const eli = await createMailedUser("eli");
		await eli.api.post("/api/auth/email/send-verification/");
		const verification = readToken(await waitUntil("the mail is there", () => listMailsTo("eli")[0]));
		await requestReset("eli@example.com");
		const token = readToken(await waitUntil("the next mail is there", () => listMailsTo("eli")[1]));
		const other = `${Buffer.from(String(t.admin.id)).toString("base64url")}:${token.split(":")[1]}`;
		for (const wrong of [verification, other, "", ":", "x", `${token}x`, token.replace(":", ""), "' or 1=1 --"]) {
			expect((await confirmReset({ token: wrong, new_password: NEW })).body, wrong).toHaveProperty("token");
		}
		expect((await t.anonymous.get(`/api/auth/email/verify/?token=${encodeURIComponent(token)}`)).status).toBe(400);
		expect((await confirmReset({ new_password: NEW })).body).toHaveProperty("token");
		expect((await confirmReset({ token, code: "ABCD-2345", new_password: NEW })).body).toHaveProperty(
			"non_field_errors",
		);
		expect((await confirmReset({ token, new_password: NEW })).status).toBe(200);
	});

	it("is sent again until the server takes it, under one id; a refused mail is given up", async () => {
		await createMailedUser("flo");
		troubles.push(new Error("connection refused"));
		await requestReset("flo@example.com");
		await waitUntil("the mail is there", () => listMailsTo("flo")[0]);
		troubles.push(new MailRefused("550 no such mailbox"));
		await requestReset("flo@example.com");
		await waitUntil("the refusal happened", () => troubles.length === 0);
		await requestReset("flo@example.com");
		await waitUntil("the next mail is there", () => listMailsTo("flo")[1]);
		expect(new Set(listMailsTo("flo").map(({ messageId }) => messageId)).size).toBe(2);
	});

	it("sends at most five links that are live", async () => {
		await createMailedUser("gus");
		await createMailedUser("hal");
		for (let i = 0; i < 8; i++) await requestReset("gus@example.com");
		await waitUntil("five mails are there", () => listMailsTo("gus").length === 5);
		await requestReset("hal@example.com");
		await waitUntil("the mail after them is there", () => listMailsTo("hal")[0]);
		expect(listMailsTo("gus")).toHaveLength(5);
	});
});

describe("reset by code", () => {
	it("works once within half an hour, typed in any way; a newer code voids it", async () => {
		const ida = await t.user("ida");
		const issue = async () => (await t.admin.api.post(`/api/auth/management/${ida.id}/generate_reset_code/`)).body;
		const first = await issue();
		expect(first.code).toMatch(/^[A-HJ-NP-Z2-9]{4}-[A-HJ-NP-Z2-9]{4}$/);
		expect(Date.parse(first.expires_at) - t.clock.now()).toBe(30 * 60_000);
		const second = await issue();
		expect((await confirmReset({ code: first.code, new_password: NEW })).body).toHaveProperty("code");
		const typed = second.code.toLowerCase().replace("-", " ");
		expect((await confirmReset({ code: typed, new_password: "short" })).body).toHaveProperty("new_password");
		expect((await confirmReset({ code: typed, new_password: NEW })).body).toEqual({ status: "ok" });
		expect((await confirmReset({ code: typed, new_password: NEW })).body).toHaveProperty("code");
		expect((await postLogin("ida", NEW)).status).toBe(200);
		const third = await issue();
		await t.clock.advance(30 * 60_000);
		expect((await confirmReset({ code: third.code, new_password: NEW })).body).toHaveProperty("code");
		for (const code of ["", "x", "ABCD-2345", "' or 1=1"]) {
			expect((await confirmReset({ code, new_password: NEW })).body).toHaveProperty("code");
		}
		await t.pool.query("update users set auth_source = 'ldap' where id = $1", [ida.id]);
		const path = `/api/auth/management/${ida.id}/`;
		expect((await t.admin.api.post(`${path}generate_reset_code/`)).body).toHaveProperty("detail");
		expect((await t.admin.api.post(`${path}reset_password/`, { new_password: NEW })).status).toBe(400);
	});
});

describe("a reset of an account with a second factor", () => {
	it("leaves the second factor, which is asked for next", async () => {
		const { Secret, TOTP } = await import("otpauth");
		const otto = await t.user("otto");
		const { secret } = (await otto.api.post("/api/auth/mfa/setup/")).body;
		const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: t.clock.now() });
		expect((await otto.api.post("/api/auth/mfa/verify/", { code })).status).toBe(200);
		const issued = await t.admin.api.post(`/api/auth/management/${otto.id}/generate_reset_code/`);
		expect((await confirmReset({ code: issued.body.code, new_password: NEW })).status).toBe(200);
		const signedIn = await postLogin("otto", NEW);
		expect([signedIn.status, signedIn.body.mfa_required]).toEqual([202, true]);
		expect(signedIn.body).not.toHaveProperty("access");
	});
});

describe("verification of an address", () => {
	const send = (user: TestUser) => user.api.post("/api/auth/email/send-verification/");
	const follow = (token: string) => t.anonymous.get(`/api/auth/email/verify/?token=${encodeURIComponent(token)}`);

	it("leads to the sign-in page; sent again it is the same link with new time", async () => {
		const jon = await createMailedUser("jon");
		expect((await send(jon)).body).toEqual({ status: "ok" });
		const first = await waitUntil("the mail is there", () => listMailsTo("jon")[0]);
		expect(first.text).toContain(`${FRONTEND}/api/auth/email/verify/?token=`);
		await ageTokens(23, jon);
		await send(jon);
		const second = await waitUntil("the next mail is there", () => listMailsTo("jon")[1]);
		expect(readToken(second)).toBe(readToken(first));
		expect(second.messageId).not.toBe(first.messageId);
		await ageTokens(23, jon);
		const { status, headers } = await follow(readToken(first));
		expect([status, headers.location]).toEqual([302, `${FRONTEND}/login?email_verified=1`]);
		expect((await jon.api.get("/api/auth/profile/")).body.email_verified).toBe(true);
		expect((await follow(readToken(first))).status).toBe(302);
		expect(await auditEntries(t, { action: "email_verify" })).toHaveLength(1);
		await ageTokens(2, jon);
		expect((await follow(readToken(first))).body).toHaveProperty("token");
	});

	it("is void once the address is another one", async () => {
		const kim = await createMailedUser("kim");
		await send(kim);
		const token = readToken(await waitUntil("the mail is there", () => listMailsTo("kim")[0]));
		await kim.api.patch("/api/auth/profile/", { email: "kim@example.net" });
		expect((await follow(token)).body).toHaveProperty("token");
		expect((await kim.api.get("/api/auth/profile/")).body.email_verified).toBe(false);
		for (const wrong of ["", "x:y", "' or 1=1 --"]) expect((await follow(wrong)).body).toHaveProperty("token");
		expect((await t.anonymous.get("/api/auth/email/verify/")).body).toHaveProperty("token");
	});

	it("needs an address", async () => {
		expect((await send(await t.user("lou"))).body).toHaveProperty("email");
	});
});

describe("secrets", () => {
	it("are neither stored in the clear, nor queued, nor in the audit log", async () => {
		const dump = JSON.stringify([
			(await t.pool.query("select * from user_tokens")).rows,
			(await t.pool.query("select name, data from pgboss.job")).rows,
			(await t.pool.query("select * from audit_log")).rows,
		]);
		expect(sent.length).toBeGreaterThan(10);
		for (const mail of sent) expect(dump).not.toContain(readToken(mail).split(":")[1]);
		expect(dump).not.toContain(NEW);
	});
});

describe("without mail", () => {
	it("a reset is answered as always, a verification is not to be had", async () => {
		const max = await createMailedUser("max", without);
		const answer = await without.anonymous.post("/api/auth/password-reset/", { email: "max@example.com" });
		expect([answer.status, answer.body]).toEqual([200, { status: "ok" }]);
		const refused = await max.api.post("/api/auth/email/send-verification/");
		expect([refused.status, Number(refused.headers["retry-after"]) > 0]).toEqual([503, true]);
		expect((await without.anonymous.get("/api/auth/health/")).body).toMatchObject({ email_enabled: false });
		expect((await t.anonymous.get("/api/auth/health/")).body).toMatchObject({ email_enabled: true });
	});
});

describe("without the address of the web interface", () => {
	it("no link is mailed, whatever host a request names", async () => {
		const bare = await startTestApp({ work: true, deps: { mailer } });
		try {
			const ivo = await createMailedUser("ivo", bare);
			const headers = { host: "evil.example.com" };
			const refused = await ivo.api.send("POST", "/api/auth/email/send-verification/", undefined, headers);
			expect([refused.status, refused.body.detail]).toEqual([503, expect.stringContaining("WEFT_FRONTEND_URL")]);
			const answer = await bare.anonymous.post("/api/auth/password-reset/", { email: "ivo@example.com" });
			expect(answer.body).toEqual({ status: "ok" });
			const mail = await waitUntil("the mail is there", () => listMailsTo("ivo")[0]);
			expect(mail.text).not.toMatch(/https?:/);
		} finally {
			await bare.close();
		}
	});
});

describe("what has expired", () => {
	it("is forgotten: idle sessions, links, codes", async () => {
		const nan = await createMailedUser("nan");
		await nan.api.post("/api/auth/email/send-verification/");
		await t.admin.api.post(`/api/auth/management/${nan.id}/generate_reset_code/`);
		const count = async (table: string) =>
			(await t.pool.query(`select count(*)::int from ${table} where user_id = $1`, [nan.id])).rows[0].count;
		expect([await count("sessions"), await count("user_tokens")]).toEqual([1, 2]);
		await ageTokens(25, nan);
		await t.pool.query("update sessions set last_seen_at = last_seen_at - interval '9 hours' where user_id = $1", [
			nan.id,
		]);
		await t.clock.advance(10 * 60_000);
		await waitUntil("they are gone", async () => (await count("sessions")) + (await count("user_tokens")) === 0);
	});
});
