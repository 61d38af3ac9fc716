/** What holds for every route: ids, methods, bodies, tokens, rates, documentation. */
import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestApp, type TestApp, waitUntil } from "../support/harness.ts";

let t: TestApp;
beforeAll(async () => {
	t = await startTestApp();
});
afterAll(() => t.close());

describe("every answer", () => {
	it("carries the caller's request id where it is one, else a new one", async () => {
		const given = await t.anonymous.get("/api/health/", { "x-request-id": "trace-1.a_B" });
		expect(given.headers["x-request-id"]).toBe("trace-1.a_B");
		for (const wrong of ["with space", "x".repeat(129), ""]) {
			const { headers } = await t.anonymous.get("/api/health/", { "x-request-id": wrong });
			expect(headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
		}
	});

	it("is not for caches, sniffing or frames", async () => {
		const { headers } = await t.anonymous.get("/api/health/");
		expect(headers).toMatchObject({
			"cache-control": "no-store",
			"x-content-type-options": "nosniff",
			"x-frame-options": "DENY",
		});
		expect(headers).not.toHaveProperty("access-control-allow-origin");
	});

	it("is the same without the trailing slash", async () => {
		expect((await t.anonymous.get("/api/health")).body).toEqual({ status: "ok", version: "0.0.0-test" });
	});
});

describe("what cannot be answered", () => {
	it.each([
		["GET", "/nowhere", 404],
		["GET", "/api/", 404],
		["GET", "/api/auth/login/", 405],
		["DELETE", "/api/health/", 405],
		["GET", "/api/%ff/", 400],
		["GET", "/api/health/%zz", 400],
	])("%s %s answers %i with a detail", async (method, path, status) => {
		const answer = await t.admin.api.send(method, path);
		expect(answer.status).toBe(status);
		expect(answer.body).toEqual({ detail: expect.any(String) });
		if (status === 405) expect(answer.headers.allow).toMatch(/GET|POST/);
	});

	it.each([
		["malformed JSON", "{", "application/json", 400],
		["no body", undefined, "application/json", 400],
		["another type", "a=b", "application/x-www-form-urlencoded", 415],
		["not UTF-8", Buffer.from([0x22, 0xff, 0x22]), "application/json", 400],
		["nested too deep", `${"[".repeat(5000)}${"]".repeat(5000)}`, "application/json", 400],
		["too large", JSON.stringify("x".repeat(1024 * 1024)), "application/json", 413],
	])("a body that is %s", async (_name, payload, type, status) => {
		const answer = await t.anonymous.send("POST", "/api/auth/login/", payload, { "content-type": type });
		expect(answer.status).toBe(status);
		expect(answer.body).toEqual({ detail: expect.any(String) });
	});

	it("names each wrong field, and the body where it is none", async () => {
		expect((await t.anonymous.post("/api/auth/login/", {})).body).toEqual({
			username: ["This field is required."],
			password: ["This field is required."],
		});
		expect((await t.anonymous.post("/api/auth/login/", [])).body).toEqual({
			non_field_errors: ["Must be a JSON object."],
		});
		expect((await t.anonymous.post("/api/auth/login/", { username: "a\0b", password: "x" })).body).toHaveProperty(
			"username",
		);
	});

	it.each([
		["none", undefined],
		["nonsense", "Bearer nonsense"],
		["another scheme", "Basic cm9vdDpyb290"],
		["an unsigned one", `Bearer ${btoa('{"alg":"none"}')}.${btoa('{"sub":"1","sid":"x"}')}.`],
	])("a token that is %s", async (_name, authorization) => {
		const answer = await t.anonymous.get("/api/auth/profile/", authorization ? { authorization } : {});
		expect(answer.status).toBe(401);
		expect(answer.headers["www-authenticate"]).toBe("Bearer");
		expect(answer.body).toEqual({ detail: expect.any(String) });
	});
});

describe("rates", () => {
	it("answer 429 with the time to wait, per scope, and open again", async () => {
		const slow = await startTestApp({
			inProcess: true,
			rates: { user: { requests: 3, windowMs: 60_000 }, anon: { requests: 2, windowMs: 60_000 } },
		});
		try {
			const { api } = slow.admin;
			const statuses = [];
			for (let i = 0; i < 5; i++) statuses.push((await api.get("/api/auth/profile/")).status);
			expect(statuses).toEqual([200, 200, 200, 429, 429]);
			const refused = await api.get("/api/auth/profile/");
			expect(refused.headers["retry-after"]).toBe("60");
			expect(refused.body.detail).toMatch(/60 seconds/);
			const anonymous = [];
			for (let i = 0; i < 4; i++) anonymous.push((await slow.anonymous.get("/api/auth/profile/")).status);
			expect(anonymous).toEqual([401, 401, 429, 429]);
			await slow.clock.advance(60_000);
			expect((await api.get("/api/auth/profile/")).status).toBe(200);
		} finally {
			await slow.close();
		}
	});
});

describe("documentation", () => {
	it("is valid OpenAPI 3.0, the same as the committed file", async () => {
		const { body } = await t.anonymous.get("/api/schema/");
		const result = await new Validator().validate(structuredClone(body));
		expect(result.errors ?? []).toEqual([]);
		expect(result.valid).toBe(true);
		const committed = JSON.parse(readFileSync(new URL("../../../docs/openapi.json", import.meta.url), "utf8"));
		expect(body.paths).toEqual(committed.paths);
	});

	it.each(["/api/docs/", "/api/redoc/"])("%s loads nothing from elsewhere", async (path) => {
		const { text, headers } = await t.anonymous.get(path);
		expect(headers["content-security-policy"]).toContain("default-src 'none'");
		const assets = [...text.matchAll(/(?:src|href)="([^"]+)"/g)]
			.map((match) => match[1] ?? "")
			.filter((url) => !url.startsWith("data:"));
		expect(assets.length).toBeGreaterThan(1);
		for (const asset of assets) {
			const { pathname } = new URL(asset, `http://localhost${path}`);
			expect((await t.anonymous.get(pathname)).status, pathname).toBe(200);
		}
	});
});

describe("the store", () => {
	it("that is away answers 503 with Retry-After and comes back by itself", async () => {
		const other = await startTestApp();
		try {
			await other.admin.api.get("/api/auth/profile/");
			const { database } = (await other.pool.query("select current_database() as database")).rows[0];
			await t.pool.query(`alter database ${database} allow_connections false`);
			await t.pool.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [database]);
			const answer = await waitUntil("the loss is noticed", async () => {
				const profile = await other.admin.api.get("/api/auth/profile/");
				return profile.status === 200 ? null : profile;
			});
			expect(answer.status).toBe(503);
			expect(answer.headers["retry-after"]).toBe("5");
			expect(answer.body).toEqual({ detail: expect.any(String), request_id: answer.headers["x-request-id"] });
			expect((await other.anonymous.get("/api/health/")).status).toBe(503);
			await t.pool.query(`alter database ${database} allow_connections true`);
			await waitUntil("it answers again", async () => (await other.anonymous.get("/api/health/")).status === 200);
			expect((await other.admin.api.get("/api/auth/profile/")).status).toBe(200);
		} finally {
			await other.close();
		}
	});
});
