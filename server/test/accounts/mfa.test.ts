/** The second factor's whole life, through the API. */
import { TOTP } from "otpauth";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestApp, TEST_PASSWORD, type TestApp, type TestUser } from "../support/harness.ts";
import { findAudit, loginAttempts } from "../support/rights.ts";

let t: TestApp;
beforeAll(async () => {
	t = await startTestApp();
});
afterAll(() => t.close());

const postLogin = (username: string) => t.anonymous.post("/api/auth/login/", { username, password: TEST_PASSWORD });
const loginWithFactor = (mfa_token: string, code: string) =>
	t.anonymous.post("/api/auth/mfa-login/", { mfa_token, code });
const requestChallenge = async (username: string): Promise<string> => (await postLogin(username)).body.mfa_token;

/** A user with a second factor; `code` gives the code of a step from now. */
async function enrollUser(username: string) {
	const user = await t.user(username);
	const { body } = await user.api.post("/api/auth/mfa/setup/");
	const totp = new TOTP({ secret: body.secret });
	const code = (steps = 0) => totp.generate({ timestamp: t.clock.now() + steps * 30_000 });
	const verified = await user.api.post("/api/auth/mfa/verify/", { code: code() });
	// A code that was accepted is not accepted again.
	await t.clock.advance(30_000);
	return { ...user, code, secret: body.secret as string, setup: body, verified };
}
const buildWrongCode = (right: string) => String((Number(right) + 500_000) % 1_000_000).padStart(6, "0");
const readStatus = async (user: TestUser) => (await user.api.get("/api/auth/mfa/status/")).body;

describe("enrolment", () => {
	it("begins with a secret, counts after a right code, and gives backup codes once", async () => {
		const ada = await t.user("ada");
		expect((await ada.api.post("/api/auth/mfa/verify/", { code: "123456" })).body).toHaveProperty("code");
		const { body } = await ada.api.post("/api/auth/mfa/setup/");
		expect(body).toEqual({
			secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
			qr_code_svg: expect.stringMatching(/^<svg[\s\S]*<\/svg>\s*$/),
			otpauth_url: expect.stringMatching(/^otpauth:\/\/totp\/Weft:ada\?.*secret=/),
		});
		expect(await readStatus(ada)).toEqual({ enabled: false, backup_codes_remaining: 0 });
		expect((await postLogin("ada")).status).toBe(200);
		const again = (await ada.api.post("/api/auth/mfa/setup/")).body;
		const code = (secret: string) => new TOTP({ secret }).generate({ timestamp: t.clock.now() });
		expect((await ada.api.post("/api/auth/mfa/verify/", { code: code(body.secret) })).body).toHaveProperty("code");
		const verified = await ada.api.post("/api/auth/mfa/verify/", { code: code(again.secret) });
		expect(verified.body.enabled).toBe(true);
		expect(new Set(verified.body.backup_codes).size).toBe(8);
		for (const backup of verified.body.backup_codes) expect(backup).toMatch(/^[A-HJ-NP-Z2-9]{4}-[A-HJ-NP-Z2-9]{4}$/);
		expect(await readStatus(ada)).toEqual({ enabled: true, backup_codes_remaining: 8 });
		expect((await ada.api.get("/api/auth/profile/")).body.mfa_enabled).toBe(true);
		expect((await ada.api.post("/api/auth/mfa/setup/")).status).toBe(400);
		expect((await ada.api.post("/api/auth/mfa/verify/", { code: code(again.secret) })).body).toHaveProperty("code");
	});

	it("keeps neither secret nor codes in the clear, nor in the audit log", async () => {
		const { secret, verified } = await enrollUser("kay");
		const dump = JSON.stringify([
			(await t.pool.query("select * from user_mfa")).rows,
			(await t.pool.query("select * from mfa_backup_codes")).rows,
			(await t.pool.query("select * from audit_log")).rows,
		]);
		for (const text of [secret, ...verified.body.backup_codes]) expect(dump).not.toContain(text);
	});
});

describe("signing in", () => {
	it("answers 202 and wants a code", async () => {
		const { code, id } = await enrollUser("bea");
		const first = await postLogin("bea");
		expect(first.status).toBe(202);
		expect(first.body).toEqual({ mfa_required: true, mfa_token: expect.any(String), expires_in: 300 });
		const { status, body } = await loginWithFactor(first.body.mfa_token, code());
		expect(status).toBe(200);
		expect(body.user).toEqual({ id, username: "bea", is_admin: false, mfa_enabled: true });
		expect((await t.as(body.access).get("/api/auth/profile/")).status).toBe(200);
		expect((await loginWithFactor(first.body.mfa_token, code(1))).status).toBe(401);
	});

	it("accepts one step of drift, and no code twice", async () => {
		const { code } = await enrollUser("cal");
		const used = code(1);
		expect((await loginWithFactor(await requestChallenge("cal"), used)).status).toBe(200);
		expect((await loginWithFactor(await requestChallenge("cal"), used)).status).toBe(401);
		expect((await loginWithFactor(await requestChallenge("cal"), code(0))).status).toBe(200);
		expect((await loginWithFactor(await requestChallenge("cal"), code(2))).status).toBe(401);
		await t.clock.advance(30_000);
		expect((await loginWithFactor(await requestChallenge("cal"), used)).status).toBe(401);
		expect((await loginWithFactor(await requestChallenge("cal"), code(1))).status).toBe(200);
	});

	it("of requests with one code at the same time lets one in", async () => {
		const { code } = await enrollUser("dee");
		const tokens = [await requestChallenge("dee"), await requestChallenge("dee"), await requestChallenge("dee")];
		const answers = await Promise.all(tokens.map((token) => loginWithFactor(token, code())));
		expect(answers.map((answer) => answer.status).sort()).toEqual([200, 401, 401]);
		const [token, codes] = [await requestChallenge("dee"), [code(1), code(-1)]];
		const again = await Promise.all(codes.map((value) => loginWithFactor(token, value)));
		expect(again.map((answer) => answer.status).sort()).toEqual([200, 401]);
	});

	it("takes a backup code once, typed in any way", async () => {
		const { verified } = await enrollUser("eli");
		const [first, second] = verified.body.backup_codes;
		expect((await loginWithFactor(await requestChallenge("eli"), first.toLowerCase().replace("-", ""))).status).toBe(
			200,
		);
		expect((await loginWithFactor(await requestChallenge("eli"), first)).status).toBe(401);
		expect((await loginWithFactor(await requestChallenge("eli"), ` ${second} `)).status).toBe(200);
		const failed = (await loginAttempts(t, "eli")).filter(({ success }) => !success);
		expect(failed).toMatchObject([{ failure_reason: "mfa_failed" }]);
	});

	it("gives a token five tries and five minutes", async () => {
		const { code, id } = await enrollUser("flo");
		const token = await requestChallenge("flo");
		for (let i = 0; i < 5; i++) expect((await loginWithFactor(token, buildWrongCode(code()))).status).toBe(401);
		expect((await loginWithFactor(token, code())).status).toBe(401);
		// Wrong codes count for the lock of the name.
		expect((await postLogin("flo")).status).toBe(429);
		await t.clock.advance(15 * 60_000 + 1);
		const late = await requestChallenge("flo");
		await t.clock.advance(300_000);
		expect((await loginWithFactor(late, code())).status).toBe(401);
		const gone = await requestChallenge("flo");
		await t.admin.api.post(`/api/auth/management/${id}/deactivate/`);
		expect((await loginWithFactor(gone, code())).status).toBe(401);
		for (const nonsense of ["x", "' or 1=1 --", "x".repeat(256)]) {
			expect((await loginWithFactor(nonsense, code())).status).toBe(401);
		}
	});
});

describe("backup codes and removal", () => {
	it("need the password", async () => {
		const gus = await enrollUser("gus");
		const { body } = await loginWithFactor(await requestChallenge("gus"), gus.code());
		const api = t.as(body.access);
		for (const path of ["backup-codes", "disable"]) {
			expect((await api.post(`/api/auth/mfa/${path}/`, { password: "wrong" })).body).toHaveProperty("password");
		}
		const fresh = await api.post("/api/auth/mfa/backup-codes/", { password: TEST_PASSWORD });
		expect(fresh.body.backup_codes).toHaveLength(8);
		expect((await loginWithFactor(await requestChallenge("gus"), gus.verified.body.backup_codes[0])).status).toBe(401);
		expect((await loginWithFactor(await requestChallenge("gus"), fresh.body.backup_codes[0])).status).toBe(200);
		expect((await api.get("/api/auth/mfa/status/")).body).toEqual({ enabled: true, backup_codes_remaining: 7 });
		const off = await api.post("/api/auth/mfa/disable/", { password: TEST_PASSWORD });
		expect(off.body).toEqual({ enabled: false });
		expect((await api.post("/api/auth/mfa/disable/", { password: TEST_PASSWORD })).status).toBe(200);
		expect((await api.post("/api/auth/mfa/backup-codes/", { password: TEST_PASSWORD })).status).toBe(400);
		expect((await api.get("/api/auth/mfa/status/")).body).toEqual({ enabled: false, backup_codes_remaining: 0 });
		expect((await postLogin("gus")).status).toBe(200);
		expect((await t.pool.query("select * from mfa_backup_codes where user_id = $1", [gus.id])).rows).toEqual([]);
	});

	it("an administrator's removal is recorded as such", async () => {
		const hal = await enrollUser("hal");
		const token = await requestChallenge("hal");
		const path = `/api/auth/management/${hal.id}/disable_mfa/`;
		expect((await t.admin.api.post(path)).body).toMatchObject({ username: "hal", mfa_enabled: false });
		expect((await t.admin.api.post(path)).status).toBe(200);
		expect((await loginWithFactor(token, hal.code())).status).toBe(401);
		expect((await postLogin("hal")).status).toBe(200);
		const entries = (await findAudit(t, hal.id)).filter(({ action }) => action.includes("mfa"));
		expect(entries.map(({ action }) => action)).toEqual([
			...["mfa_setup", "mfa_enable", "admin_disable_mfa", "admin_disable_mfa"],
		]);
		expect(entries[2]).toMatchObject({ category: "user_management", metadata: { was_enabled: true } });
	});
});
