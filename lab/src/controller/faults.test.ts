import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { FAULTS, type FaultSettings } from "./faults.ts";
import { listDns, startTestClient, type TestClient } from "./testing.ts";

let now = Date.UTC(2026, 0, 1);
let client: TestClient;

beforeAll(async () => {
	client = await startTestClient({ now: () => now });
});
afterAll(() => client.close());
beforeEach(() => client.login());
afterEach(() => client.controller.clearFaults());

const setLabFaults = (settings: FaultSettings) => client.controller.setFaults(settings);
const queryBridgeDomains = () => client.get("/api/class/fvBD.json?order-by=fvBD.dn");
const HTML = /^<html>[\s\S]*nginx/;

describe("faults", () => {
	it("login_refused", async () => {
		setLabFaults({ login_refused: true });
		expect(await client.login()).toMatchObject({
			status: 401,
			error: { text: "Username or password is incorrect - FAILED local authentication" },
		});
	});

	it("login_throttled refuses logins and refreshes, not queries", async () => {
		setLabFaults({ login_throttled: true });
		expect((await client.get("/api/aaaRefresh.json")).text).toMatch(HTML);
		expect((await queryBridgeDomains()).status).toBe(200);
		expect(await client.login()).toMatchObject({ status: 503, text: expect.stringMatching(HTML) });
	});

	it("big_login", async () => {
		setLabFaults({ big_login: true });
		const answer = await client.login();
		expect(answer.text.length).toBeGreaterThan(50_000);
		expect((await queryBridgeDomains()).status).toBe(200);
	});

	it("refresh_key", async () => {
		setLabFaults({ refresh_key: true });
		const answer = await client.get("/api/aaaRefresh.json");
		expect(Object.keys(answer.imdata[0] ?? {})).toEqual(["aaaRefresh"]);
	});

	it("token_expired ends the session for good", async () => {
		setLabFaults({ token_expired: { count: 1 } });
		expect(await queryBridgeDomains()).toMatchObject({
			status: 403,
			error: { text: "Token was invalid (Error: Token timeout)" },
		});
		expect((await queryBridgeDomains()).status).toBe(403);
		await client.login();
		expect((await queryBridgeDomains()).status).toBe(200);
	});

	it("token_expired_at_page shows in the middle of a paged reading", async () => {
		setLabFaults({ token_expired_at_page: { page: 2, count: 1 } });
		const page = (at: number) => client.get(`/api/class/fvBD.json?order-by=fvBD.dn&page=${at}&page-size=5`);
		expect([(await page(0)).status, (await page(1)).status, (await page(2)).status, (await page(2)).status]).toEqual([
			200, 200, 403, 403,
		]);
		await client.login();
		expect((await page(2)).imdata).toHaveLength(5);
	});

	it("session_revoked", async () => {
		setLabFaults({ session_revoked: { count: 1 } });
		expect((await queryBridgeDomains()).status).toBe(401);
		expect((await queryBridgeDomains()).status).toBe(403);
	});

	it("access_denied is no matter of the token", async () => {
		setLabFaults({ access_denied: { count: 1 } });
		expect(await queryBridgeDomains()).toMatchObject({
			status: 403,
			error: { code: "403", text: "Access restricted for user" },
		});
		expect((await queryBridgeDomains()).status).toBe(200);
	});

	it("html_error, with the status one likes", async () => {
		for (const status of [405, 429, 500, 502, 503, 504]) {
			setLabFaults({ html_error: { status, count: 1 } });
			expect(await queryBridgeDomains()).toMatchObject({ status, text: expect.stringMatching(HTML) });
		}
		expect((await queryBridgeDomains()).status).toBe(200);
	});

	it("throttle lets so many requests pass in a second", async () => {
		setLabFaults({ throttle: { per_second: 2, status: 429 } });
		const statuses = async () => [
			(await queryBridgeDomains()).status,
			(await queryBridgeDomains()).status,
			(await queryBridgeDomains()).status,
		];
		expect(await statuses()).toEqual([200, 200, 429]);
		now += 1000;
		expect(await statuses()).toEqual([200, 200, 429]);
	});

	it("error_with_200", async () => {
		setLabFaults({ error_with_200: true });
		expect(await queryBridgeDomains()).toMatchObject({
			status: 200,
			totalCount: "1",
			error: { code: "400", text: "Unable to process the query, result dataset is too big" },
		});
	});

	it("error", async () => {
		setLabFaults({ error: { status: 400, code: 107, text: "no" } });
		expect(await queryBridgeDomains()).toMatchObject({ status: 400, error: { code: "107", text: "no" } });
	});

	it("busy answers a count without objects, so many times", async () => {
		setLabFaults({ busy: { count: 2 } });
		expect(await queryBridgeDomains()).toMatchObject({ status: 200, totalCount: "20", imdata: [] });
		expect((await queryBridgeDomains()).imdata).toHaveLength(0);
		expect((await queryBridgeDomains()).imdata).toHaveLength(20);
	});

	it("resolve_timeout", async () => {
		setLabFaults({ resolve_timeout: true });
		expect(await queryBridgeDomains()).toMatchObject({
			status: 503,
			error: { code: "503", text: "Unable to deliver the message, Resolve timeout" },
		});
	});

	it("too_big", async () => {
		setLabFaults({ too_big: true });
		expect(await queryBridgeDomains()).toMatchObject({
			status: 400,
			error: { code: "400", text: "Unable to process the query, result dataset is too big" },
		});
	});

	it("mo_count_wrong spoils the count option and not totalCount", async () => {
		setLabFaults({ mo_count_wrong: { factor: 0.5 } });
		expect(
			(await client.get("/api/class/fvBD.json?rsp-subtree-include=count")).imdata[0]?.moCount?.attributes.count,
		).toBe("10");
		expect((await client.get("/api/class/fvBD.json?page=0&page-size=1")).totalCount).toBe("20");
	});

	it("no_total_count", async () => {
		setLabFaults({ no_total_count: true });
		expect((await queryBridgeDomains()).text).toMatch(/^\{"imdata":\[\{"fvBD"/);
		expect((await client.login()).totalCount).toBeUndefined();
	});

	it("partial_cluster hides a part, the same on all pages, and the count fits it", async () => {
		const all = listDns(await queryBridgeDomains());
		setLabFaults({ partial_cluster: { part: 0.4 } });
		const answer = await queryBridgeDomains();
		expect(answer.totalCount).toBe(String(answer.imdata.length));
		expect(answer.imdata.length).toBeLessThan(all.length);
		expect(all).toEqual(expect.arrayContaining(listDns(answer)));
		expect(listDns(await queryBridgeDomains())).toEqual(listDns(answer));
		setLabFaults({ partial_cluster: false });
		expect(listDns(await queryBridgeDomains())).toEqual(all);
	});

	it("unknown_literal refuses filters", async () => {
		setLabFaults({ unknown_literal: true });
		expect((await client.get('/api/class/fvBD.json?query-target-filter=eq(fvBD.arpFlood,"no")')).error.code).toBe(
			"301",
		);
		expect((await queryBridgeDomains()).status).toBe(200);
	});

	it("new_attribute gives every object one attribute more", async () => {
		setLabFaults({ new_attribute: { name: "fresh", value: "x" } });
		for (const { fvBD } of (await queryBridgeDomains()).imdata) expect(fvBD?.attributes.fresh).toBe("x");
	});

	it("stable_order takes the random order away", async () => {
		setLabFaults({ stable_order: true });
		expect((await client.get("/api/class/fvCEp.json")).text).toBe((await client.get("/api/class/fvCEp.json")).text);
	});

	it("required_after_count counts what required drops", async () => {
		const query = "/api/class/fvAEPg.json?rsp-subtree-include=faults,required";
		const exact = await client.get(query);
		setLabFaults({ required_after_count: true });
		const loose = await client.get(query);
		expect(loose.totalCount).toBe("40");
		expect(loose.imdata).toHaveLength(exact.imdata.length);
	});

	it("latency holds the answer back", async () => {
		setLabFaults({ latency: { ms: 1, count: 1 } });
		expect((await queryBridgeDomains()).status).toBe(200);
		expect(client.controller.stats().faults.latency).toBe(1);
	});

	it("hang never answers", async () => {
		setLabFaults({ hang: { count: 1, match: "class/fvBD" } });
		const stop = new AbortController();
		const hanging = fetch(`${client.controller.url}/api/class/fvBD.json`, {
			signal: stop.signal,
			headers: { Cookie: `APIC-cookie=${client.token}` },
		});
		while (client.controller.stats().faults.hang !== 1) await client.get("/api/mo/uni.json");
		stop.abort();
		await expect(hanging).rejects.toThrow(/abort/);
	});

	it("reset closes the connection without an answer", async () => {
		setLabFaults({ reset: { count: 1 } });
		await expect(queryBridgeDomains()).rejects.toThrow();
		expect((await queryBridgeDomains()).status).toBe(200);
	});

	it("truncated_body closes it in the middle of one", async () => {
		setLabFaults({ truncated_body: { count: 1 } });
		await expect(queryBridgeDomains()).rejects.toThrow();
		expect((await queryBridgeDomains()).status).toBe(200);
	});

	it("slow_body sends all of it, in pieces", async () => {
		const whole = (await queryBridgeDomains()).text;
		setLabFaults({ slow_body: { ms: 1, pieces: 4 } });
		expect((await queryBridgeDomains()).text).toBe(whole);
		expect(client.controller.stats().faults.slow_body).toBe(1);
	});
});

describe("conditions", () => {
	it("match picks requests by path and query", async () => {
		setLabFaults({ too_big: { match: "class/fvAEPg.*page=1" } });
		expect((await queryBridgeDomains()).status).toBe(200);
		expect((await client.get("/api/class/fvAEPg.json?page=1&page-size=5")).status).toBe(400);
	});

	it("rate shows a fault in part of the cases, the same cases each time", async () => {
		const round = async () => {
			client.controller.reset();
			await client.login();
			setLabFaults({ busy: { rate: 0.5 } });
			const sizes: number[] = [];
			for (let at = 0; at < 20; at++) sizes.push((await queryBridgeDomains()).imdata.length);
			return sizes;
		};
		const one = await round();
		expect(new Set(one)).toEqual(new Set([0, 20]));
		expect(await round()).toEqual(one);
	});
});

describe("/_lab/faults", () => {
	it("sets, lists and takes away", async () => {
		await client.lab("POST", "faults", { busy: { count: 3, rate: 0.5, match: "fvBD" }, html_error: true });
		expect((await client.lab("GET", "faults")).body.faults).toEqual({
			busy: { on: true, count: 3, rate: 0.5, match: "fvBD" },
			html_error: { on: true, status: 503 },
		});
		await client.lab("POST", "faults", { busy: false, html_error: { on: false } });
		expect((await client.lab("GET", "faults")).body.faults).toEqual({});
	});

	it.each([
		[{ bsy: true }, /no fault is called bsy; known are .*busy/],
		[{ busy: { ms: 1 } }, /no option is called ms/],
		[{ busy: { count: 0 } }, /count/],
		[{ busy: { rate: 2 } }, /rate/],
		[{ busy: { match: "(" } }, /match/],
		[{ busy: 1 }, /true, false or an object/],
		[{ latency: { ms: "long" } }, /expected a number/],
		[[], /object/],
	])("refuses %j", async (body, message) => {
		expect(await client.lab("POST", "faults", body)).toMatchObject({
			status: 400,
			body: { error: expect.stringMatching(message) },
		});
	});

	it("sets nothing when one of several is wrong", async () => {
		await client.lab("POST", "faults", { busy: true, bsy: true });
		expect((await client.lab("GET", "faults")).body.faults).toEqual({});
	});

	it("tells about every fault there is", async () => {
		expect(Object.keys((await client.lab("GET", "faults")).body.known ?? {})).toEqual(Object.keys(FAULTS));
	});
});
