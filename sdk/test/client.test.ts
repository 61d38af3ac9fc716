/** Tokens, pages and retries of the client. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestApp, type TestApp } from "../../server/test/support/harness.ts";
import { createCaller, createClient, WeftError } from "../src/index.ts";

interface Sent {
	readonly method: string;
	readonly path: string;
	readonly headers: Headers;
	readonly body: string;
}

const BASE = "https://weft.example.com";

/** A client whose service gives these answers one after another, and the time it has waited. */
function createScriptedClient(answers: readonly (Response | Error)[], limit = 3) {
	const sent: Sent[] = [];
	const waited: number[] = [];
	const left = [...answers];
	const client = createClient({
		baseUrl: `${BASE}/`,
		token: "weft_pat_secret",
		async fetch(url, init) {
			const request = new Request(String(url), init);
			const body = await request.text();
			sent.push({ method: request.method, path: String(url).slice(BASE.length), headers: request.headers, body });
			const answer = left.shift() ?? new Response(null, { status: 500 });
			if (answer instanceof Error) throw answer;
			return answer;
		},
		retry: {
			limit,
			async sleep(ms, signal) {
				signal?.throwIfAborted();
				waited.push(ms);
			},
		},
	});
	return { client, sent, waited };
}
const createOkResponse = (body: unknown): Response => Response.json(body);
const createRefusedResponse = (status: number, retryAfter?: number): Response =>
	Response.json(
		{ detail: "No." },
		{ status, ...(retryAfter === undefined ? {} : { headers: { "retry-after": `${retryAfter}` } }) },
	);
const health = { status: "ok", version: "1.0.0" };

describe("a token", () => {
	it("is sent with every call that needs one, and stays after a 401", async () => {
		const { client, sent } = createScriptedClient([createRefusedResponse(401), createOkResponse([])]);
		await expect(client.call(client.routes.auth.sessions)).rejects.toMatchObject({ status: 401 });
		expect(await client.call(client.routes.auth.sessions)).toEqual([]);
		expect(sent.map(({ headers }) => headers.get("authorization"))).toEqual([
			"Bearer weft_pat_secret",
			"Bearer weft_pat_secret",
		]);
		const { headers } = await client.getRequest(client.routes.auth.sessions, {});
		expect(headers).toEqual({ authorization: "Bearer weft_pat_secret" });
	});
});

describe("the session of a user", () => {
	/** An access token that ends in an hour. */
	const createAccess = (name: string) => `${name}.${btoa(JSON.stringify({ exp: Date.now() / 1000 + 3_600 }))}.`;
	const [first, second] = [createAccess("first"), createAccess("second")];

	/** A client that holds the tokens of a session, and each change of them. */
	function createSignedIn(answers: readonly (Response | Error)[]) {
		const left = [...answers];
		const changes: unknown[] = [];
		const sent: (string | null)[] = [];
		const client = createCaller({
			baseUrl: BASE,
			onTokens: (tokens) => changes.push(tokens),
			async fetch(_url, init) {
				sent.push(new Headers(init?.headers).get("authorization"));
				const answer = left.shift() ?? new Response(null, { status: 500 });
				if (answer instanceof Error) throw answer;
				return answer;
			},
		});
		client.adopt({ access: first, refresh: "refresh" });
		return { client, changes, sent, routes: createScriptedClient([]).client.routes };
	}

	it.each([
		["another status", createRefusedResponse(404)],
		["an overloaded service", createRefusedResponse(503)],
		["a lost connection", new TypeError("fetch failed")],
	])("outlives a call that failed for %s", async (_, answer) => {
		const { client, changes, sent, routes } = createSignedIn([answer, createOkResponse([])]);
		await expect(client.call(routes.auth.sessions)).rejects.toThrow();
		await client.call(routes.auth.sessions);
		expect(sent).toEqual([`Bearer ${first}`, `Bearer ${first}`]);
		expect(changes).toEqual([]);
	});

	it("ends with a sign-out, also if the service cannot be reached to renew it", async () => {
		const { client, changes } = createSignedIn([new TypeError("fetch failed")]);
		const expired = `expired.${btoa(JSON.stringify({ exp: Date.now() / 1000 + 10 }))}.`;
		client.adopt({ access: expired, refresh: "refresh" });
		await expect(client.signOut()).rejects.toThrow("fetch failed");
		expect(changes).toEqual([null]);
	});

	it("ends with a 401, unless the client holds newer tokens by then", async () => {
		const { client, changes, sent, routes } = createSignedIn([createRefusedResponse(401), createOkResponse([])]);
		await expect(client.call(routes.auth.sessions)).rejects.toMatchObject({ status: 401 });
		await client.call(routes.auth.sessions);
		expect(sent).toEqual([`Bearer ${first}`, null]);
		expect(changes).toEqual([null]);

		const late = createSignedIn([createRefusedResponse(401), createOkResponse([])]);
		const call = late.client.call(late.routes.auth.sessions);
		late.client.adopt({ access: second, refresh: "refresh" });
		await expect(call).rejects.toMatchObject({ status: 401 });
		await late.client.call(late.routes.auth.sessions);
		expect(late.sent).toEqual([`Bearer ${first}`, `Bearer ${second}`]);
		expect(late.changes).toEqual([]);
	});
});

describe("a token with another character than tokens have", () => {
	it.each([
		["weft_pat_a\u200bb", "a zero width space (U+200B) as character 11 of 12"],
		["\ufeff\u200dweft", "a zero width joiner (U+200D) as character 1 of 5"],
		["weft pat", "a space (U+0020) as character 5 of 8"],
		["weft_päss", "U+00E4 as character 7 of 9"],
		["a\r\nb", "a carriage return (U+000D) as character 2 of 4"],
		['"weft"', "a quotation mark (U+0022) as character 1 of 6"],
		["😀", "U+1F600 as character 1 of 1"],
	])("is refused by name and place, and not repeated: %j", (token, words) => {
		let message = "";
		try {
			createClient({ baseUrl: "http://127.0.0.1:9", token });
		} catch (error) {
			message = String(error);
		}
		expect(message).toBe(`TypeError: The token has ${words}, which no token has. Copy the token again.`);
	});
});

describe("a refused call", () => {
	it("is repeated after 429 for as long as Retry-After says, whatever its method", async () => {
		const { client, sent, waited } = createScriptedClient([
			createRefusedResponse(429, 2),
			createRefusedResponse(429),
			createOkResponse({ ticket: "t", expires_in: 60, ttl: 60 }),
		]);
		expect(await client.call(client.routes.auth.wsTicket)).toMatchObject({ ticket: "t" });
		expect(waited).toEqual([2000, 500]);
		expect(sent.map(({ method }) => method)).toEqual(["POST", "POST", "POST"]);
	});

	it("is repeated after 503 and a lost connection only where that is safe", async () => {
		const { client, sent, waited } = createScriptedClient([
			createRefusedResponse(503, 1),
			new TypeError("fetch failed"),
			createOkResponse(health),
		]);
		expect(await client.call(client.routes.system.health)).toEqual(health);
		expect(waited).toEqual([1000, 500]);
		expect(sent).toHaveLength(3);
		for (const answer of [createRefusedResponse(503, 1), new TypeError("fetch failed")]) {
			const other = createScriptedClient([answer, createOkResponse({})]);
			await expect(other.client.call(other.client.routes.auth.wsTicket)).rejects.toThrow();
			expect(other.sent).toHaveLength(1);
		}
		const safe = createScriptedClient([
			createRefusedResponse(503, 1),
			createOkResponse({ ticket: "t", expires_in: 60, ttl: 60 }),
		]);
		await safe.client.call(safe.client.routes.auth.wsTicket, undefined, { isSafe: true });
		expect(safe.sent).toHaveLength(2);
	});

	it("is retried at most three times, not after a long Retry-After, and not after other refusals", async () => {
		const many = createScriptedClient(Array.from({ length: 9 }, () => createRefusedResponse(429, 1)));
		await expect(many.client.call(many.client.routes.system.health)).rejects.toMatchObject({
			status: 429,
			retryAfter: 1,
		});
		expect(many.sent).toHaveLength(4);
		for (const answer of [createRefusedResponse(429, 31), createRefusedResponse(404), createRefusedResponse(500)]) {
			const { client, sent } = createScriptedClient([answer, createOkResponse(health)]);
			await expect(client.call(client.routes.system.health)).rejects.toBeInstanceOf(WeftError);
			expect(sent).toHaveLength(1);
		}
	});

	it("is not repeated once the caller gave up", async () => {
		const { client, sent } = createScriptedClient([createRefusedResponse(429, 1), createOkResponse(health)]);
		const signal = AbortSignal.abort();
		await expect(client.call(client.routes.system.health, undefined, { signal })).rejects.toThrow();
		expect(sent.length).toBeLessThan(2);
	});

	it("is not repeated by a caller without the option", async () => {
		let calls = 0;
		const caller = createCaller({
			baseUrl: BASE,
			async fetch() {
				calls++;
				return createRefusedResponse(429, 0);
			},
		});
		const { routes } = createScriptedClient([]).client;
		await expect(caller.call(routes.system.health)).rejects.toMatchObject({ status: 429 });
		expect(calls).toBe(1);
	});
});

describe("each", () => {
	let t: TestApp;
	beforeAll(async () => {
		t = await startTestApp();
	});
	afterAll(() => t.close());

	it("yields the items of all pages, once each", async () => {
		const login = await t.anonymous.post("/api/auth/login/", {
			username: t.admin.username,
			password: t.admin.password,
		});
		const paths: string[] = [];
		const client = createClient({
			baseUrl: BASE,
			token: login.body.access,
			async fetch(url, init) {
				paths.push(String(url).slice(BASE.length));
				const authorization = new Headers(init?.headers).get("authorization") ?? "";
				const { status, body } = await t.anonymous.get(paths.at(-1) ?? "", { authorization });
				return Response.json(body, { status });
			},
		});
		for (let i = 0; i < 5; i++) {
			const body = { name: `Category ${i}`, description: "", color: "#112233" };
			expect((await t.admin.api.post("/api/queries/categories/", body)).status).toBe(201);
		}
		const route = client.routes.queryCategories.list;
		const names: string[] = [];
		for await (const { name } of client.each(route, { query: { page_size: "2" } })) names.push(name);
		expect(names.filter((name) => name.startsWith("Category "))).toHaveLength(5);
		expect(new Set(names).size).toBe(names.length);
		expect(paths.length).toBe(Math.ceil(names.length / 2));
		paths.length = 0;
		for await (const _ of client.each(route)) break;
		expect(paths).toEqual(["/api/queries/categories/?page_size=200&page=1"]);
	});
});

describe("a decision on an automation request", () => {
	const READ = "2026-01-15T10:00:00.000Z";
	const LATER = "2026-01-15T11:00:00.000Z";
	const params = { id: "r1" };
	const sentBody = (sent: readonly Sent[], index: number) => JSON.parse(sent[index]?.body ?? "");

	it("carries the version that the client read last, from a request, a page or a list", async () => {
		const page = { count: 1, next: null, previous: null, results: [{ id: "r1", updated_at: LATER }] };
		const { client, sent } = createScriptedClient([
			createOkResponse({ id: "r1", updated_at: READ }),
			createOkResponse({}),
			createOkResponse(page),
			createOkResponse({}),
			createOkResponse(page),
			createOkResponse({}),
		]);
		const { automationRequests } = client.routes;
		await client.call(automationRequests.detail, { params });
		await client.call(automationRequests.approve, { params, body: { comment: "fine" } });
		await client.call(automationRequests.list, { query: {} });
		await client.call(automationRequests.reject, { params, body: { reason: "no" } });
		for await (const _request of client.each(automationRequests.list));
		await client.call(automationRequests.approve, { params, body: {} });
		expect(sentBody(sent, 1)).toEqual({ updated_at: READ, comment: "fine" });
		expect(sentBody(sent, 3)).toEqual({ updated_at: LATER, reason: "no" });
		expect(sentBody(sent, 5)).toEqual({ updated_at: LATER });
	});

	it("keeps a version that the caller gives, and carries none for a request that was not read", async () => {
		const { client, sent } = createScriptedClient([
			createOkResponse({ id: "r1", updated_at: LATER }),
			createOkResponse({}),
			createOkResponse({}),
		]);
		const { automationRequests } = client.routes;
		await client.call(automationRequests.detail, { params });
		await client.call(automationRequests.approve, { params, body: { updated_at: READ } });
		await client.call(automationRequests.approve, { params: { id: "r2" }, body: {} });
		expect(sentBody(sent, 1)).toEqual({ updated_at: READ });
		expect(sentBody(sent, 2)).toEqual({});
	});
});
