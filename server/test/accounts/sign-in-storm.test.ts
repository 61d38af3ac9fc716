/** Thousands of attempts to sign in from many addresses, and names that only look like others. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEFAULT_RATES } from "../../src/core/http/throttle.ts";
import { IS_THOROUGH } from "../support/effort.ts";
import { startTestApp, TEST_PASSWORD, type TestApp } from "../support/harness.ts";

let t: TestApp;
beforeAll(async () => {
	t = await startTestApp({ rates: { login: DEFAULT_RATES.login, anon: null }, inProcess: true });
	await t.user("ada");
	await t.user("calm");
});
afterAll(() => t.close());

const postLogin = (username: string, password: string, ip: string) =>
	t.anonymous.post("/api/auth/login/", { username, password }, { "x-forwarded-for": ip });
const formatAddress = (n: number): string => `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;

describe("thousands of attempts", () => {
	it("get nobody in, tell nothing of who exists, and keep nobody else out", async () => {
		const ATTEMPTS = IS_THOROUGH ? 10_000 : 2_000;
		const AT_ONCE = 50;
		const seen = new Map<string, Map<number, number>>();
		let asked = 0;
		const names = ["ada", "nobody", "root", "ghost", ""] as const;
		async function runAttack(): Promise<void> {
			for (let n = asked++; n < ATTEMPTS; n = asked++) {
				// Half aim at a few names, some of which exist; half at names that nobody has. Each address
				// comes twice.
				const username = names[n % 10] || `guess${n}`;
				const { status, body } = await postLogin(username, `wrong ${n}`, formatAddress(n >> 1));
				const kind = ["ada", "root"].includes(username)
					? "exists"
					: ["nobody", "ghost"].includes(username)
						? "absent"
						: "other";
				const counts = seen.get(kind) ?? new Map<number, number>();
				counts.set(status, (counts.get(status) ?? 0) + 1);
				seen.set(kind, counts);
				expect(Object.keys(body)).toEqual(["detail"]);
				if (n % 1000 === 0) {
					// Meanwhile others are answered.
					expect((await t.anonymous.get("/api/health/")).status).toBe(200);
				}
			}
		}
		await Promise.all(Array.from({ length: AT_ONCE }, runAttack));
		expect([...(seen.get("other")?.keys() ?? [])]).toEqual([401]);
		// Names that exist and names that do not are refused, and locked, alike: twenty tries each.
		expect(seen.get("exists")).toEqual(seen.get("absent"));
		expect(seen.get("exists")?.get(401)).toBe(40);
		expect(seen.get("exists")?.get(429)).toBe(ATTEMPTS / 5 - 40);

		// Who was not aimed at signs in; who was is let in again when the window has passed.
		expect((await postLogin("calm", TEST_PASSWORD, "192.0.2.1")).status).toBe(200);
		expect((await postLogin("ada", TEST_PASSWORD, "192.0.2.2")).status).toBe(429);
		await t.clock.advance(15 * 60_000 + 1_000);
		expect((await postLogin("ada", TEST_PASSWORD, "192.0.2.2")).status).toBe(200);

		// Each attempt is in both logs.
		const { rows } = await t.pool.query(
			`select (select count(*)::int from login_attempts where not success) as attempts,
				(select count(*)::int from audit_log where action = 'login_failed') as entries`,
		);
		expect(rows[0]).toEqual({ attempts: ATTEMPTS + 1, entries: ATTEMPTS + 1 });
	}, 240_000);

	it("from one address are slowed down before any password is looked at", async () => {
		const statuses: number[] = [];
		for (let i = 0; i < 15; i++) statuses.push((await postLogin(`one${i}`, "wrong", "198.51.100.7")).status);
		expect(statuses).toEqual([...Array(10).fill(401), ...Array(5).fill(429)]);
		const { rows } = await t.pool.query(
			"select count(*)::int as n from login_attempts where ip_address = '198.51.100.7'",
		);
		expect(rows[0].n).toBe(10);
	});
});

describe("names that look like others", () => {
	const CONFUSABLE = [
		"аda",
		"adа",
		"ada\u200b",
		"a\u0301da",
		"ADA\u0300",
		"ada ",
		" ada",
		"ada\t",
		"ɑda",
		"ada\u00ad",
		"ⓐda\u202e",
		"ada\u0000",
	];

	it.each(CONFUSABLE.map((name) => [name]))("%j cannot be made", async (username) => {
		const { status, body } = await t.admin.api.post("/api/auth/management/", {
			username,
			password: "a long enough phrase",
			email: "",
		});
		expect([status, Object.keys(body)]).toEqual([400, ["username"]]);
	});

	it.each(["ADA", "Ada", "ａｄａ", "ⓐⓓⓐ", "𝒶𝒹𝒶"].map((name) => [name]))(
		"%j is taken by ada, or cannot be a name",
		async (username) => {
			const { status, body } = await t.admin.api.post("/api/auth/management/", {
				username,
				password: "a long enough phrase",
				email: "",
			});
			expect([status, Object.keys(body)]).toEqual([400, ["username"]]);
		},
	);

	it("share one lock, so that spelling a name in other ways gives no further tries", async () => {
		const spellings = ["calm", "CALM", "Calm", "ｃａｌｍ", "cAlM"];
		for (const name of spellings) expect((await postLogin(name, "wrong", "203.0.113.9")).status).toBe(401);
		for (const name of ["calm", "ⓒalm"]) expect((await postLogin(name, TEST_PASSWORD, "203.0.113.9")).status).toBe(429);
	});

	it("of letters of other scripts are other names, and nobody's", async () => {
		expect((await postLogin("саlm", TEST_PASSWORD, "203.0.113.10")).status).toBe(401);
		expect((await postLogin("calm\u200d", TEST_PASSWORD, "203.0.113.11")).status).toBe(401);
	});
});
