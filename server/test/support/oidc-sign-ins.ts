/**
 * Set-up of tests of sign-in at an identity provider: the service, a provider, and the steps of
 * a browser.
 */
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { createOidcProvider } from "../../src/integrations/oidc/oidc.ts";
import { type Answer, startTestApp, type TestApp } from "./harness.ts";
import { startIdentityProvider, type TestProvider } from "./identity-provider.ts";

export const FRONTEND = "https://weft.example.com";
export const CALLBACK = `${FRONTEND}/api/auth/oidc/callback/`;
const RULES = { groupMap: { "net ops": ["Editor"], viewers: ["Viewer", "No such group"] }, adminGroup: "bosses" };
export const START = "/api/auth/oidc/start/";
export const EXCHANGE = "/api/auth/oidc/exchange/";

export interface OidcSignIns {
	t: TestApp;
	provider: TestProvider;
	/** Seconds that the service's clock is ahead of the provider's. Zero before each test. */
	ahead: number;
	/** The service's log. */
	readonly lines: string[];
	/** Answers that must not have the provider's secret. */
	readonly answers: string[];
	/** The cookies of the browsers that got a code, by the answer that had it. */
	readonly cookies: WeakMap<URLSearchParams, string>;
	/** Adds a person to the provider, or changes the claims of one; returns the subject. */
	addPerson(preferred_username: string, more?: object): string;
	startSignIn(next?: string): Promise<{ location: string; cookie: string }>;
	/** Returns the query and the fragment of the sign-in page's address. */
	followCallback(address: string, cookie: string): Promise<URLSearchParams>;
	/** A whole journey up to the sign-in page. */
	runSignIn(
		subject: string,
		change?: (location: URL) => void,
		next?: string,
	): Promise<{ back: string; cookie: string; search: URLSearchParams }>;
	/** Exchanges the code of an answer, in the browser that got it. */
	exchangeCode(search: URLSearchParams, headers?: Record<string, string>): Promise<Answer>;
	/** A whole journey that must succeed, to the tokens. */
	signIn(subject: string): Promise<Answer>;
	/** The error that a journey ends with; null where it ends with a code. */
	getFailure(subject: string): Promise<string | null>;
	/** A user as administrators see it. */
	getRecord(id: number): Promise<Answer["body"]>;
}

/**
 * Sets up one test file. The returned fields are set before its first test begins. After the last
 * one, no answer and no line of the log may have the provider's secret or a token.
 */
export function useIdentityProvider(): OidcSignIns {
	const lines: string[] = [];
	const answers: string[] = [];
	const cookies = new WeakMap<URLSearchParams, string>();
	const signIns = {
		lines,
		answers,
		cookies,
		addPerson(preferred_username, more = {}) {
			signIns.provider.people.set(`subject of ${preferred_username}`, {
				preferred_username,
				email: `${preferred_username}@provider.example.com`,
				email_verified: true,
				given_name: "First",
				family_name: preferred_username,
				...more,
			});
			return `subject of ${preferred_username}`;
		},
		async startSignIn(next) {
			const path = next ? `${START}?next=${encodeURIComponent(next)}` : START;
			const { status, headers, text } = await signIns.t.anonymous.get(path);
			answers.push(text + JSON.stringify(headers));
			expect(status).toBe(302);
			const set = String(headers["set-cookie"]);
			expect(set).toMatch(/^__Host-weft_oidc=[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/);
			return { location: String(headers.location), cookie: set.split(";")[0] ?? "" };
		},
		async followCallback(address, cookie) {
			const { pathname, search } = new URL(address);
			const { status, headers, text } = await signIns.t.anonymous.get(pathname + search, { cookie });
			answers.push(text + JSON.stringify(headers));
			expect(status).toBe(302);
			const to = new URL(String(headers.location));
			expect(to.origin + to.pathname).toBe(`${FRONTEND}/login`);
			expect([...to.searchParams.keys()]).not.toContain("oidc");
			const answered = new URLSearchParams([...to.searchParams, ...new URLSearchParams(to.hash.slice(1))]);
			cookies.set(answered, cookie);
			return answered;
		},
		async runSignIn(subject, change = () => {}, next) {
			const { location, cookie } = await signIns.startSignIn(next);
			const address = new URL(location);
			change(address);
			const back = await signIns.provider.signIn(address.href, subject, CALLBACK);
			return { back, cookie, search: await signIns.followCallback(back, cookie) };
		},
		async exchangeCode(search, headers = { cookie: cookies.get(search) ?? "" }) {
			const answer = await signIns.t.anonymous.post(EXCHANGE, { code: search.get("oidc") ?? "" }, headers);
			answers.push(answer.text);
			return answer;
		},
		async signIn(subject) {
			const { search } = await signIns.runSignIn(subject);
			expect(search.get("oidc_error")).toBeNull();
			return signIns.exchangeCode(search);
		},
		getFailure: async (subject) => (await signIns.runSignIn(subject)).search.get("oidc_error"),
		getRecord: async (id) => (await signIns.t.admin.api.get(`/api/auth/management/${id}/`)).body,
	} as OidcSignIns;
	beforeAll(async () => {
		signIns.provider = await startIdentityProvider(FRONTEND);
		const logger = pino({ level: "debug" }, { write: (line: string) => void lines.push(line) });
		const { issuer, clientId, clientSecret } = signIns.provider;
		const adapter = createOidcProvider(
			{
				issuer,
				clientId,
				clientSecret,
				scopes: "openid profile email",
				usernameClaim: "preferred_username",
				groupsClaim: "groups",
			},
			{ now: () => Date.now() + signIns.ahead * 1_000 },
			logger,
		);
		signIns.t = await startTestApp({
			deps: { logger, frontendUrl: FRONTEND, identityProvider: { ...adapter, rules: RULES, label: "Example" } },
		});
	});
	afterAll(async () => {
		await signIns.t.close();
		await signIns.provider.stop();
		expect(lines.length).toBeGreaterThan(0);
		expect(answers.length).toBeGreaterThan(0);
		expect([...lines, ...answers].filter((text) => text.includes(signIns.provider.clientSecret))).toEqual([]);
		expect(lines.filter((line) => /eyJ[\w-]{8,}\.eyJ/.test(line))).toEqual([]);
	});
	beforeEach(async () => {
		signIns.ahead = 0;
		await signIns.t.pool.query("update login_attempts set counts = false");
	});
	return signIns;
}
