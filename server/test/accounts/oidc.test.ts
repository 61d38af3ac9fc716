/**
 * Signing in at an identity provider, against a real one: codes, states, cookies, keys and
 * addresses.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildApp } from "../../src/app.ts";
import { createMemoryCache } from "../../src/storage/memory/cache.ts";
import { startTestApp, TEST_PASSWORD, type TestApp, waitUntilAfter } from "../support/harness.ts";
import type { TestProvider } from "../support/identity-provider.ts";
import { CALLBACK, EXCHANGE, FRONTEND, START, useIdentityProvider } from "../support/oidc-sign-ins.ts";

const signIns = useIdentityProvider();
const { addPerson, startSignIn, followCallback, runSignIn, exchangeCode, signIn, getFailure, lines } = signIns;
let t: TestApp;
let provider: TestProvider;
beforeAll(() => {
	({ t, provider } = signIns);
});

describe("without an identity provider", () => {
	let local: TestApp;
	beforeAll(async () => {
		local = await startTestApp({ work: true });
	});
	afterAll(() => local.close());

	it("deletes sign-ins that were not finished", async () => {
		await local.pool.query(`insert into oidc_states (state_hash, browser_hash, next, expires_at)
			values ('s', 'b', '', to_timestamp(${local.clock.now() / 1_000 + 60}))`);
		await local.pool.query(`insert into oidc_codes select 'c', 'b', id, to_timestamp(${local.clock.now() / 1_000 + 60})
			from users where username = 'root'`);
		const left = async () =>
			(await local.pool.query("select 1 from oidc_states union all select 1 from oidc_codes")).rows.length;
		expect(await left()).toBe(2);
		await waitUntilAfter(local.clock, 60_000, "sign-ins are deleted", async () => (await left()) === 0);
	});

	it("there is nothing to sign in at", async () => {
		const answers = [
			await local.anonymous.get(START),
			await local.anonymous.get("/api/auth/oidc/callback/?code=x&state=y"),
			await local.anonymous.post(EXCHANGE, { code: "x" }),
		];
		expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
		const { body } = await local.anonymous.get("/api/auth/health/");
		expect(body).toMatchObject({ oidc_enabled: false, oidc_label: null });
		expect(body).not.toHaveProperty("demo_logins");
		const user = await local.user("local.user");
		expect((await user.api.post("/api/auth/logout/")).status).toBe(204);
	});
});

describe("an identity provider", () => {
	it("is announced by the health answer", async () => {
		const { body } = await t.anonymous.get("/api/auth/health/");
		expect(body).toMatchObject({ oidc_enabled: true, oidc_label: "Example" });
	});

	it("takes a code once and within 60 seconds", async () => {
		const bea = addPerson("bea");
		const { search } = await runSignIn(bea);
		await t.clock.advance(59_000);
		const both = await Promise.all([exchangeCode(search), exchangeCode(search)]);
		expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
		const late = (await runSignIn(bea)).search;
		await t.clock.advance(60_000);
		expect((await exchangeCode(late)).status).toBe(401);
		expect((await exchangeCode(new URLSearchParams("oidc=unknown"))).body.detail).toContain("60 seconds");
	});

	it("takes a state from the browser that began it only, once, and within ten minutes", async () => {
		const bea = addPerson("bea");
		const { location, cookie } = await startSignIn();
		const other = await startSignIn();
		const back = await provider.signIn(location, bea, CALLBACK);
		const state = async (address: string, from: string) => (await followCallback(address, from)).get("oidc_error");
		expect(await state(back, "")).toBe("state");
		expect(await state(back, other.cookie)).toBe("state");
		expect(await state(back.replace(/state=[^&]+/, "state=wrong"), cookie)).toBe("state");
		expect((await followCallback(back, cookie)).get("oidc")).toMatch(/^[\w-]{43}$/);
		expect(await state(back, cookie)).toBe("state");
		const late = await provider.signIn(other.location, bea, CALLBACK);
		await t.clock.advance(600_000);
		expect(await state(late, other.cookie)).toBe("state");
	});

	it("lets a browser exchange only what it began itself", async () => {
		const bea = addPerson("bea");
		const { search, cookie } = await runSignIn(bea);
		const browser = { origin: FRONTEND, "sec-fetch-site": "same-origin" };
		expect((await exchangeCode(search, {})).status).toBe(401);
		expect((await exchangeCode(search, browser)).status).toBe(401);
		expect((await exchangeCode(search, { ...browser, cookie: (await startSignIn()).cookie })).status).toBe(401);
		expect((await exchangeCode(search, { ...browser, cookie })).status).toBe(200);
	});

	it("logs a state and a code that it refuses", async () => {
		const { location, cookie } = await startSignIn();
		const back = await provider.signIn(location, addPerson("bea"), CALLBACK);
		lines.length = 0;
		await followCallback(back, "");
		const search = await followCallback(back, cookie);
		await exchangeCode(search, { origin: FRONTEND });
		expect(lines.map((line) => JSON.parse(line)).filter(({ level, ip }) => level === 40 && ip)).toEqual([
			expect.objectContaining({ msg: expect.stringContaining("a browser that did not begin it"), ip: "127.0.0.1" }),
			expect.objectContaining({ operation: "auth.oidc_exchange", status: 401, ip: "127.0.0.1" }),
		]);
	});

	it("asks the provider for the credentials again where a recent sign-in is needed", async () => {
		const findPrompt = async (query: string) =>
			new URL(String((await t.anonymous.get(`${START}${query}`)).headers.location)).searchParams.get("prompt");
		expect([await findPrompt(""), await findPrompt("?prompt=login")]).toEqual([null, "login"]);
		expect((await t.anonymous.get(`${START}?prompt=none`)).body).toHaveProperty("prompt");
	});

	it("keeps the cookie of a browser that begins twice", async () => {
		const { cookie } = await startSignIn();
		const { headers } = await t.anonymous.get(START, { cookie });
		expect(String(headers["set-cookie"])).toContain(cookie);
	});

	it("refuses a wrong nonce, a code that was used, and a wrong verifier", async () => {
		const bea = addPerson("bea");
		const wrong = await runSignIn(bea, ({ searchParams }) => searchParams.set("nonce", "another"));
		expect(wrong.search.get("oidc_error")).toBe("token");
		const used = new URL((await runSignIn(bea)).back).searchParams.get("code") ?? "";
		const { location, cookie } = await startSignIn();
		const back = new URL(await provider.signIn(location, bea, CALLBACK));
		back.searchParams.set("code", used);
		expect((await followCallback(back.href, cookie)).get("oidc_error")).toBe("token");
		const challenge = await runSignIn(bea, ({ searchParams }) => searchParams.set("code_challenge", "a".repeat(43)));
		expect(challenge.search.get("oidc_error")).toBe("token");
		const { location: denied, cookie: own } = await startSignIn();
		const state = new URL(denied).searchParams.get("state");
		const address = `${CALLBACK}?error=access_denied&state=${state}&iss=${encodeURIComponent(provider.issuer)}`;
		expect((await followCallback(address, own)).get("oidc_error")).toBe("denied");
	});

	it("refuses metadata that name another issuer", async () => {
		const { location, cookie } = await startSignIn();
		const back = await provider.signIn(location, addPerson("bea"), CALLBACK);
		provider.claimedIssuer = "https://elsewhere.example.com";
		const refused = await t.anonymous.get(START);
		expect([refused.status, refused.body.detail]).toEqual([
			503,
			`WEFT_OIDC_ISSUER is ${provider.issuer}, but the identity provider calls itself https://elsewhere.example.com. Set the same text.`,
		]);
		expect((await followCallback(back, cookie)).get("oidc_error")).toBe("unavailable");
		provider.claimedIssuer = provider.issuer;
		expect((await t.anonymous.get(START)).status).toBe(302);
		provider.claimedIssuer = null;
	});

	it("takes the provider's new key at once", async () => {
		const bea = addPerson("bea");
		expect((await signIn(bea)).status).toBe(200);
		await provider.rotate();
		expect((await signIn(bea)).status).toBe(200);
		provider.hidesKeys = true;
		expect(await getFailure(bea)).toBe("token");
		provider.hidesKeys = false;
	});

	it.each([
		[295, null],
		[-295, null],
		[310, "token"],
		[-310, "token"],
	])("with a clock that is %i seconds off ends the sign-in with the error %j", async (seconds, expected) => {
		const bea = addPerson("bea");
		signIns.ahead = seconds;
		expect(await getFailure(bea)).toBe(expected);
	});

	it("starts on one node and ends on another", async () => {
		const other = await buildApp({ ...t.deps, localCache: createMemoryCache(t.clock) });
		const jan = addPerson("jan");
		const { location, cookie } = await startSignIn();
		const { pathname, search } = new URL(await provider.signIn(location, jan, CALLBACK));
		const back = await other.server.inject({ url: pathname + search, headers: { cookie } });
		const { hash } = new URL(String(back.headers.location));
		expect((await exchangeCode(new URLSearchParams(hash.slice(1)), { cookie })).status).toBe(200);
		await other.close();
	});

	it.each([
		"//evil.example.com",
		"https://evil.example.com",
		"/\\evil.example.com",
		"/%0a/../..//evil",
		"/./evil",
		"/a/..",
		"/a//b",
		"/a\\b",
		"/a b",
		"\\/evil",
		"javascript:alert(1)",
		"",
	])("does not lead to %j afterwards", async (next) => {
		const { status, body } = await t.anonymous.get(`${START}?next=${encodeURIComponent(next)}`);
		expect([status, Object.keys(body)]).toEqual([400, ["next"]]);
	});

	it.each(["/", "/queries", "/queries/", "/model/fvBD?q=a/../b#c", "/compare/uni%2Ftn"])(
		"leads to %j afterwards",
		async (next) => expect((await startSignIn(next)).location).toContain(provider.issuer),
	);

	it("that is down is answered with 503 at the start and with a word at the callback, and passwords work", async () => {
		const kim = addPerson("kim");
		const { body } = await signIn(kim);
		const { location, cookie } = await startSignIn();
		const back = await provider.signIn(location, kim, CALLBACK);
		await provider.stop();
		const answer = await t.anonymous.get(START);
		expect([answer.status, Number(answer.headers["retry-after"]) > 0]).toEqual([503, true]);
		expect(answer.body.detail).toContain("sign in with a password");
		expect((await followCallback(back, cookie)).get("oidc_error")).toBe("unavailable");
		const local = { username: "root", password: TEST_PASSWORD };
		expect((await t.anonymous.post("/api/auth/login/", local)).status).toBe(200);
		expect((await t.as(body.access).post("/api/auth/logout/")).status).toBe(204);
		await provider.start();
		expect((await signIn(kim)).status).toBe(200);
	});
});
