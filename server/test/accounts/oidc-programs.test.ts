/**
 * Programs that sign a person in at an identity provider, through a browser that a person
 * confirms in.
 */
import { createHash } from "node:crypto";
import { formatTerminalCode } from "@weft/contracts";
import { beforeAll, describe, expect, it } from "vitest";
import type { TestApp } from "../support/harness.ts";
import type { TestProvider } from "../support/identity-provider.ts";
import { CALLBACK, EXCHANGE, FRONTEND, START, useIdentityProvider } from "../support/oidc-sign-ins.ts";

const signIns = useIdentityProvider();
const { addPerson, startSignIn, runSignIn, cookies, answers } = signIns;
let t: TestApp;
let provider: TestProvider;
beforeAll(() => {
	({ t, provider } = signIns);
});

describe("the sign-in of a program", () => {
	const REDIRECT = "http://127.0.0.1:49152/a-path_1";
	const verifier = "a".repeat(43);
	const getChallenge = (text: string) => createHash("sha256").update(text).digest("base64url");
	const begin = (query: Record<string, string>) => t.anonymous.get(`${START}?${new URLSearchParams(query)}`);

	const PAGE = `${FRONTEND}/login/terminal`;
	const TERMINAL = "/api/auth/oidc/terminal/";
	const decide = (request: string, cookie: string, decision = "sign_in") =>
		t.anonymous.post(`${TERMINAL}decide/`, { request, decision }, { cookie });

	/** Where the callback leads the browser, and its cookie. */
	async function browseTerminalSignIn(subject: string, change: (location: URL) => void = () => {}) {
		const { status, headers } = await begin({ redirect_uri: REDIRECT, code_challenge: getChallenge(verifier) });
		expect(status).toBe(302);
		const address = new URL(String(headers.location));
		change(address);
		const cookie = String(headers["set-cookie"]).split(";")[0] ?? "";
		const { pathname, search } = new URL(await provider.signIn(address.href, subject, CALLBACK));
		const answer = await t.anonymous.get(pathname + search, { cookie });
		const location = String(answer.headers.location);
		answers.push(answer.text + location);
		expect(answer.status).toBe(302);
		return { location: new URL(location), cookie };
	}

	/** The page's address, which has the request's secret in its fragment. */
	async function openPage(subject: string) {
		const { location, cookie } = await browseTerminalSignIn(subject);
		expect(location.href.slice(0, location.href.indexOf("#"))).toBe(PAGE);
		return { request: new URLSearchParams(location.hash.slice(1)).get("request") ?? "", cookie };
	}

	/** The answer that the program gets at its address after a click. */
	async function programJourney(subject: string) {
		const { request, cookie } = await openPage(subject);
		const { status, body } = await decide(request, cookie);
		expect([status, body.location.slice(0, body.location.indexOf("?"))]).toEqual([200, REDIRECT]);
		return new URL(body.location).searchParams;
	}
	const redeem = (search: URLSearchParams, more: Record<string, string>, headers = {}) =>
		t.anonymous.post(EXCHANGE, { code: search.get("code"), ...more }, headers);

	it("redirects to its address, and signs in the holder of the verifier, once and within 60 seconds", async () => {
		const lea = addPerson("lea");
		const search = await programJourney(lea);
		expect([...search.keys()]).toEqual(["code"]);
		const both = await Promise.all([
			redeem(search, { code_verifier: verifier }),
			redeem(search, { code_verifier: verifier }),
		]);
		expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
		expect(both.find(({ status }) => status === 200)?.body.user.username).toBe("lea");
		const late = await programJourney(lea);
		await t.clock.advance(60_000);
		expect((await redeem(late, { code_verifier: verifier })).status).toBe(401);
	});

	it("refuses a code without its verifier or with a wrong one, and consumes it", async () => {
		const lea = addPerson("lea");
		for (const wrong of [{}, { code_verifier: "b".repeat(43) }, { code_verifier: getChallenge(verifier) }]) {
			const search = await programJourney(lea);
			expect((await redeem(search, wrong)).status).toBe(401);
			expect((await redeem(search, { code_verifier: verifier })).status).toBe(401);
		}
	});

	it("gives no code before a click in the browser that began", async () => {
		const { request, cookie } = await openPage(addPerson("lea"));
		const shown = await t.anonymous.post(TERMINAL, { request }, { cookie });
		expect([shown.status, shown.body]).toEqual([
			200,
			{
				code: formatTerminalCode(getChallenge(verifier)),
				username: "lea",
				address: "127.0.0.1:49152",
				expires_at: new Date(t.clock.now() + 600_000).toISOString(),
			},
		]);
		expect(shown.body.code).toMatch(/^[A-HJ-NP-Z2-9]{4}-[A-HJ-NP-Z2-9]{4}$/);
		const other = (await startSignIn()).cookie;
		for (const stranger of ["", other]) {
			expect((await t.anonymous.post(TERMINAL, { request }, { cookie: stranger })).status).toBe(404);
			expect((await decide(request, stranger)).status).toBe(404);
		}
		// The page's secret is no code, also for the holder of the verifier.
		const code = new URLSearchParams({ code: request });
		expect((await redeem(code, { code_verifier: verifier }, { cookie })).status).toBe(401);
		const both = await Promise.all([decide(request, cookie), decide(request, cookie)]);
		expect(both.map(({ status }) => status).sort()).toEqual([200, 404]);
	});

	it("gives no code after a cancellation, or when ten minutes are over", async () => {
		const lea = addPerson("lea");
		const cancelled = await openPage(lea);
		const answer = await decide(cancelled.request, cancelled.cookie, "cancel");
		expect(answer.body).toEqual({ location: `${REDIRECT}?error=denied` });
		expect((await decide(cancelled.request, cancelled.cookie)).status).toBe(404);
		const late = await openPage(lea);
		await t.clock.advance(600_000);
		expect((await decide(late.request, late.cookie)).status).toBe(404);
	});

	it("takes no verifier for a code of the sign-in page", async () => {
		const lea = addPerson("lea");
		const { search } = await runSignIn(lea);
		const code = search.get("oidc") ?? "";
		const headers = { cookie: cookies.get(search) ?? "" };
		expect((await redeem(new URLSearchParams({ code }), { code_verifier: verifier }, headers)).status).toBe(401);
	});

	it("says why it failed", async () => {
		const { location } = await browseTerminalSignIn(addPerson("lea"), ({ searchParams }) =>
			searchParams.set("nonce", "another"),
		);
		expect(location.href).toBe(`${REDIRECT}?error=token`);
	});

	it.each([
		"https://127.0.0.1:49152/",
		"http://localhost:49152/",
		"http://127.0.0.1/",
		"http://127.0.0.1:0/",
		"http://127.0.0.1:65536/",
		"http://127.0.0.1:49152",
		"http://127.0.0.1:49152/a/../b",
		"http://127.0.0.1:49152/?a=b",
		"http://127.0.0.1:49152@evil.example.com/",
		"http://127.0.0.1:49152.evil.example.com/",
		"http://127.0.0.2:49152/",
		"http://evil.example.com:80/",
		"weft://callback/",
		"",
	])("leads nowhere else: %j", async (redirect_uri) => {
		const { status, body } = await begin({ redirect_uri, code_challenge: getChallenge(verifier) });
		expect([status, Object.keys(body)]).toEqual([400, ["redirect_uri"]]);
	});

	it("needs an address and a challenge together", async () => {
		const code_challenge = getChallenge(verifier);
		expect((await begin({ redirect_uri: REDIRECT })).body).toHaveProperty("code_challenge");
		expect((await begin({ code_challenge })).body).toHaveProperty("redirect_uri");
		const plain = await begin({ redirect_uri: REDIRECT, code_challenge: verifier.slice(1) });
		expect([plain.status, Object.keys(plain.body)]).toEqual([400, ["code_challenge"]]);
		expect((await begin({ redirect_uri: "http://[::1]:49152/", code_challenge })).status).toBe(302);
	});
});
