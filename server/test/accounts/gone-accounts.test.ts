/** Accounts of people who are gone from the directory or at the identity provider. */
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Directory } from "../../src/integrations/ldap/port.ts";
import { createOidcProvider } from "../../src/integrations/oidc/oidc.ts";
import { type Api, startTestApp, type TestApp, waitUntil } from "../support/harness.ts";
import { startIdentityProvider, type TestProvider } from "../support/identity-provider.ts";
import { findAudit } from "../support/rights.ts";
import {
	BASE,
	buildPersonLdif,
	missing,
	openTestDirectory,
	PASSWORD,
	PEOPLE,
	type Slapd,
	startSlapd,
} from "../support/slapd.ts";

const DAY_MS = 24 * 3_600_000;
const HOUR_MS = 3_600_000;
const RULES = { groupMap: {}, adminGroup: null };

/** Lets the service check its accounts, and waits for the tasks in flight. */
async function passTime(t: TestApp, ms: number, what: string, condition: () => Promise<boolean>): Promise<void> {
	await t.clock.advance(ms);
	await waitUntil(what, async () => {
		if (await condition()) return true;
		await t.clock.advance(10 * 60_000);
		return false;
	});
}

const listGone = async (t: TestApp): Promise<string[]> => {
	const { body } = await t.admin.api.get("/api/auth/management/?gone=true");
	return body.results.map(({ username }: { username: string }) => username);
};
const readUser = async (t: TestApp, id: number) => (await t.admin.api.get(`/api/auth/management/${id}/`)).body;
const readNotices = async (t: TestApp) => {
	const { body } = await t.admin.api.get("/api/notifications/notifications/?page_size=200");
	return body.results.filter(({ title }: { title: string }) => / gone$/.test(title));
};

describe.skipIf(missing !== null)(`a directory${missing ? ` (${missing})` : ""}`, () => {
	let t: TestApp;
	let slapd: Slapd;
	/** The directory that the service asks. */
	let asked: Directory;
	/** Names of each question that the directory answered. */
	const questions: (readonly string[])[] = [];
	beforeAll(async () => {
		slapd = await startSlapd(PEOPLE);
	});
	afterAll(() => slapd.remove());

	const startApp = (accountRecheckDays: number | null) =>
		startTestApp({
			work: true,
			deps: {
				accountRecheckDays,
				directory: {
					rules: RULES,
					authenticate: (name, password) => asked.authenticate(name, password),
					async findPeople(names) {
						const found = await asked.findPeople(names);
						questions.push(names);
						return found;
					},
				},
			},
		});
	beforeEach(async () => {
		asked = openTestDirectory(slapd.port);
		questions.length = 0;
		await slapd.load(PEOPLE);
	});

	async function signIn(username: string): Promise<{ id: number; api: Api; token: Api }> {
		const { status, body } = await t.anonymous.post("/api/auth/ldap-login/", { username, password: PASSWORD });
		expect(status).toBe(200);
		const api = t.as(body.access);
		const made = await api.post("/api/auth/tokens/", { name: "script", expires_at: null });
		expect(made.status).toBe(201);
		return { id: body.user.id, api, token: t.as(made.body.token) };
	}
	const without = (...names: string[]): string =>
		names.reduce((ldif, name) => ldif.replace(buildPersonLdif(name), ""), PEOPLE);
	const statuses = async (...apis: Api[]) =>
		Promise.all(apis.map(async (api) => (await api.get("/api/auth/profile/")).status));

	describe("with a check every two days", () => {
		beforeAll(async () => {
			asked = openTestDirectory(slapd.port);
			t = await startApp(2);
		});
		afterAll(() => t.close());

		it("ends the sessions and tokens of who is gone, shows since when, and notifies administrators once", async () => {
			const local = await t.user("local.person");
			const ada = await signIn("ada");
			const bea = await signIn("bea");
			await slapd.load(without("ada"));
			await t.clock.advance(DAY_MS);
			expect(questions).toEqual([]);
			expect(await statuses(ada.token, bea.token)).toEqual([200, 200]);
			await passTime(t, DAY_MS + HOUR_MS, "ada is gone", async () => (await listGone(t)).length > 0);
			expect(await listGone(t)).toEqual(["ada"]);
			expect(await statuses(ada.api, ada.token, bea.token)).toEqual([401, 401, 200]);
			expect((await ada.token.get("/api/auth/profile/")).body.code).toBe("token_revoked");
			const { gone_since, is_active } = await readUser(t, ada.id);
			expect([is_active, Date.parse(gone_since) <= t.clock.now()]).toEqual([true, true]);
			expect(Date.parse(gone_since)).toBeGreaterThan(t.clock.now() - 2 * HOUR_MS);
			expect([(await readUser(t, bea.id)).gone_since, (await readUser(t, local.id)).gone_since]).toEqual([null, null]);
			const present = (await t.admin.api.get("/api/auth/management/?gone=false&page_size=200")).body.results;
			expect(present.map(({ username }: { username: string }) => username)).not.toContain("ada");
			expect((await findAudit(t, ada.id)).map(({ action }) => action)).toContain("account_gone");
			expect(questions.flat()).not.toContain("local.person");
			// Asked again every day, and reported once.
			const before = questions.length;
			await passTime(t, DAY_MS + HOUR_MS, "ada is asked for again", async () => questions.length > before);
			expect(await readNotices(t)).toMatchObject([
				{
					title: "The account ada is gone",
					body: expect.stringContaining("directory"),
					link: `/api/auth/management/${ada.id}/`,
				},
			]);
			expect((await readUser(t, ada.id)).gone_since).toBe(gone_since);
		});

		it("takes a person who is found again as present, without a sign-in", async () => {
			expect(await listGone(t)).toEqual(["ada"]);
			await slapd.load(PEOPLE);
			await passTime(t, DAY_MS + HOUR_MS, "ada is found", async () => (await listGone(t)).length === 0);
		});

		it("takes a person who signs in again as present", async () => {
			const { id } = await signIn("cal");
			await slapd.load(without("cal"));
			await passTime(t, 2 * DAY_MS + HOUR_MS, "cal is gone", async () => (await listGone(t)).includes("cal"));
			await slapd.load(PEOPLE);
			const again = await signIn("cal");
			expect([(await readUser(t, id)).gone_since, ...(await statuses(again.api, again.token))]).toEqual([
				null,
				200,
				200,
			]);
			expect((await readNotices(t)).filter(({ title }: { title: string }) => title.includes("cal"))).toHaveLength(1);
		});

		it.each<[string, () => Promise<void> | void]>([
			["cannot be reached", () => slapd.stop()],
			["refuses the service's account", () => setDirectory({ bind: { dn: `cn=weft,${BASE}`, password: "wrong" } })],
			["has no such base", () => setDirectory({ userBase: `ou=elsewhere,${BASE}` })],
			[
				"shows nobody at all",
				() => setDirectory({ bind: null, userFilter: "(&(objectClass=account)(uid={username}))" }),
			],
		])("makes nobody gone while it %s", async (_what, breakDirectory) => {
			const { id, token } = await signIn("dee");
			const gone = await listGone(t);
			await slapd.load(without("dee"));
			await breakDirectory();
			let attempts = 0;
			const broken = asked;
			asked = {
				...broken,
				async findPeople(names) {
					if (names.includes("dee")) attempts++;
					return broken.findPeople(names);
				},
			};
			await passTime(t, 2 * DAY_MS + HOUR_MS, "the directory is asked twice", async () => attempts > 1);
			expect([await listGone(t), ...(await statuses(token))]).toEqual([gone, 200]);
			await slapd.load(PEOPLE);
			asked = openTestDirectory(slapd.port);
			await passTime(t, HOUR_MS, "dee is asked for", async () => questions.flat().includes("dee"));
			expect((await readUser(t, id)).gone_since).toBeNull();
		});
		const setDirectory = (options: Parameters<typeof openTestDirectory>[1]): void => {
			asked = openTestDirectory(slapd.port, options);
		};
	});

	it("asks for nobody where the setting is off", async () => {
		t = await startApp(null);
		const { id, token } = await signIn("ada");
		await slapd.load(without("ada"));
		await t.clock.advance(400 * DAY_MS);
		expect([questions, await listGone(t), ...(await statuses(token))]).toEqual([[], [], 200]);
		expect((await readUser(t, id)).gone_since).toBeNull();
		await t.close();
	});

	it("answers for each name, also where people type another attribute than the username", async () => {
		await slapd.load(without("bea"));
		const byMail = openTestDirectory(slapd.port, { userFilter: "(&(objectClass=inetOrgPerson)(mail={username}))" });
		expect(await byMail.findPeople(["ada", "bea"])).toEqual({ present: ["ada"], absent: ["bea"] });
		const names = ["ADA", "*", "a*", "ada)(uid=*", "nobody"];
		expect(await openTestDirectory(slapd.port).findPeople(names)).toEqual({
			present: ["ADA"],
			absent: ["*", "a*", "ada)(uid=*", "nobody"],
		});
	});
});

describe("an identity provider", () => {
	const FRONTEND = "https://weft.example.com";
	let t: TestApp;
	let provider: TestProvider;
	beforeAll(async () => {
		provider = await startIdentityProvider(FRONTEND);
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
			{ now: Date.now },
			pino({ level: "silent" }),
		);
		t = await startTestApp({
			work: true,
			deps: {
				accountRecheckDays: 3,
				frontendUrl: FRONTEND,
				identityProvider: { ...adapter, rules: RULES, label: "Example" },
			},
		});
	});
	afterAll(async () => {
		await t.close();
		await provider.stop();
	});

	async function signIn(preferred_username: string): Promise<{ id: number; api: Api; token: Api }> {
		provider.people.set(`subject of ${preferred_username}`, { preferred_username });
		const started = await t.anonymous.get("/api/auth/oidc/start/");
		const cookie = String(started.headers["set-cookie"]).split(";")[0] ?? "";
		const callback = `${FRONTEND}/api/auth/oidc/callback/`;
		const back = new URL(
			await provider.signIn(String(started.headers.location), `subject of ${preferred_username}`, callback),
		);
		const answer = await t.anonymous.get(back.pathname + back.search, { cookie });
		const code = new URL(String(answer.headers.location)).hash.replace("#oidc=", "");
		const { status, body } = await t.anonymous.post("/api/auth/oidc/exchange/", { code }, { cookie });
		expect(status).toBe(200);
		const api = t.as(body.access);
		const made = await api.post("/api/auth/tokens/", { name: "script", expires_at: null });
		return { id: body.user.id, api, token: t.as(made.body.token) };
	}
	const status = async (api: Api) => (await api.get("/api/auth/profile/")).status;

	it("ends sessions and tokens of who has not signed in for the days of the setting, until the next sign-in", async () => {
		const kim = await signIn("kim");
		await t.clock.advance(2 * DAY_MS);
		const lou = await signIn("lou");
		expect(await status(kim.token)).toBe(200);
		await passTime(t, DAY_MS + HOUR_MS, "kim is gone", async () => (await listGone(t)).length > 0);
		expect(await listGone(t)).toEqual(["kim"]);
		expect([await status(kim.token), await status(lou.token)]).toEqual([401, 200]);
		expect(await readNotices(t)).toMatchObject([{ title: "The account kim is gone", link: expect.any(String) }]);
		expect((await readNotices(t))[0].body).toContain("3 days");
		await signIn("kim");
		expect(await listGone(t)).toEqual([]);
		expect((await readUser(t, kim.id)).gone_since).toBeNull();
	});

	it("makes nobody gone while the provider cannot be reached", async () => {
		const { token } = await signIn("mia");
		await provider.stop();
		await t.clock.advance(4 * DAY_MS);
		expect(await listGone(t)).not.toContain("mia");
		expect(await status(token)).toBe(200);
		await provider.start();
		await passTime(t, HOUR_MS, "mia is gone", async () => (await listGone(t)).includes("mia"));
		expect(await status(token)).toBe(401);
	});
});
