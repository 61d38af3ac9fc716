/** Executions of saved queries as they are reported, and their log, through the API. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestApp, type TestApp, type TestUser } from "../support/harness.ts";
import { buildQueryCanvas, createQuery, getQueryUrl, LOGS } from "../support/saved-queries.ts";

let t: TestApp;
let ada: TestUser;
let bob: TestUser;
let cid: TestUser;
beforeAll(async () => {
	t = await startTestApp({ poolSize: 12 });
	[ada, bob, cid] = await Promise.all([t.user("ada"), t.user("bob"), t.user("cid")]);
});
afterAll(() => t.close());

describe("executions", () => {
	it("are logged and counted, with the answer in the audit log", async () => {
		const query = await createQuery(ada, { is_public: true });
		const { status, body } = await bob.api.post(getQueryUrl(query, "execute/"), {
			success: false,
			result_count: 3,
			execution_time_ms: 120,
			error_message: "no route",
			response_content: { imdata: ["ü"] },
		});
		expect(status).toBe(200);
		expect(typeof body.message).toBe("string");
		expect((await ada.api.get(getQueryUrl(query))).body).toMatchObject({
			execution_count: 1,
			last_executed_at: new Date(t.clock.now()).toISOString(),
			updated_at: query.updated_at,
		});
		const { rows } = await t.pool.query("select * from audit_log where target_id = $1 and action = 'query_run'", [
			query.id,
		]);
		expect(rows).toHaveLength(1);
		expect(rows[0]).toMatchObject({ category: "query_execution", username: "bob", metadata: { success: false } });
		expect(JSON.parse(rows[0].content)).toEqual({ imdata: ["ü"] });
		expect((await ada.api.get(`${LOGS}?query=${query.id}`)).body.results).toEqual([
			{
				id: expect.any(String),
				query: query.id,
				query_name: query.name,
				executed_by: "bob",
				executed_at: new Date(t.clock.now()).toISOString(),
				execution_time_ms: 120,
				result_count: 3,
				success: false,
				error_message: "no route",
			},
		]);
	});

	it("counters lose none of many at once, while the query is being changed", async () => {
		const query = await createQuery(ada, { flow_data: buildQueryCanvas() });
		await Promise.all([
			...Array.from({ length: 30 }, () => ada.api.post(getQueryUrl(query, "execute/"), { success: true })),
			...Array.from({ length: 5 }, (_, i) =>
				ada.api.patch(getQueryUrl(query), { name: `busy ${i}`, flow_data: buildQueryCanvas(`n${i}`) }),
			),
		]);
		expect((await ada.api.get(getQueryUrl(query))).body.execution_count).toBe(30);
		expect((await ada.api.get(`${LOGS}?query=${query.id}`)).body.count).toBe(30);
	});

	it("logs are seen by those who see the query or ran it, and outlive the query", async () => {
		const query = await createQuery(ada, { name: "logged", is_public: true });
		await cid.api.post(getQueryUrl(query, "execute/"), { success: true, error_message: "" });
		await ada.api.post(getQueryUrl(query, "execute/"), { success: false });
		const seen = async (user: TestUser, rest = "") => {
			const { body } = await user.api.get(`${LOGS}?page_size=200${rest}`);
			return body.results
				.filter((log: { query_name: string }) => log.query_name === "logged")
				.map((log: { executed_by: string }) => log.executed_by)
				.sort();
		};
		const of = `&query=${query.id}`;
		expect(await seen(bob, of)).toEqual(["ada", "cid"]);
		expect(await seen(bob, `${of}&success=true`)).toEqual(["cid"]);
		expect(await seen(bob, `${of}&success=false`)).toEqual(["ada"]);
		await ada.api.patch(getQueryUrl(query), { is_public: false });
		expect(await seen(bob, of)).toEqual([]);
		expect(await seen(cid, of)).toEqual(["cid"]);
		await ada.api.patch(getQueryUrl(query), { shared_with: [bob.id] });
		expect(await seen(bob, of)).toEqual(["ada", "cid"]);
		expect(await seen(t.admin, of)).toEqual(["ada", "cid"]);
		await ada.api.del(getQueryUrl(query));
		expect(await seen(bob)).toEqual([]);
		expect(await seen(cid)).toEqual(["cid"]);
		const { results } = (await cid.api.get(`${LOGS}?page_size=200`)).body;
		expect(results.find((log: { query_name: string }) => log.query_name === "logged")).toMatchObject({
			query: null,
			error_message: null,
		});
	});

	it("logs are ordered, paged and read-only", async () => {
		const query = await createQuery(ada);
		for (const execution_time_ms of [30, 10, 20]) {
			await t.clock.advance(1_000);
			await ada.api.post(getQueryUrl(query, "execute/"), { success: true, execution_time_ms });
		}
		const times = async (rest: string) =>
			(await ada.api.get(`${LOGS}?query=${query.id}${rest}`)).body.results.map(
				(log: { execution_time_ms: number }) => log.execution_time_ms,
			);
		expect(await times("")).toEqual([20, 10, 30]);
		expect(await times("&ordering=executed_at")).toEqual([30, 10, 20]);
		expect(await times("&ordering=-execution_time_ms&page_size=2&page=1")).toEqual([30, 20]);
		expect(await times("&ordering=-execution_time_ms&page_size=2&page=2")).toEqual([10]);
		for (const [wrong, field] of [
			["query=x", "query"],
			["success=1", "success"],
			["ordering=query_name", "ordering"],
		] as const) {
			const { status, body } = await ada.api.get(`${LOGS}?${wrong}`);
			expect(status).toBe(400);
			expect(body).toHaveProperty(field);
		}
		expect((await ada.api.get(`${LOGS}?page=77`)).status).toBe(404);
		expect((await ada.api.post(LOGS, {})).status).toBe(405);
	});

	it.each([
		["success", {}],
		["success", { success: "true" }],
		["success", { success: null }],
		["result_count", { success: true, result_count: -1 }],
		["result_count", { success: true, result_count: 2_147_483_648 }],
		["result_count", { success: true, result_count: "5" }],
		["execution_time_ms", { success: true, execution_time_ms: 1.5 }],
		["execution_time_ms", { success: true, execution_time_ms: 1e300 }],
		["error_message", { success: true, error_message: {} }],
		["error_message", { success: true, error_message: "x".repeat(20_001) }],
		["response_content.a", { success: true, response_content: { a: "\u0000" } }],
		["non_field_errors", [true]],
	])("refuse a wrong %s", async (field, report) => {
		const query = await createQuery(ada);
		const { status, body } = await ada.api.post(getQueryUrl(query, "execute/"), report);
		expect(status).toBe(400);
		expect(body).toHaveProperty([field]);
		expect((await ada.api.get(getQueryUrl(query))).body.execution_count).toBe(0);
	});
});
