/** Evaluations of checks: across connections, on demand, in previews and by schedules. */
import type { RunningController } from "@weft/lab";
import { beforeAll, describe, expect, it } from "vitest";
import { type CheckRuns, useCheckRuns } from "../support/check-runs.ts";
import { CHECKS } from "../support/checks.ts";
import { type TestApp, type TestUser, waitUntil } from "../support/harness.ts";

const runs = useCheckRuns();
const { patchCheck, failTenantQueries } = runs;
let t: TestApp;
let lab: RunningController;
let ada: TestUser;
let connection: string;
let other: string;
let checks: CheckRuns["checks"];
beforeAll(() => {
	({ t, lab, ada, connection, other, checks } = runs);
});

describe("across connections", () => {
	it("rows are compared over the latest run of each connection", async () => {
		const query = await checks.query();
		const named = { saved_query: query, controller_connection_ids: [connection, other] };
		const same = await checks.add({ ...named, type: "same_everywhere" });
		const unique = await checks.add({ ...named, type: "unique", config: { fields: ["name"] }, name: "Unique names" });
		const first = await checks.run(query, connection);
		await t.clock.advance(1_000);
		const second = await checks.run(query, other);
		expect(await checks.becomes(same.id, null, "ok")).toMatchObject({ last_run: second, violations: 0 });
		const entry = await checks.becomes(unique.id, null, "failing");
		const { sample } = await checks.evidence(unique.id, null);
		expect(entry.violations).toBe(sample.length);
		expect(new Set(sample.map((one: { connection: string }) => one.connection))).toEqual(
			new Set(["fab-dc1", "fab-dc2"]),
		);
		expect((await checks.notices()).at(-1)?.title).toBe('Check "Unique names" is failing across its connections');
		expect(await checks.events(unique.id)).toMatchObject([{ controller_connection_id: null, run_id: second }]);
		expect(first).not.toBe(second);
	});

	it("a failed run is an error until the connection has another one", async () => {
		const query = await checks.query();
		const check = await checks.add({ saved_query: query, type: "same_everywhere" });
		await checks.run(query, connection);
		await checks.becomes(check.id, null, "ok");
		failTenantQueries();
		await checks.run(query, other);
		const entry = await checks.becomes(check.id, null, "error");
		expect(entry.error).toContain('The run on "fab-dc2" failed');
		lab.clearFaults();
		await checks.run(query, other);
		await checks.becomes(check.id, null, "ok");
	});

	it("a check that is added or changed is evaluated on the runs that there are", async () => {
		const query = await checks.query();
		await checks.run(query, connection);
		const check = await checks.add({ saved_query: query, type: "unique", config: { fields: ["dn"] } });
		await checks.becomes(check.id, null, "ok");
		await patchCheck(check.id, { config: { fields: ["class"] } });
		await checks.becomes(check.id, null, "failing");
	});

	it("the same runs count once, however often the task is delivered", async () => {
		const query = await checks.query();
		const check = await checks.add({ saved_query: query, type: "unique", config: { fields: ["class"] }, for_runs: 2 });
		await checks.run(query, connection);
		await checks.becomes(check.id, null, "pending");
		const queueIsEmpty = async () => {
			const stats = await t.deps.jobs.stats();
			return stats.every(({ queue, waiting, active }) => queue !== "checks.across" || waiting + active === 0);
		};
		await t.deps.store.transaction((tx) => t.deps.jobs.enqueue(tx, "checks.across", { queryId: query }));
		await waitUntil("the task is done", queueIsEmpty);
		expect((await checks.getState(check.id, null)).state).toBe("pending");
	});
});

describe("evaluate", () => {
	const evaluate = (id: string, body?: object) => ada.api.post(`${CHECKS}${id}/evaluate/`, body);

	it("runs the query on the check's connections", async () => {
		const query = await checks.query();
		const check = await checks.add({
			saved_query: query,
			type: "no_rows",
			controller_connection_ids: [connection, other],
		});
		const { status, body } = await evaluate(check.id);
		expect([status, body.runs.length]).toEqual([202, 2]);
		for (const place of [connection, other]) await checks.becomes(check.id, place, "failing");
		expect((await evaluate(check.id, { controller_connection_ids: [other] })).body.runs).toHaveLength(1);
	});

	it("runs it where it has run before, if the check names no connection", async () => {
		const query = await checks.query();
		const check = await checks.add({ saved_query: query, type: "no_rows" });
		expect((await evaluate(check.id)).body).toHaveProperty("controller_connection_ids");
		await checks.run(query, other);
		const { body } = await evaluate(check.id, {});
		expect(body.runs).toHaveLength(1);
		await waitUntil("it is evaluated", async () => (await checks.getState(check.id, other)).last_run === body.runs[0]);
	});

	it("is refused for connections that the check does not look at", async () => {
		const query = await checks.query();
		const check = await checks.add({ saved_query: query, type: "no_rows", controller_connection_ids: [connection] });
		const { status, body } = await evaluate(check.id, { controller_connection_ids: [other] });
		expect([status, Object.keys(body)]).toEqual([400, ["controller_connection_ids"]]);
	});
});

describe("preview", () => {
	it("evaluates the rows of the latest runs and stores nothing", async () => {
		const query = await checks.query();
		const preview = async (body: object) =>
			(await ada.api.post(`${CHECKS}preview/`, { saved_query: query, type: "no_rows", ...body })).body;
		expect(await preview({})).toEqual({ results: [] });
		const run = await checks.run(query, connection);
		const { results } = await preview({});
		expect(results).toMatchObject([
			{ controller_connection_id: connection, run_id: run, state: "failing", error: null, sample: expect.any(Array) },
		]);
		expect(results[0].violations).toBe(results[0].sample.length);
		const across = await preview({ type: "unique", config: { fields: ["dn"] } });
		expect(across.results).toMatchObject([{ controller_connection_id: null, state: "ok", violations: 0 }]);
		expect(await preview({ type: "unique" })).toHaveProperty(["config.fields"]);
	});
});

it("checks of schedules are evaluated with the executions", async () => {
	const query = await checks.query();
	const check = await checks.add({ saved_query: query, type: "no_rows" });
	const { body } = await ada.api.post("/api/queries/scheduled-tasks/", {
		name: "nightly",
		saved_query: query,
		controller_connection_ids: [connection],
		frequency: "daily",
		time_of_day: "03:00",
	});
	await ada.api.post(`/api/queries/scheduled-tasks/${body.id}/execute_now/`);
	await checks.becomes(check.id, connection, "failing");
});
