/**
 * Whose runs decide what a query shows: other users and other variable values change no check, no
 * drift, no baseline and no history of the query.
 */
import { randomUUID } from "node:crypto";
import { type RunningController, startController } from "@weft/lab";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addConnection, buildClassNode, connectNodes, createNameFilter, QUERIES, RUNS } from "../support/canvases.ts";
import { CHECKS, getChecks } from "../support/checks.ts";
import { startTestApp, type TestApp, type TestUser, waitUntil } from "../support/harness.ts";
import { createEagerDriver } from "../support/runs.ts";

const SNAPSHOTS = "/api/time-machine/snapshots/";
const NOBODY = { t: "does-not-exist" };

let t: TestApp;
let lab: RunningController;
let ada: TestUser;
let eve: TestUser;
let connection: string;
let checks: ReturnType<typeof getChecks>;

beforeAll(async () => {
	lab = await startController({ size: "small" });
	t = await startTestApp({ work: true, deps: { controllers: createEagerDriver() } });
	ada = await t.user("ada", ["Editor"]);
	eve = await t.user("eve", ["Editor"]);
	checks = getChecks(ada.api, () => t);
	connection = await addConnection(ada.api, lab, { name: "fab-dc1", is_public: true });
});
afterAll(async () => {
	await t.close();
	await lab.close();
});

/** Ada's public query of one tenant, and a check that it is there. */
async function addWatchedQuery() {
	const query = await checks.query("fvTenant", {
		flow_data: connectNodes(buildClassNode("fvTenant"), createNameFilter("$" + "{t}")),
		variables: [{ id: "t", label: "Tenant", type: "text", defaultValue: "common" }],
		is_public: true,
		enable_time_machine: true,
	});
	const check = await checks.add({
		saved_query: query,
		type: "row_count",
		severity: "critical",
		config: { operator: "eq", value: 1 },
	});
	return { query, check: check.id as string };
}
async function runQuery({ api }: TestUser, query: string, variable_values: object = {}) {
	const started = await api.post(`${QUERIES}${query}/execute_background/`, {
		controller_connection_id: connection,
		variable_values,
	});
	expect(started.status, started.text).toBe(202);
	return waitUntil("the run has ended", async () => {
		const { body } = await api.get(`${RUNS}${started.body.id}/`);
		return body.status === "completed" ? body : null;
	});
}
const listSnapshots = async ({ api }: TestUser, query: string) =>
	(await api.get(`${SNAPSHOTS}?saved_query_id=${query}`)).body.snapshots as {
		id: string;
		is_private: boolean;
		drift: { deleted: number } | null;
		saved_query_id: string;
		executed_at: string;
	}[];
const listNoticesAbout = async (check: string) =>
	(await checks.notices()).filter(({ link }) => link === `${CHECKS}${check}/`);

describe("a run of another user's query", () => {
	it("changes no check, no notification and no snapshot that its owner sees", async () => {
		const { query, check } = await addWatchedQuery();
		await runQuery(ada, query);
		expect(await checks.getState(check, connection)).toMatchObject({ state: "ok" });
		const mine = await listSnapshots(ada, query);
		expect(mine).toHaveLength(1);

		for (const values of [NOBODY, {}]) await runQuery(eve, query, values);
		expect(await checks.getState(check, connection)).toMatchObject({ state: "ok" });
		expect(await listNoticesAbout(check)).toEqual([]);
		expect(await listSnapshots(ada, query)).toEqual(mine);
	});

	it("heals no check that fails", async () => {
		const { query, check } = await addWatchedQuery();
		await ada.api.patch(`${CHECKS}${check}/`, { config: { operator: "eq", value: 0 } });
		await runQuery(ada, query);
		expect(await checks.getState(check, connection)).toMatchObject({ state: "failing" });
		const told = await listNoticesAbout(check);
		expect(told).toHaveLength(1);
		await runQuery(eve, query, NOBODY);
		expect(await checks.getState(check, connection)).toMatchObject({ state: "failing" });
		expect(await listNoticesAbout(check)).toEqual(told);
	});

	it("has a snapshot that only its user sees, in the history of the query", async () => {
		const { query } = await addWatchedQuery();
		await runQuery(ada, query);
		const { snapshot_id } = await runQuery(eve, query);
		const [first, second, ...others] = await listSnapshots(eve, query);
		expect([first, second]).toMatchObject([
			{ id: snapshot_id, is_private: true, saved_query_id: query, drift: null },
			{ is_private: false, saved_query_id: query },
		]);
		expect(others).toEqual([]);
		expect((await eve.api.get(`${SNAPSHOTS}${snapshot_id}/`)).status).toBe(200);
		expect((await ada.api.get(`${SNAPSHOTS}${snapshot_id}/`)).status).toBe(404);
		await ada.api.del(`${QUERIES}${query}/`);
		expect((await eve.api.get(`${SNAPSHOTS}${snapshot_id}/`)).status).toBe(404);
	});

	it("cannot be captured into the history of the query", async () => {
		const { query } = await addWatchedQuery();
		await runQuery(ada, query);
		const mine = await listSnapshots(ada, query);
		const captured = await eve.api.post("/api/time-machine/capture/", {
			saved_query_id: query,
			controller_connection_id: connection,
			result_data: { totalCount: "0", imdata: [] },
		});
		expect([200, 201], captured.text).toContain(captured.status);
		expect(await listSnapshots(ada, query)).toEqual(mine);
		expect(await listSnapshots(eve, query)).toHaveLength(2);
		await runQuery(ada, query);
		expect(await listSnapshots(ada, query)).toEqual(mine);
	});

	it("on a group of connections changes no check either", async () => {
		const { query, check } = await addWatchedQuery();
		const started = await eve.api.post("/api/queries/group-executions/", {
			saved_query_id: query,
			connection_ids: [connection],
			variable_values: NOBODY,
			id: randomUUID(),
		});
		expect(started.status, started.text).toBe(201);
		await waitUntil("the group execution has ended", async () => {
			const { body } = await eve.api.get(`/api/queries/group-executions/${started.body.id}/`);
			return body.status !== "running";
		});
		expect((await checks.detail(check)).state).toBe("unknown");
		expect(await listSnapshots(ada, query)).toEqual([]);
	});
});

describe("a run of one's own query with other variable values", () => {
	it("changes no check, and has a history of its own", async () => {
		const { query, check } = await addWatchedQuery();
		await runQuery(ada, query);
		await runQuery(ada, query, NOBODY);
		expect(await checks.getState(check, connection)).toMatchObject({ state: "ok" });
		const [other, own] = await listSnapshots(ada, query);
		expect([other, own]).toMatchObject([
			{ is_private: false, drift: null },
			{ is_private: false, drift: null },
		]);
		for (const path of ["timeline", "blame"]) {
			const of = `dn=uni/tn-common&saved_query_id=${query}`;
			const { body } = await ada.api.get(`/api/time-machine/${path}/?${of}`);
			expect([path, body.snapshot_count]).toEqual([path, 1]);
		}
		const sides = { connection_from_id: connection, connection_to_id: connection, from: own?.executed_at };
		const compared = await ada.api.post("/api/time-machine/compare/", { saved_query_id: query, ...sides });
		expect(compared.body.identical, compared.text).toBe(true);
		await runQuery(ada, query, { t: "common" });
		expect(await listSnapshots(ada, query)).toHaveLength(2);
		expect(await checks.getState(check, connection)).toMatchObject({ state: "ok" });
	});
});
