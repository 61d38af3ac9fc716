/** The present problems, as the overview asks for them: checks, faults and connections. */
import { type Problems, problems } from "@weft/contracts";
import { type RunningController, startController } from "@weft/lab";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFeed, createObject } from "../support/changes.ts";
import { startTestApp, type TestApp, type TestUser, waitUntil } from "../support/harness.ts";

const PROBLEMS = "/api/dashboard/problems/";
const RUNS = "/api/queries/pipeline-executions/";
const DAY_MINUTES = 24 * 60;

let t: TestApp;
let lab: RunningController;
const feed = createFeed(() => t);
beforeAll(async () => {
	lab = await startController({ size: "small" });
	t = await startTestApp({ work: true });
});
afterAll(async () => {
	await t.close();
	await lab.close();
});

async function readProblems({ api }: TestUser): Promise<Problems> {
	const { status, body, text } = await api.get(PROBLEMS);
	expect(status, text).toBe(200);
	return problems.parse(body);
}

const createFault = (code: string, severity: string) =>
	createObject("faultInst", `topology/pod-1/node-101/fault-${code}`, { code, severity });
const drawFaults = (filter?: Record<string, unknown>) => ({
	nodes: [
		{ id: "a", type: "classNode", data: { className: "faultInst" } },
		...(filter === undefined ? [] : [{ id: "f", type: "filterNode", data: { filterType: "property", ...filter } }]),
	],
	edges: filter === undefined ? [] : [{ id: "e", source: "a", target: "f" }],
});

describe("problems", () => {
	it("are empty, and not fine, for a person who has nothing yet", async () => {
		const ada = await t.user("ada", ["Editor"]);
		expect(await readProblems(ada)).toEqual({
			checks: {
				total: 0,
				ok: 0,
				pending: 0,
				unknown: 0,
				severities: ["critical", "warning", "info"].map((severity) => ({ severity, failing: 0, error: 0 })),
				worst: [],
			},
			faults: { fabrics: [], total: 0, missing: [], missing_total: 0 },
			connections: { total: 0, unknown: 0, down: [], down_total: 0 },
			controller_version: null,
		});
	});

	it("leave out parts that the caller may not view, and are refused without a sign-in", async () => {
		const nobody = await t.user("nobody");
		await t.pool.query("delete from user_groups where user_id = $1", [nobody.id]);
		expect(await readProblems(nobody)).toMatchObject({ checks: null, faults: null, connections: null });
		expect((await t.anonymous.get(PROBLEMS)).status).toBe(401);
	});
});

describe("faults", () => {
	it("are counted in the newest snapshot, beside those of the day before", async () => {
		const bob = await t.user("bob", ["Editor"]);
		const [one, two] = [await feed.addConnection(bob), await feed.addConnection(bob)];
		const query = await feed.addQuery(bob, { name: "All faults", flow_data: drawFaults() });
		const critical = { property: "severity", operator: "eq", value: "critical" };
		const some = await feed.addQuery(bob, { name: "Critical faults", flow_data: drawFaults(critical) });
		await feed.capture(bob, query.id, one.id, [createFault("F1", "major"), createFault("F2", "minor")]);
		const shown = async () => (await readProblems(bob)).faults;
		expect(await shown()).toMatchObject({
			fabrics: [{ connection: { id: one.id }, compared_to: null, is_whole: true }],
			total: 1,
			missing: [{ id: two.id, name: two.name }],
			missing_total: 1,
		});
		const day = new Date(t.clock.now()).toISOString().slice(0, 10);
		const now = [createFault("F1", "major"), createFault("F3", "major"), createFault("F4", "cleared")];
		await feed.capture(bob, query.id, one.id, now, DAY_MINUTES);
		// A newer snapshot of a part of the faults does not stand for all.
		await feed.capture(bob, some.id, one.id, [createFault("F9", "critical")]);
		await feed.capture(bob, some.id, two.id, [createFault("F9", "critical")]);
		const { fabrics, missing_total } = (await shown()) ?? { fabrics: [] };
		const [first, second] = [one, two].map(({ id }) => fabrics.find(({ connection }) => connection.id === id));
		expect(missing_total).toBe(0);
		expect(first).toEqual({
			connection: { id: one.id, name: one.name },
			saved_query: { id: query.id, name: "All faults" },
			series: { value: "count", field: null, group_by: "faultInst.severity" },
			is_whole: true,
			at: expect.any(String),
			is_computing: false,
			severities: [
				{ severity: "critical", count: 0, before: 0 },
				{ severity: "major", count: 2, before: 1 },
				{ severity: "minor", count: 0, before: 1 },
				{ severity: "warning", count: 0, before: 0 },
				{ severity: "info", count: 0, before: 0 },
			],
			compared_to: `${day}T00:00:00.000Z`,
		});
		expect(second).toMatchObject({ saved_query: { name: "Critical faults" }, is_whole: false });
		const eve = await t.user("eve", ["Editor"]);
		expect((await readProblems(eve)).faults).toMatchObject({ total: 0 });
	});

	it("are none where the newest snapshot has no rows", async () => {
		const cas = await t.user("cas", ["Editor"]);
		const fabric = await feed.addConnection(cas);
		const query = await feed.addQuery(cas, { flow_data: drawFaults() });
		await feed.capture(cas, query.id, fabric.id, [createFault("F1", "critical")], DAY_MINUTES);
		await feed.capture(cas, query.id, fabric.id, [], DAY_MINUTES);
		const { faults } = await readProblems(cas);
		expect(faults?.fabrics[0]?.severities[0]).toEqual({ severity: "critical", count: 0, before: 1 });
	});

	it("are counted in the snapshots of the gallery's question", async () => {
		const dan = await t.user("dan", ["Editor"]);
		const { url, username, password } = lab;
		const { id } = await feed.addConnection(dan, { url, username, password, verify_ssl: false });
		const save = "/api/queries/gallery/faults-by-severity/save/";
		const { body: query } = await dan.api.post(save, { name: "Faults by severity", enable_time_machine: true });
		await dan.api.post(`/api/queries/saved-queries/${query.id}/execute_background/`, { controller_connection_id: id });
		const { faults } = await waitUntil("the snapshot is counted", async () => {
			const shown = await readProblems(dan);
			return shown.faults?.total === 1 ? shown : undefined;
		});
		expect(faults?.fabrics[0]).toMatchObject({ is_whole: true, series: { value: "sum", field: "faults" } });
		const count = faults?.fabrics[0]?.severities.reduce((sum, one) => sum + one.count, 0);
		expect(count).toBeGreaterThan(0);
	});
});

describe("connections", () => {
	it("are down from the first run that reaches no controller, until one answers", async () => {
		const fay = await t.user("fay", ["Editor"]);
		let own = await startController({ size: "small" });
		const { url, username, password } = own;
		const { id, name } = await feed.addConnection(fay, { url, username, password, verify_ssl: false });
		const shown = async () => (await readProblems(fay)).connections;
		const run = async () => {
			const flow_data = { nodes: [{ id: "a", type: "classNode", data: { className: "fvTenant" } }], edges: [] };
			const { body } = await fay.api.post(RUNS, { flow_data, controller_connection_id: id });
			await waitUntil("the run has ended", async () =>
				["completed", "failed"].includes((await fay.api.get(`${RUNS}${body.id}/`)).body.status),
			);
		};
		expect(await shown()).toEqual({ total: 1, unknown: 1, down: [], down_total: 0 });
		await run();
		await waitUntil("the answer is recorded", async () => (await shown())?.unknown === 0);
		await own.close();
		await run();
		const down = await waitUntil("the failure is recorded", async () => (await shown())?.down[0]);
		expect(down).toEqual({ id, name, since: expect.any(String), error: expect.stringMatching(/refused/i) });
		await t.clock.advance(60_000);
		await run();
		expect((await shown())?.down).toEqual([down]);
		await fay.api.post(`/api/controller/connections/${id}/test/`);
		expect((await shown())?.down).toMatchObject([{ since: down.since }]);
		own = await startController({ size: "small", port: Number(new URL(url).port) });
		await run();
		await waitUntil("the answer is recorded", async () => (await shown())?.down_total === 0);
		await own.close();
	});

	it("are unknown again after a change of their address, and are not asked while they are inactive", async () => {
		const gus = await t.user("gus", ["Editor"]);
		const { id } = await feed.addConnection(gus, { url: "http://127.0.0.1:9" });
		await gus.api.post(`/api/controller/connections/${id}/test/`);
		const shown = async () => (await readProblems(gus)).connections;
		expect(await shown()).toMatchObject({ unknown: 0, down_total: 1 });
		await gus.api.patch(`/api/controller/connections/${id}/`, { url: "http://127.0.0.1:10", password: "new" });
		expect(await shown()).toMatchObject({ unknown: 1, down_total: 0 });
		await gus.api.patch(`/api/controller/connections/${id}/`, { is_active: false });
		expect(await shown()).toMatchObject({ total: 0, unknown: 0 });
	});
});

describe("checks", () => {
	it("are counted by severity and worst state", async () => {
		const hal = await t.user("hal", ["Editor"]);
		const query = await feed.addQuery(hal);
		for (const [severity, is_active] of [
			["critical", true],
			["warning", true],
			["warning", false],
		] as const) {
			const config = { operator: "eq", value: 0 };
			const body = { name: `A check ${severity} ${is_active}`, saved_query: query.id, type: "row_count" };
			const made = await hal.api.post("/api/checks/", { ...body, config, severity, is_active });
			expect(made.status, made.text).toBe(201);
		}
		const { checks } = await readProblems(hal);
		expect(checks).toMatchObject({ total: 2, ok: 0, unknown: 2 });
		expect(checks?.worst).toHaveLength(3);
		await t.pool.query(`insert into check_states (check_id, connection_id, state, since)
			select id, null, 'failing', now() from checks where severity = 'critical' and owner_id = ${hal.id}`);
		const failing = (await readProblems(hal)).checks;
		expect(failing).toMatchObject({ total: 2, unknown: 1 });
		expect(failing?.severities[0]).toEqual({ severity: "critical", failing: 1, error: 0 });
		expect(failing?.worst[0]?.state).toBe("failing");
	});
});
