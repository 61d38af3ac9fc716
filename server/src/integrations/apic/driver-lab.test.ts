/** The driver against the simulated controller: every known trap, met over real sockets. */
import { type ControllerOptions, type FaultSettings, type RunningController, startController } from "@weft/lab";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { buildTarget, captureRejection, createTestDriver } from "../../../test/support/controllers.ts";
import { encodeOption, writeFilter } from "../../areas/runs/pipelines/rules/filter-expression.ts";
import type { ControllerObject, ControllerQuery } from "./port.ts";

let lab: RunningController;
let bench: ReturnType<typeof createTestDriver>;
const clock = { ms: Date.UTC(2026, 0, 1) };

beforeAll(async () => {
	lab = await startController({ now: () => clock.ms } satisfies ControllerOptions);
});
afterEach(async () => {
	await bench.driver.close();
	lab.clearFaults();
});
afterAll(() => lab.close());

function setUp(faults: FaultSettings = {}) {
	bench = createTestDriver();
	bench.clock.ms = clock.ms;
	lab.setFaults(faults);
	lab.resetStats();
	const target = buildTarget(lab, { username: lab.username, password: lab.password });
	const rows = async (query: Partial<ControllerQuery> = {}) =>
		(await bench.driver.rows(target, { path: "/api/class/fvAEPg.json", pageSize: 10, ...query })).rows;
	return { ...bench, target, rows };
}

const listDns = (rows: readonly ControllerObject[]) => rows.map((row) => Object.values(row)[0]?.attributes.dn ?? "");

/** All of a class in one unpaged answer, from the simulator itself. */
async function readExpectedDns(path: string): Promise<string[]> {
	const driver = createTestDriver();
	try {
		const target = buildTarget(lab, { username: lab.username, password: lab.password });
		const { data } = await driver.driver.request(target, { method: "GET", path });
		return listDns((data as { imdata: ControllerObject[] }).imdata).sort();
	} finally {
		await driver.driver.close();
	}
}

describe("pages of", () => {
	test.each([
		["a class", "/api/class/fvAEPg.json"],
		["an abstract class", "/api/class/faultInfo.json"],
		["a class on one switch", "/api/node/class/topology/pod-1/node-101/l1PhysIf.json"],
		["two classes below a tenant's root", "/api/mo/uni.json?query-target=subtree&target-subtree-class=fvBD,fvCtx"],
		["a class with nested objects", "/api/class/fvTenant.json?rsp-subtree=children"],
		["a class with faults", "/api/class/fvAEPg.json?rsp-subtree-include=faults,required"],
		["faults in place of their objects", "/api/class/fvAEPg.json?rsp-subtree-include=faults,no-scoped,subtree"],
		["objects of unknown classes", "/api/mo/uni.json?query-target=children"],
	])("%s hold each object once", async (_, path) => {
		const { rows, driver, target } = setUp();
		const all = await readExpectedDns(path);
		const found = listDns(await rows({ path }));
		expect(all.length).toBeGreaterThan(0);
		expect([...found].sort()).toEqual(all);
		expect(new Set(found).size).toBe(found.length);
		expect(await driver.count(target, { path })).toBe(all.length);
	});

	test("a class come in the order asked for", async () => {
		const { rows } = setUp();
		const names = (await rows({ orderBy: "fvAEPg.name|desc" })).map((row) => row.fvAEPg?.attributes.name ?? "");
		expect(names).toEqual([...names].sort().reverse());
		expect(names.length).toBeGreaterThan(10);
	});
});

describe("a reading survives", () => {
	test.each<[string, FaultSettings]>([
		["a busy controller", { busy: { count: 3, match: "page=2&" } }],
		["a busy controller at the first page", { busy: { count: 3, match: "page=0&" } }],
		["web pages", { html_error: { count: 2, match: "fvAEPg" } }],
		["throttling with 405", { html_error: { count: 2, match: "fvAEPg", status: 405 } }],
		["dropped connections", { reset: { count: 3, match: "fvAEPg" } }],
		["half answers", { truncated_body: { count: 3, match: "fvAEPg" } }],
		["one timeout of the controller", { resolve_timeout: { count: 1, match: "fvAEPg" } }],
		["the end of its token at a page", { token_expired_at_page: { count: 1, page: 2 } }],
		["the end of its token", { token_expired: { count: 1, match: "fvAEPg" } }],
		["a revoked session", { session_revoked: { count: 1, match: "fvAEPg" } }],
		["a login of 56 KB", { big_login: true }],
		["throttled logins", { login_throttled: { count: 2 } }],
		["answers without a count", { no_total_count: true }],
		["slow bodies", { slow_body: { ms: 1, pieces: 3 } }],
		["too big at a large page", { too_big: { match: "page-size=(1000|200)$" } }],
		["too big with 200", { error_with_200: { match: "page-size=(1000|200)$" } }],
	])("%s", async (_, faults) => {
		const all = await readExpectedDns("/api/class/fvAEPg.json");
		const { rows } = setUp(faults);
		const pageSize = "too_big" in faults || "error_with_200" in faults ? 1_000 : 10;
		expect(listDns(await rows({ pageSize }))).toEqual(all);
		for (const name of Object.keys(faults)) expect(lab.stats().faults[name]).toBeGreaterThan(0);
		expect(lab.stats().maxConcurrent).toBeLessThanOrEqual(6);
	});

	test("a refresh, under either name", async () => {
		for (const faults of [{}, { refresh_key: true }]) {
			const { rows, clock: own } = setUp(faults);
			await rows();
			clock.ms += 500_000;
			own.ms = clock.ms;
			await rows();
			expect(lab.stats().kinds).toMatchObject({ aaaLogin: 1, aaaRefresh: 1 });
			await bench.driver.close();
		}
	});

	test("counts made before required objects were looked for", async () => {
		const path = "/api/class/fvAEPg.json?rsp-subtree-include=faults,required";
		const all = await readExpectedDns(path);
		const { rows, driver, target } = setUp({ required_after_count: true });
		expect(listDns(await rows({ path })).sort()).toEqual(all);
		expect(await driver.count(target, { path })).toBe(all.length);
	});

	test("a wrong moCount, by not asking for one", async () => {
		const { driver, target } = setUp({ mo_count_wrong: true });
		const path = "/api/class/fvAEPg.json";
		expect(await driver.count(target, { path })).toBe((await readExpectedDns(path)).length);
	});

	test("a fabric that drifts between the pages", async () => {
		const { driver, target } = setUp();
		const before = new Set(await readExpectedDns("/api/class/fvAEPg.json"));
		const found: string[] = [];
		for await (const page of driver.pages(target, { path: "/api/class/fvAEPg.json", pageSize: 10 })) {
			if (page.index === 1) lab.advance({ steps: 5, change_rate: 0.05 });
			found.push(...listDns(page.rows));
		}
		const stayed = (await readExpectedDns("/api/class/fvAEPg.json")).filter((dn) => before.has(dn));
		expect(new Set(found).size).toBe(found.length);
		expect(found).toEqual(expect.arrayContaining(stayed));
	});
});

describe("a reading fails for", () => {
	test.each<[string, FaultSettings, string]>([
		["a controller that stays busy", { busy: true }, "busy"],
		["a controller that stays throttled", { html_error: { match: "class" } }, "throttled"],
		["a filter value that the release does not know", { unknown_literal: true }, "rejected"],
		["an answer that is always too big", { too_big: true }, "too_big"],
		["missing rights", { access_denied: true }, "permission"],
		["tokens that never work", { token_expired: true }, "permission"],
		["wrong credentials", { login_refused: true }, "credentials"],
		["a second timeout of the controller", { resolve_timeout: true }, "timeout"],
	])("%s", async (_, faults, kind) => {
		const { rows } = setUp(faults);
		const path = '/api/class/fvAEPg.json?query-target-filter=ne(fvAEPg.name,"x")';
		expect(await captureRejection(rows({ path }))).toMatchObject({ kind });
		for (const name of Object.keys(faults)) expect(lab.stats().faults[name]).toBeGreaterThan(0);
		if (kind === "credentials") expect(lab.stats().requests).toBe(1);
	});

	test.each([
		["an unknown class", "/api/class/faultInf.json", "400", /unresolved class/],
		[
			"an unknown class in a filter",
			'/api/class/faultInst.json?query-target-filter=eq(faultIns.code,"x")',
			"122",
			/not found/,
		],
		["an unknown property", '/api/class/faultInst.json?query-target-filter=eq(faultInst.cod,"x")', "121", /Prop 'cod'/],
	])("%s, in the controller's words", async (_, path, code, text) => {
		const { rows } = setUp();
		expect(await captureRejection(rows({ path }))).toMatchObject({
			kind: "rejected",
			code,
			text: expect.stringMatching(text),
		});
	});
});

test("a class that is counted and never listed is an error, or empty where that is allowed", async () => {
	const { driver, target, rows } = setUp({ busy: { match: "fvAEPg" } });
	expect(await captureRejection(rows())).toMatchObject({
		kind: "busy",
		message: expect.stringContaining("allowEmpty"),
	});
	expect(await rows({ allowEmpty: true })).toEqual([]);
	expect(await driver.count(target, { path: "/api/class/fvAEPg.json", allowEmpty: true })).toBe(0);
	lab.setFaults({ busy: { match: "fvAEPg", count: 2 } });
	expect((await rows({ allowEmpty: true })).length).toBeGreaterThan(0);
});

test("a value that ends in a backslash is found", async () => {
	const { driver, target } = setUp();
	const descr = "a\\b\\";
	const body = { fvTenant: { attributes: { name: "backslash", descr } } };
	await driver.request(target, { method: "POST", path: "/api/mo/uni/tn-backslash.json", body });
	for (const op of ["eq", "ends", "contains", "ne"] as const) {
		const filter = encodeOption(writeFilter("fvTenant", { op, property: "descr", value: descr }));
		const found = await driver.count(target, { path: `/api/class/fvTenant.json?query-target-filter=${filter}` });
		const all = await driver.count(target, { path: "/api/class/fvTenant.json" });
		expect(found, op).toBe(op === "ne" ? all - 1 : 1);
	}
});

test("a real version and login are seen by the connection test; wrong passwords are told", async () => {
	const { driver, target } = setUp();
	expect(await driver.test(target)).toMatchObject({ ok: true, version: expect.stringMatching(/\d\.\d/) });
	expect(await driver.test({ ...target, password: "wrong" })).toMatchObject({ ok: false, kind: "credentials" });
});

test("writes and single reads pass through", async () => {
	const { driver, target } = setUp();
	const path = "/api/mo/uni/tn-driver-test.json";
	const body = { fvTenant: { attributes: { name: "driver-test" } } };
	await driver.request(target, { method: "POST", path, body });
	expect(await driver.count(target, { path })).toBe(1);
	await driver.request(target, { method: "DELETE", path });
	expect(await driver.count(target, { path })).toBe(0);
	const xml = await driver.request(target, { method: "GET", path: "/api/class/fvTenant.xml" });
	expect(xml.data).toMatch(/^<\?xml/);
	expect(await captureRejection(driver.request(target, { method: "PUT", path, body }))).toMatchObject({
		kind: "rejected",
	});
});
