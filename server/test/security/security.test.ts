/** What every answer carries and leaves out, and the rate of every route. */
import { connect } from "node:net";
import { allRoutes, type RouteContract, type ThrottleScope } from "@weft/contracts";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEFAULT_RATES, type Rates } from "../../src/core/http/throttle.ts";
import { ALL_ROUTES_TIMEOUT_MS, expectOfEachRoute } from "../support/each-route.ts";
import { type Answer, startTestApp, TEST_PASSWORD, type TestApp } from "../support/harness.ts";

let t: TestApp;
beforeAll(async () => {
	t = await startTestApp();
});
afterAll(() => t.close());

const ID = "01890000-0000-7000-8000-000000000000";
const getPath = (route: RouteContract): string => route.path.replace(/:\w+/g, ID);
function callRoute(app: TestApp, route: RouteContract, headers: Record<string, string> = {}): Promise<Answer> {
	const api = route.auth === "bearer" ? app.admin.api : app.anonymous;
	return route.body
		? api.send(route.method, getPath(route), "{}", { "content-type": "application/json", ...headers })
		: api.send(route.method, getPath(route), undefined, headers);
}

/** All but the one that ends the session of the next call. */
const routes = allRoutes.filter(({ id }) => id !== "auth.logout");

const PAGES = new Set(["system.docs", "system.redoc"]);
const API_POLICY = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'";

function expectHeaders({ headers, text }: Answer, policy: unknown = API_POLICY): void {
	if (text !== "")
		expect(headers["content-type"]).toMatch(/^[a-z]+\/[a-z]+(\+json)?; charset=utf-8$|spreadsheetml\.sheet$/);
	expect(headers).toMatchObject({
		"x-content-type-options": "nosniff",
		"referrer-policy": "no-referrer",
		"x-frame-options": "DENY",
		"cross-origin-opener-policy": "same-origin",
		"cross-origin-resource-policy": "same-origin",
		"content-security-policy": policy,
		"x-request-id": expect.any(String),
	});
	for (const name of ["set-cookie", "server", "x-powered-by"]) expect(headers).not.toHaveProperty(name);
	for (const name of Object.keys(headers)) expect(name).not.toMatch(/^access-control-/);
}

describe("headers", () => {
	it(
		"of every route let no other origin in, set no cookie and name no program",
		{ timeout: ALL_ROUTES_TIMEOUT_MS },
		() =>
			expectOfEachRoute(routes, async (route) => {
				const answer = await callRoute(t, route, { origin: "https://evil.example" });
				const policy = PAGES.has(route.id)
					? expect.stringContaining("default-src 'none'; script-src 'self'")
					: API_POLICY;
				expectHeaders(answer, policy);
				// A browser may keep what changes with an import only, and asks for it again each time.
				expect(answer.headers["cache-control"]).toBe(answer.headers.etag ? "private, no-cache" : "no-store");
			}),
	);

	it("of what is refused are the same", async () => {
		for (const [method, path] of [
			["GET", "/nowhere"],
			["DELETE", "/api/health/"],
			["GET", "/api/%ff/"],
			["GET", "/api/auth/profile/"],
			["POST", "/api/auth/login/"],
		] as const) {
			expectHeaders(await t.anonymous.send(method, path));
		}
		const port = (t.app.server.server.address() as { port: number }).port;
		const answer = await new Promise<string>((resolve) => {
			let text = "";
			const socket = connect(port, "127.0.0.1", () => socket.write("nonsense\r\n\r\n"));
			socket.on("data", (piece) => {
				text += piece;
			});
			socket.on("close", () => resolve(text));
		});
		expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
		for (const header of [
			"x-content-type-options: nosniff",
			`content-security-policy: ${API_POLICY}`,
			"cache-control: no-store",
		]) {
			expect(answer).toContain(header);
		}
	});

	it("let no other origin in: a preflight is an unknown method", async () => {
		const { status, headers } = await t.anonymous.send("OPTIONS", "/api/auth/login/", undefined, {
			origin: "https://evil.example",
			"access-control-request-method": "POST",
		});
		expect([404, 405]).toContain(status);
		expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
	});

	it("are not sent back to who traces them", async () => {
		const port = (t.app.server.server.address() as { port: number }).port;
		const answer = await new Promise<string>((resolve) => {
			let text = "";
			const socket = connect(port, "127.0.0.1", () => {
				socket.write("TRACE /api/health/ HTTP/1.1\r\nHost: x\r\nX-Secret: mine\r\nConnection: close\r\n\r\n");
			});
			socket.on("data", (piece) => {
				text += piece;
			});
			socket.on("close", () => resolve(text));
		});
		expect(answer).toMatch(/^HTTP\/1\.1 40[0-9] /);
		expect(answer).not.toContain("mine");
	});

	it("ask for TLS in future only where the proxy speaks it", async () => {
		const over = (proto: string) => t.anonymous.get("/api/health/", { "x-forwarded-proto": proto });
		expect((await over("https")).headers["strict-transport-security"]).toMatch(/^max-age=31536000/);
		expect((await over("http")).headers).not.toHaveProperty("strict-transport-security");
	});

	it("of the documentation let only the service's own scripts run, and no page frame it", async () => {
		for (const page of ["docs", "redoc"]) {
			const { headers, text } = await t.anonymous.get(`/api/${page}/`);
			const policy = String(headers["content-security-policy"]);
			expect(policy).toContain("script-src 'self';");
			expect(policy).not.toMatch(/script-src[^;]*unsafe/);
			expect(policy).toMatch(/frame-ancestors 'none'/);
			expect(text).not.toMatch(/<script(?![^>]* src="\.\.\/docs-assets\/)|\son\w+=/);
			expect(text).not.toMatch(/https?:\/\//);
		}
	});
});

describe("the log of requests", () => {
	it("says who was refused what, and from where, one line each whatever the address holds", async () => {
		const lines: string[] = [];
		const logger = pino({ level: "info" }, { write: (line: string) => void lines.push(line) });
		const own = await startTestApp({ deps: { logger } });
		try {
			const ada = await own.user("ada");
			await ada.api.get("/api/auth/profile/");
			lines.length = 0;
			const from = { "x-forwarded-for": "203.0.113.5" };
			await ada.api.get("/api/auth/management/", from);
			await own.anonymous.get("/api/auth/management/", from);
			await own.anonymous.get("/api/%0d%0a%7B%22level%22:50%7D/", from);
			const logged = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "request");
			expect(lines.every((line) => line.trimEnd().split("\n").length === 1)).toBe(true);
			expect(logged).toMatchObject([
				{ method: "GET", path: "/api/auth/management/", status: 403, user: ada.id, ip: "203.0.113.5" },
				{ method: "GET", path: "/api/auth/management/", status: 401, ip: "203.0.113.5" },
				{ status: 404 },
			]);
			expect(logged[1]).not.toHaveProperty("user");
		} finally {
			await own.close();
		}
	});
});

describe("rates", () => {
	it("are those of the interface", () => {
		const [minute, hour] = [60_000, 3_600_000];
		expect(DEFAULT_RATES).toEqual({
			anon: { requests: 60, windowMs: minute },
			user: { requests: 300, windowMs: minute },
			login: { requests: 10, windowMs: minute },
			mfa: { requests: 10, windowMs: minute },
			password_reset: { requests: 5, windowMs: hour },
			token_refresh: { requests: 30, windowMs: minute },
			email_send: { requests: 5, windowMs: hour },
			webhook: { requests: 120, windowMs: minute },
			sensitive: { requests: 10, windowMs: hour },
		});
	});

	it("tighter than the general one hold for what is worth guessing or sends mail", () => {
		const getRoutes = (scope: ThrottleScope) =>
			allRoutes
				.filter((route) => route.throttle === scope)
				.map(({ id }) => id)
				.sort();
		expect(getRoutes("login")).toEqual(["auth.ldap_login", "auth.login", "auth.oidc_exchange"]);
		expect(getRoutes("mfa")).toEqual(["auth.mfa_login", "auth.mfa_verify"]);
		expect(getRoutes("password_reset")).toEqual(["auth.password_reset", "auth.password_reset_confirm"]);
		expect(getRoutes("token_refresh")).toEqual(["auth.refresh"]);
		expect(getRoutes("email_send")).toEqual(["auth.send_verification", "service.test_mail"]);
		expect(getRoutes("sensitive")).toEqual([
			...[
				"api_tokens.create",
				"auth.change_password",
				"auth.mfa_backup_codes",
				"auth.mfa_disable",
				"auth.reauthenticate",
				"notification_webhooks.test",
			],
			...["users.disable_mfa", "users.generate_reset_code", "users.reset_password"],
		]);
		// Autocomplete and monitoring routes are exempt.
		expect(getRoutes("none").filter((id) => !id.startsWith("system."))).toEqual(["time_machine.dns"]);
	});

	it("of every route are counted in its scope", { timeout: ALL_ROUTES_TIMEOUT_MS }, async () => {
		const scopes = Object.keys(DEFAULT_RATES) as (keyof Rates)[];
		const rates = Object.fromEntries(scopes.map((scope) => [scope, null])) as unknown as Rates;
		const own = await startTestApp({ inProcess: true, rates });
		try {
			await expectOfEachRoute(routes, async (route) => {
				const { throttle } = route;
				// Each route has a window of its own.
				await own.clock.advance(1_000);
				await own.admin.api.get("/api/auth/profile/");
				for (const scope of scopes) own.deps.rates[scope as never] = null as never;
				const scope = throttle === "none" ? (route.auth === "bearer" ? "user" : "anon") : throttle;
				own.deps.rates[scope as never] = { requests: 2, windowMs: 500 } as never;
				const statuses = [];
				for (let i = 0; i < 4; i++) statuses.push((await callRoute(own, route)).status);
				own.deps.rates[scope as never] = null as never;
				const limited = statuses.map((status) => status === 429);
				expect(limited).toEqual(throttle === "none" ? [false, false, false, false] : [false, false, true, true]);
			});
		} finally {
			await own.close();
		}
	});

	it("of anonymous requests are counted by address without its port, and once for all unknown ones", async () => {
		const own = await startTestApp({ inProcess: true, rates: { anon: { requests: 1, windowMs: 60_000 } } });
		try {
			const status = async (address: string) =>
				(await own.anonymous.get("/api/auth/health/", { "x-forwarded-for": address })).status;
			expect([await status("10.1.2.3:51008"), await status("10.1.2.3:51009")]).toEqual([200, 429]);
			expect(await status("10.1.2.4:51008")).toBe(200);
			expect([await status("unknown"), await status("_other")]).toEqual([200, 429]);
			expect(await status("127.0.0.1")).toBe(200);
		} finally {
			await own.close();
		}
	});

	it("of sensitive actions are counted by kind and by user", async () => {
		const own = await startTestApp({ inProcess: true, rates: { sensitive: { requests: 1, windowMs: 60_000 } } });
		try {
			const [ada, bob] = [await own.user("ada"), await own.user("bob")];
			const disable = (user: typeof ada) => user.api.post("/api/auth/mfa/disable/", { password: "wrong" });
			expect([(await disable(ada)).status, (await disable(ada)).status]).toEqual([400, 429]);
			expect((await disable(bob)).status).toBe(400);
			expect((await ada.api.post("/api/auth/mfa/backup-codes/", { password: "wrong" })).status).toBe(400);
			const refused = await disable(ada);
			expect([refused.headers["retry-after"], refused.body]).toEqual([
				"60",
				{ detail: expect.stringContaining("60 seconds") },
			]);
		} finally {
			await own.close();
		}
	});

	it("of renewing a token are counted before anything else is", async () => {
		const own = await startTestApp({ inProcess: true, rates: { token_refresh: { requests: 1, windowMs: 60_000 } } });
		try {
			const { body } = await own.anonymous.post("/api/auth/login/", { username: "root", password: TEST_PASSWORD });
			const renew = (refresh: string) => own.anonymous.post("/api/auth/token/refresh/", { refresh });
			expect([(await renew("nonsense")).status, (await renew(body.refresh)).status]).toEqual([401, 429]);
		} finally {
			await own.close();
		}
	});
});
