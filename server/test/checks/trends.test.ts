/** Trends at the end of runs, and the violations of a check over time. */
import { checkSeries } from "@weft/contracts";
import { beforeAll, describe, expect, it } from "vitest";
import { type CheckRuns, useCheckRuns } from "../support/check-runs.ts";
import { CHECKS } from "../support/checks.ts";
import type { TestApp, TestUser } from "../support/harness.ts";
import { captureSnapshot } from "../support/time-machine.ts";

const runs = useCheckRuns();
const { patchCheck, readTenantRows, failTenantQueries } = runs;
let t: TestApp;
let ada: TestUser;
let connection: string;
let checks: CheckRuns["checks"];
beforeAll(() => {
	({ t, ada, connection, checks } = runs);
});

const DAY_MS = 86_400_000;

async function readSeries(id: string, more = "", user = ada) {
	const { status, body } = await user.api.get(`${CHECKS}${id}/series/${more}`);
	expect({ status, body }).toMatchObject({ status: 200 });
	return checkSeries.parse(body);
}

/** A query with a history of one snapshot a day, each with two tenants more, up to today's rows. */
async function createRisingQuery() {
	const now = (await readTenantRows()).length;
	const query = await checks.query("fvTenant", { enable_time_machine: true });
	for (const less of [6, 4, 2]) {
		const rows = Array.from({ length: now - less }, (_, at) => ({
			fvTenant: { attributes: { dn: `uni/tn-t${at}`, name: `t${at}` } },
		}));
		await captureSnapshot(ada.api, {
			saved_query_id: query,
			controller_connection_id: connection,
			controller_connection_name: "fab-dc1",
			result_data: { imdata: rows },
		});
		await t.clock.advance(DAY_MS);
	}
	return { query, now };
}

describe("a trend at the end of a run", () => {
	it("fails a trend if the line through the last days reaches the threshold in time", async () => {
		const { query, now } = await createRisingQuery();
		const addTrend = (config: object) =>
			checks.add({
				saved_query: query,
				type: "trend",
				config: { value: "count", operator: "lt", threshold: now + 5, ...config },
			});
		const [plain, near, far] = [
			await addTrend({}),
			await addTrend({ within_days: 2 }),
			await addTrend({ within_days: 3 }),
		];
		await checks.run(query, connection);
		expect(await checks.getState(plain.id, connection)).toMatchObject({ state: "ok", violations: 0 });
		expect(await checks.getState(near.id, connection)).toMatchObject({ state: "ok", violations: 0, error: null });
		expect(await checks.getState(far.id, connection)).toMatchObject({ state: "failing", violations: 1 });
		expect((await checks.evidence(far.id, connection)).sample).toEqual([
			{
				connection: "fab-dc1",
				row: { count: String(now), "in 3 days": String(now + 6) },
				violating_fields: ["count", "in 3 days"],
			},
		]);
		const { body } = await ada.api.post(`${CHECKS}preview/`, {
			saved_query: query,
			type: "trend",
			config: far.config,
		});
		expect(body.results).toMatchObject([{ state: "failing", violations: 1, controller_connection_id: connection }]);
		const later = await readSeries(far.id);
		expect(later).toMatchObject({ evaluations: 1, missing: 0 });
		expect(later.groups).toMatchObject([{ key: "fab-dc1", controller_connection_id: connection }]);
	});

	it("needs a query that keeps snapshots, and a field for all but count", async () => {
		const query = await checks.query();
		const post = (fields: object) =>
			ada.api.post(CHECKS, { name: "Refused", saved_query: query, type: "trend", ...fields });
		const without = await post({ config: { value: "count", operator: "lt", threshold: 5 } });
		expect([without.status, without.text]).toEqual([400, expect.stringContaining("Switch on snapshots")]);
		await ada.api.patch(`/api/queries/saved-queries/${query}/`, { enable_time_machine: true });
		const noField = await post({ config: { value: "max", operator: "lt", threshold: 5 } });
		expect([noField.status, noField.text]).toEqual([400, expect.stringContaining("config.field")]);
	});
});

describe("violations over time", () => {
	it("has a point for each evaluation and none for one that failed, and begins anew after a change", async () => {
		const query = await checks.query();
		const count = (await readTenantRows()).length;
		const check = await checks.add({ saved_query: query, type: "no_rows" });
		const begin = new Date(t.clock.now()).toISOString();
		await checks.run(query, connection);
		await t.clock.advance(DAY_MS);
		failTenantQueries();
		await checks.run(query, connection);
		runs.lab.clearFaults();
		await t.clock.advance(DAY_MS);
		const middle = new Date(t.clock.now()).toISOString();
		await checks.run(query, connection);
		const all = await readSeries(check.id, `?connection=${connection}&from=${begin}`);
		expect(all).toMatchObject({ evaluations: 3, missing: 1 });
		expect(all.groups[0]?.points.map(([, violations]) => violations)).toEqual([count, count]);
		const failedAt = all.groups[0]?.failed_at ?? [];
		const [before = [""], after = [""]] = all.groups[0]?.points ?? [];
		expect(failedAt.map((at) => before[0] < at && at < after[0])).toEqual([true]);
		expect((await readSeries(check.id, `?from=${middle}`)).evaluations).toBe(1);
		expect((await readSeries(check.id, `?to=${middle}`)).evaluations).toBe(2);
		await patchCheck(check.id, { type: "row_count", config: { operator: "gt", value: 0 } });
		expect(await readSeries(check.id)).toEqual({ groups: [], evaluations: 0, missing: 0 });
	});

	it("shows only connections that the caller sees", async () => {
		const query = await checks.query("fvTenant", { is_public: true });
		const check = await checks.add({ saved_query: query, type: "no_rows", is_public: true });
		await checks.run(query, connection);
		const eve = await t.user("eve-of-trends", ["Editor"]);
		expect((await readSeries(check.id)).evaluations).toBe(1);
		expect(await readSeries(check.id, "", eve)).toEqual({ groups: [], evaluations: 0, missing: 0 });
		const own = await checks.add({ saved_query: query, type: "no_rows" });
		expect((await eve.api.get(`${CHECKS}${own.id}/series/`)).status).toBe(404);
	});
});
