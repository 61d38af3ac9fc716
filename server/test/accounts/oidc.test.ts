/** Signing in at an identity provider, against a real one. */
import { createHash } from "node:crypto";
import { formatTerminalCode } from "@weft/contracts";
import { TOTP } from "otpauth";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { buildApp } from "../../src/app.ts";
import { createOidcProvider } from "../../src/integrations/oidc/oidc.ts";
import { createMemoryCache } from "../../src/storage/memory/cache.ts";
import { startTestApp, TEST_PASSWORD, type TestApp, untilAfter } from "../support/harness.ts";
import { startIdentityProvider, type TestProvider } from "../support/identity-provider.ts";
import { findAudit, groupIds, loginAttempts } from "../support/rights.ts";

const FRONTEND = "https://weft.example.com";
const CALLBACK = `${FRONTEND}/api/auth/oidc/callback/`;
const RULES = { groupMap: { "net ops": ["Editor"], viewers: ["Viewer", "No such group"] }, adminGroup: "bosses" };
const START = "/api/auth/oidc/start/";
const EXCHANGE = "/api/auth/oidc/exchange/";

describe("without an identity provider", () => {
	let t: TestApp;
	beforeAll(async () => {
		t = await startTestApp({ work: true });
	});
	afterAll(() => t.close());

	it("deletes sign-ins that were not finished", async () => {
		await t.pool.query(`insert into oidc_states (state_hash, browser_hash, next, expires_at)
			values ('s', 'b', '', to_timestamp(${t.clock.now() / 1_000 + 60}))`);
		await t.pool.query(`insert into oidc_codes select 'c', 'b', id, to_timestamp(${t.clock.now() / 1_000 + 60})
			from users where username = 'root'`);
		const left = async () =>
			(await t.pool.query("select 1 from oidc_states union all select 1 from oidc_codes")).rows.length;
		expect(await left()).toBe(2);
		await untilAfter(t.clock, 60_000, "sign-ins are deleted", async () => (await left()) === 0);
	});

	it("there is nothing to sign in at", async () => {
		const answers = [
			await t.anonymous.get(START),
			await t.anonymous.get("/api/auth/oidc/callback/?code=x&state=y"),
			await t.anonymous.post(EXCHANGE, { code: "x" }),
		];
		expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
		const { body } = await t.anonymous.get("/api/auth/health/");
		expect(body).toMatchObject({ oidc_enabled: false, oidc_label: null });
		expect(body).not.toHaveProperty("demo_logins");
		const user = await t.user("local.user");
		expect((await user.api.post("/api/auth/logout/")).status).toBe(204);
	});
});

describe("an identity provider", () => {
	let t: TestApp;
	let provider: TestProvider;
	/** Seconds that the service's clock is ahead of the provider's. */
	let ahead = 0;
	const lines: string[] = [];
	const answers: string[] = [];

	beforeAll(async () => {
		provider = await startIdentityProvider(FRONTEND);
		const logger = pino({ level: "debug" }, { write: (line: string) => void lines.push(line) });
		const { issuer, clientId, clientSecret } = provider;
		const adapter = createOidcProvider(
			{
				issuer,
				clientId,
				clientSecret,
				scopes: "openid profile email",
				usernameClaim: "preferred_username",
				groupsClaim: "groups",
			},
			{ now: () => Date.now() + ahead * 1_000 },
			logger,
		);
		t = await startTestApp({
			deps: { logger, frontendUrl: FRONTEND, identityProvider: { ...adapter, rules: RULES, label: "Example" } },
		});
	});
	afterAll(async () => {
		await t.close();
		await provider.stop();
		expect(lines.length).toBeGreaterThan(0);
		expect(answers.length).toBeGreaterThan(0);
		expect([...lines, ...answers].filter((text) => text.includes(provider.clientSecret))).toEqual([]);
		expect(lines.filter((line) => /eyJ[\w-]{8,}\.eyJ/.test(line))).toEqual([]);
	});
	beforeEach(async () => {
		ahead = 0;
		await t.pool.query("update login_attempts set counts = false");
	});

	const person = (preferred_username: string, more: object = {}) => {
		provider.people.set(`subject of ${preferred_username}`, {
			preferred_username,
			email: `${preferred_username}@provider.example.com`,
			email_verified: true,
			given_name: "First",
			family_name: preferred_username,
			...more,
		});
		return `subject of ${preferred_username}`;
	};

	async function startSignIn(next?: string): Promise<{ location: string; cookie: string }> {
		const { status, headers, text } = await t.anonymous.get(next ? `${START}?next=${encodeURIComponent(next)}` : START);
		answers.push(text + JSON.stringify(headers));
		expect(status).toBe(302);
		const set = String(headers["set-cookie"]);
		expect(set).toMatch(/^__Host-weft_oidc=[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/);
		return { location: String(headers.location), cookie: set.split(";")[0] ?? "" };
	}

	/** The cookies of the browsers that got a code, by the answer that had it. */
	const cookies = new WeakMap<URLSearchParams, string>();

	/** The query and the fragment of the sign-in page's address. */
	async function followCallback(address: string, cookie: string): Promise<URLSearchParams> {
		const { pathname, search } = new URL(address);
		const { status, headers, text } = await t.anonymous.get(pathname + search, { cookie });
		answers.push(text + JSON.stringify(headers));
		expect(status).toBe(302);
		const to = new URL(String(headers.location));
		expect(to.origin + to.pathname).toBe(`${FRONTEND}/login`);
		expect([...to.searchParams.keys()]).not.toContain("oidc");
		const answered = new URLSearchParams([...to.searchParams, ...new URLSearchParams(to.hash.slice(1))]);
		cookies.set(answered, cookie);
		return answered;
	}

	/** A whole journey up to the sign-in page. */
	async function runSignIn(subject: string, change: (location: URL) => void = () => {}, next?: string) {
		const { location, cookie } = await startSignIn(next);
		const address = new URL(location);
		change(address);
		const back = await provider.signIn(address.href, subject, CALLBACK);
		return { back, cookie, search: await followCallback(back, cookie) };
	}

	async function exchangeCode(
		search: URLSearchParams,
		headers: Record<string, string> = { cookie: cookies.get(search) ?? "" },
	) {
		const answer = await t.anonymous.post(EXCHANGE, { code: search.get("oidc") ?? "" }, headers);
		answers.push(answer.text);
		return answer;
	}

	async function signIn(subject: string) {
		const { search } = await runSignIn(subject);
		expect(search.get("oidc_error")).toBeNull();
		return exchangeCode(search);
	}
	const failure = async (subject: string) => (await runSignIn(subject)).search.get("oidc_error");
	const record = async (id: number) => (await t.admin.api.get(`/api/auth/management/${id}/`)).body;

	it("is announced by the health answer", async () => {
		const { body } = await t.anonymous.get("/api/auth/health/");
		expect(body).toMatchObject({ oidc_enabled: true, oidc_label: "Example" });
	});

	it("makes a user at the first sign-in, and refreshes names, address and groups at each", async () => {
		const ada = person("ada", { groups: ["Net Ops", "viewers", 7] });
		const { search } = await runSignIn(ada, undefined, "/queries?q=a//b");
		expect([...search.keys()].sort()).toEqual(["next", "oidc"]);
		expect(search.get("next")).toBe("/queries?q=a//b");
		const { status, body } = await exchangeCode(search);
		expect(status).toBe(200);
		const { id } = body.user;
		expect(body).toEqual({
			access: expect.any(String),
			refresh: expect.any(String),
			user: { id, username: "ada", is_admin: false, mfa_enabled: false },
		});
		expect(await record(id)).toMatchObject({
			auth_source: "oidc",
			first_name: "First",
			last_name: "ada",
			email: "ada@provider.example.com",
			email_verified: true,
			group_names: ["Editor", "Users", "Viewer"],
		});
		const groups = [...(await record(id)).group_ids, ...(await groupIds(t, "Operator"))];
		await t.admin.api.patch(`/api/auth/management/${id}/`, { group_ids: groups });
		const session = t.as(body.access);
		person("ada", { groups: "bosses", given_name: "Augusta" });
		expect((await signIn(ada)).body.user).toMatchObject({ id, is_admin: true });
		expect(await record(id)).toMatchObject({ first_name: "Augusta", group_names: ["Admin", "Operator", "Users"] });
		expect((await session.get("/api/auth/management/")).status).toBe(200);
		person("ada", { groups: [] });
		expect((await signIn(ada)).body.user.is_admin).toBe(false);
		expect((await session.get("/api/auth/management/")).status).toBe(403);
		const entries = (await findAudit(t, id)).filter(({ user_id }) => user_id === id);
		expect(entries.map(({ action }) => action)).toEqual([
			...["oidc_user_create", "oidc_login", "oidc_user_update", "oidc_login", "oidc_user_update", "oidc_login"],
		]);
		expect((await loginAttempts(t, "ada")).map(({ success }) => success)).toEqual([true, true, true]);
	});

	describe("that does not name a person's groups", () => {
		const member = { groups: ["bosses", "net ops"] };
		const groupNames = async (id: number) => (await record(id)).group_names;

		it.each([
			["says nothing", {}],
			[
				"refers to another source",
				{ _claim_names: { groups: "src1" }, _claim_sources: { src1: { endpoint: "https://x" } } },
			],
			["has a number for a name", { groups: [7] }],
			["has an empty text", { groups: "" }],
			["has an object", { groups: { name: "viewers" } }],
		])("keeps the membership where the token %s", async (_what, claims) => {
			const kim = person("kim", member);
			const { id } = (await signIn(kim)).body.user;
			expect(await groupNames(id)).toEqual(["Admin", "Editor", "Users"]);
			person("kim", claims);
			expect((await signIn(kim)).body.user.is_admin).toBe(true);
			expect(await groupNames(id)).toEqual(["Admin", "Editor", "Users"]);
			person("kim", { groups: [] });
			expect((await signIn(kim)).body.user.is_admin).toBe(false);
			expect(await groupNames(id)).toEqual(["Users"]);
		});

		it("logs each user with unknown groups, and notifies administrators once for each", async () => {
			const lou = person("lou", member);
			const { id } = (await signIn(lou)).body.user;
			await t.user("second.admin", ["Admin"]);
			person("lou");
			for (let i = 0; i < 2; i++) await signIn(lou);
			const logged = lines.map((line) => JSON.parse(line)).filter(({ userId, level }) => userId === id && level === 40);
			expect(logged).toHaveLength(2);
			expect(logged[0].msg).toContain("the identity provider does not name the groups of a user");
			const { rows } = await t.pool.query(
				`select u.username, n.category, n.severity, n.title, n.body from notifications n join users u on u.id = n.user_id
				where n.key = $1 and u.username in ('root', 'second.admin', 'lou') order by u.username`,
				[`groups_unknown:${id}`],
			);
			const notice = {
				category: "system",
				severity: "warning",
				title: "The groups of lou are unknown",
				body: expect.stringMatching(
					/^The identity provider did not name the groups of lou .*are kept.*WEFT_OIDC_GROUPS_CLAIM/,
				),
			};
			expect(rows).toEqual(["lou", "root", "second.admin"].map((username) => ({ username, ...notice })));
		});

		it("adds a new person to no group, and keeps names that are absent later", async () => {
			const { body } = await signIn(person("max"));
			expect(await groupNames(body.user.id)).toEqual(["Users"]);
			provider.people.set("subject of max", { preferred_username: "max", ...member });
			await signIn("subject of max");
			expect(await record(body.user.id)).toMatchObject({
				first_name: "First",
				last_name: "max",
				email: "max@provider.example.com",
				group_names: ["Admin", "Editor", "Users"],
			});
		});
	});

	it("reads claims in the forms that providers use", async () => {
		provider.people.set("forms", {
			preferred_username: "forms",
			email: "forms@provider.example.com",
			email_verified: "true",
			name: "Ada King Lovelace",
			groups: "net ops, viewers",
		});
		const { body } = await signIn("forms");
		expect(await record(body.user.id)).toMatchObject({
			first_name: "Ada King",
			last_name: "Lovelace",
			email_verified: true,
			group_names: ["Editor", "Users", "Viewer"],
		});
	});

	it("finds a mapped group at the end of 1,400", async () => {
		const groups = Array.from({ length: 1_399 }, (_, i) => `group ${i}`);
		const { body } = await signIn(person("ned", { groups: [...groups, "Bosses"] }));
		expect(body.user.is_admin).toBe(true);
	});

	it("takes a code once and within 60 seconds", async () => {
		const bea = person("bea");
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
		const bea = person("bea");
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
		const bea = person("bea");
		const { search, cookie } = await runSignIn(bea);
		const browser = { origin: FRONTEND, "sec-fetch-site": "same-origin" };
		expect((await exchangeCode(search, {})).status).toBe(401);
		expect((await exchangeCode(search, browser)).status).toBe(401);
		expect((await exchangeCode(search, { ...browser, cookie: (await startSignIn()).cookie })).status).toBe(401);
		expect((await exchangeCode(search, { ...browser, cookie })).status).toBe(200);
	});

	it("logs a state and a code that it refuses", async () => {
		const { location, cookie } = await startSignIn();
		const back = await provider.signIn(location, person("bea"), CALLBACK);
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

	describe("for a program", () => {
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
			const lea = person("lea");
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
			const lea = person("lea");
			for (const wrong of [{}, { code_verifier: "b".repeat(43) }, { code_verifier: getChallenge(verifier) }]) {
				const search = await programJourney(lea);
				expect((await redeem(search, wrong)).status).toBe(401);
				expect((await redeem(search, { code_verifier: verifier })).status).toBe(401);
			}
		});

		it("gives no code before a click in the browser that began", async () => {
			const { request, cookie } = await openPage(person("lea"));
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
			const lea = person("lea");
			const cancelled = await openPage(lea);
			const answer = await decide(cancelled.request, cancelled.cookie, "cancel");
			expect(answer.body).toEqual({ location: `${REDIRECT}?error=denied` });
			expect((await decide(cancelled.request, cancelled.cookie)).status).toBe(404);
			const late = await openPage(lea);
			await t.clock.advance(600_000);
			expect((await decide(late.request, late.cookie)).status).toBe(404);
		});

		it("takes no verifier for a code of the sign-in page", async () => {
			const lea = person("lea");
			const { search } = await runSignIn(lea);
			const code = search.get("oidc") ?? "";
			const headers = { cookie: cookies.get(search) ?? "" };
			expect((await redeem(new URLSearchParams({ code }), { code_verifier: verifier }, headers)).status).toBe(401);
		});

		it("says why it failed", async () => {
			const { location } = await browseTerminalSignIn(person("lea"), ({ searchParams }) =>
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

	it("refuses a wrong nonce, a code that was used, and a wrong verifier", async () => {
		const bea = person("bea");
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
		const back = await provider.signIn(location, person("bea"), CALLBACK);
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
		const bea = person("bea");
		expect((await signIn(bea)).status).toBe(200);
		await provider.rotate();
		expect((await signIn(bea)).status).toBe(200);
		provider.hidesKeys = true;
		expect(await failure(bea)).toBe("token");
		provider.hidesKeys = false;
	});

	it.each([
		[295, null],
		[-295, null],
		[310, "token"],
		[-310, "token"],
	])("with a clock that is %i seconds off: %j", async (seconds, expected) => {
		const bea = person("bea");
		ahead = seconds;
		expect(await failure(bea)).toBe(expected);
	});

	it("takes over no account with the same name, and follows a person under another name", async () => {
		expect(await failure(person("root", { groups: ["bosses"] }))).toBe("taken");
		expect(await failure(person("ROOT"))).toBe("taken");
		await t.user("cleo");
		await t.pool.query("update users set auth_source = 'ldap' where username = 'cleo'");
		expect(await failure(person("cleo"))).toBe("taken");
		const dan = person("dan");
		const { id } = (await signIn(dan)).body.user;
		provider.people.set("another", { preferred_username: "dan" });
		expect(await failure("another")).toBe("taken");
		provider.people.set(dan, { preferred_username: "daniel" });
		expect((await signIn(dan)).body.user).toMatchObject({ id, username: "dan" });
		const attempts = [];
		for (const name of ["root", "cleo", "dan"]) attempts.push(...(await loginAttempts(t, name)));
		const reasons = attempts.filter(({ success }) => !success).map(({ failure_reason }) => failure_reason);
		expect([...new Set(reasons)]).toEqual(["oidc_taken"]);
		expect((await t.anonymous.post("/api/auth/login/", { username: "dan", password: TEST_PASSWORD })).status).toBe(401);
	});

	it("lets its users in again after the provider was replaced", async () => {
		const { id } = (await signIn(person("eli"))).body.user;
		await t.pool.query("update oidc_accounts set issuer = 'https://former.example.com' where user_id = $1", [id]);
		provider.people.set("new subject", { preferred_username: "eli" });
		expect((await signIn("new subject")).body.user.id).toBe(id);
	});

	it.each([["strange (name)*"], [""], [undefined], ["ab"], ["x".repeat(151)]])(
		"lets nobody in as %j",
		async (preferred_username) => {
			provider.people.set("strange", preferred_username === undefined ? {} : { preferred_username });
			expect(await failure("strange")).toBe("username");
		},
	);

	it("refuses a user who is not active, at the callback and at the exchange", async () => {
		const fay = person("fay");
		const { id } = (await signIn(fay)).body.user;
		const { search } = await runSignIn(fay);
		await t.admin.api.post(`/api/auth/management/${id}/deactivate/`);
		expect((await exchangeCode(search)).status).toBe(401);
		expect(await failure(fay)).toBe("inactive");
		expect((await record(id)).is_active).toBe(false);
	});

	it("locks a name after five failed passwords", async () => {
		const gus = person("gus");
		await signIn(gus);
		for (let i = 0; i < 5; i++) await t.anonymous.post("/api/auth/login/", { username: "gus", password: "wrong" });
		expect(await failure(gus)).toBe("locked");
		await t.clock.advance(15 * 60_000 + 1);
		expect(await failure(gus)).toBeNull();
	});

	it("its users have no password here, and may have a second factor that an administrator removes", async () => {
		const hal = person("hal");
		const { body } = await signIn(hal);
		const api = t.as(body.access);
		const change = { old_password: "x", new_password: TEST_PASSWORD };
		expect((await api.post("/api/auth/password/change/", change)).body).toHaveProperty("old_password");
		const path = `/api/auth/management/${body.user.id}/`;
		expect((await t.admin.api.post(`${path}reset_password/`, { new_password: TEST_PASSWORD })).status).toBe(400);
		expect((await t.admin.api.post(`${path}generate_reset_code/`)).status).toBe(400);
		const { secret } = (await api.post("/api/auth/mfa/setup/")).body;
		const totp = new TOTP({ secret });
		await api.post("/api/auth/mfa/verify/", { code: totp.generate({ timestamp: t.clock.now() }) });
		await t.clock.advance(30_000);
		const first = await signIn(hal);
		expect(first.status).toBe(202);
		const code = totp.generate({ timestamp: t.clock.now() });
		const second = await t.anonymous.post("/api/auth/mfa-login/", { mfa_token: first.body.mfa_token, code });
		expect(second.status).toBe(200);
		expect((await api.post("/api/auth/mfa/disable/", { password: "x" })).body).toHaveProperty("password");
		expect((await t.admin.api.post(`${path}disable_mfa/`)).status).toBe(200);
		expect((await signIn(hal)).status).toBe(200);
	});

	it("ends the session here and says where it ends at the provider", async () => {
		const { body } = await signIn(person("ida"));
		const api = t.as(body.access);
		const { status, body: ended } = await api.post("/api/auth/logout/");
		expect(status).toBe(200);
		const address = new URL(ended.end_session_url);
		expect(address.href.startsWith(`${provider.issuer}/session/end?`)).toBe(true);
		expect(address.searchParams.get("post_logout_redirect_uri")).toBe(`${FRONTEND}/login`);
		expect((await fetch(address)).status).toBe(200);
		expect((await api.get("/api/auth/profile/")).status).toBe(401);
		expect((await t.admin.api.get("/api/auth/profile/")).status).toBe(200);
	});

	it("starts on one node and ends on another", async () => {
		const other = await buildApp({ ...t.deps, localCache: createMemoryCache(t.clock) });
		const jan = person("jan");
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

	it("that is down: 503 with a sentence at the start, a word at the callback; passwords work", async () => {
		const kim = person("kim");
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

describe("an identity provider that signs user info", () => {
	it("lets people in with its claims, and refuses one with a wrong signature", async () => {
		const provider = await startIdentityProvider(FRONTEND, true);
		const { issuer, clientId, clientSecret } = provider;
		const settings = { scopes: "openid profile email", usernameClaim: "preferred_username", groupsClaim: "groups" };
		const lines: string[] = [];
		const logger = pino({ level: "debug" }, { write: (line: string) => void lines.push(line) });
		const adapter = createOidcProvider(
			{ issuer, clientId, clientSecret, ...settings },
			{ now: () => Date.now() },
			logger,
		);
		try {
			provider.people.set("signed", { preferred_username: "signed", given_name: "Ada" });
			const secrets = { redirectUri: CALLBACK, state: "s".repeat(43), nonce: "n".repeat(43), verifier: "v".repeat(43) };
			const redeem = async () => {
				const location = await adapter.authorizationUrl(secrets, null);
				const back = new URL(await provider.signIn(location, "signed", CALLBACK));
				return adapter.redeem(back.searchParams, secrets);
			};
			expect(await redeem()).toMatchObject({ subject: "signed", username: "signed", first_name: "Ada" });
			provider.forgesUserInfo = true;
			await expect(redeem()).rejects.toMatchObject({ reason: "token" });
		} finally {
			await adapter.close();
			await provider.stop();
		}
	});
});
