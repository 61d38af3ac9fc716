/** The log of authentication operations: the kind of each sign-in, and each refused proof. */
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestApp, TEST_PASSWORD, type TestApp, type TestUser, waitUntil } from "../support/harness.ts";
import { findAudit } from "../support/rights.ts";

const FROM = { "x-forwarded-for": "203.0.113.5" };
const WRONG = "a wrong proof that no log may hold";

let t: TestApp;
let ada: TestUser;
const lines: string[] = [];
/** The lines of all tests; `lines` has those of the present one. */
const allLines: string[] = [];
beforeAll(async () => {
	const logger = pino(
		{ level: "info" },
		{
			write(line: string) {
				lines.push(line);
				allLines.push(line);
			},
		},
	);
	t = await startTestApp({ inProcess: true, deps: { logger } });
	ada = await t.user("ada");
});
afterAll(async () => {
	await t.close();
	expect(allLines.length).toBeGreaterThan(0);
	expect(allLines.filter((line) => line.includes(WRONG))).toEqual([]);
});
beforeEach(() => {
	lines.length = 0;
});

const listLogged = (message: string): Record<string, unknown>[] =>
	lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === message);
const listRefusals = () => listLogged("an authentication was refused");

describe("a refused proof is in the service's log", () => {
	it.each([
		["of the second factor", "/api/auth/mfa-login/", { mfa_token: WRONG, code: "123456" }, "auth.mfa_login"],
		["of a forgotten password", "/api/auth/password-reset/confirm/", buildResetBody(), "auth.password_reset_confirm"],
		["of an older sign-in", "/api/auth/token/refresh/", { refresh: WRONG }, "auth.refresh"],
	])("%s, with its kind and the address", async (_kind, path, body, operation) => {
		const { status } = await t.anonymous.post(path, body, FROM);
		expect(listRefusals()).toEqual([
			expect.objectContaining({ level: 40, operation, status, ip: "203.0.113.5", reqId: expect.any(String) }),
		]);
	});

	it.each([
		["/api/auth/reauthenticate/", { password: WRONG }, "auth.reauthenticate", ["password"]],
		["/api/auth/reauthenticate/", { code: "123456" }, "auth.reauthenticate", ["code"]],
		["/api/auth/password/change/", buildChangeBody(), "auth.change_password", ["old_password"]],
		["/api/auth/mfa/disable/", { password: WRONG }, "auth.mfa_disable", ["password"]],
	])("of a signed-in user at %s, with the user and the field", async (path, body, operation, fields) => {
		expect((await ada.api.post(path, body, FROM)).status).toBe(400);
		expect(listRefusals()).toEqual([
			expect.objectContaining({ operation, status: 400, fields, user: ada.id, ip: "203.0.113.5" }),
		]);
	});

	it("the log names the reason, the token and the owner of a refused API token", async () => {
		const { body } = await ada.api.post("/api/auth/tokens/", { name: "nightly" });
		await ada.api.del(`/api/auth/tokens/${body.id}/`);
		const unknown = `${body.token.slice(0, -1)}${body.token.endsWith("0") ? "1" : "0"}`;
		for (const secret of [body.token, unknown]) await t.as(secret).get("/api/auth/profile/", FROM);
		expect(listLogged("an API token was refused")).toEqual([
			expect.objectContaining({ code: "token_revoked", token: body.id, user: ada.id, ip: "203.0.113.5" }),
			expect.objectContaining({ code: "token_malformed", ip: "203.0.113.5" }),
		]);
		expect(lines.filter((line) => line.includes(body.token.slice(12)))).toEqual([]);
	});

	it("the log has no line of its own for an API token that is accepted", async () => {
		const { body } = await ada.api.post("/api/auth/tokens/", { name: "hourly" });
		lines.length = 0;
		expect((await t.as(body.token).get("/api/auth/profile/")).status).toBe(200);
		await waitUntil("the request is logged", () => listLogged("request").length > 0);
		expect(listLogged("request")).toEqual([expect.objectContaining({ user: ada.id, token: body.id, status: 200 })]);
		expect(listLogged("an API token was refused")).toEqual([]);
	});

	it("the log names the channel of a refused socket ticket", async () => {
		const socket = await t.anonymous.open("/ws/notifications/");
		expect((await socket.closed).code).toBe(4001);
		expect(listLogged("a ticket for a socket was refused")).toEqual([
			expect.objectContaining({ level: 40, channel: "/ws/notifications/" }),
		]);
	});

	it("a refused sign-in that the audit log has is logged once", async () => {
		const credentials = { username: "ada", password: WRONG };
		expect((await t.anonymous.post("/api/auth/login/", credentials, FROM)).status).toBe(401);
		expect(listRefusals()).toEqual([]);
	});
});

it("the audit entry of a sign-in names the account's source and whether there was a second factor", async () => {
	const bea = await t.user("bea");
	expect((await t.anonymous.post("/api/auth/login/", { username: "bea", password: TEST_PASSWORD })).status).toBe(200);
	const entries = (await findAudit(t, bea.id)).filter(({ action }) => action === "login");
	expect(entries.length).toBeGreaterThan(0);
	for (const { metadata } of entries) expect(metadata).toEqual({ auth_source: "local", second_factor: false });
});

function buildResetBody() {
	return { token: `MQ:${"x".repeat(43)}`, new_password: "another horse battery" };
}

function buildChangeBody() {
	return { old_password: WRONG, new_password: "another horse battery" };
}
