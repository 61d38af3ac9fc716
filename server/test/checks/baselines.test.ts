/** Checks of type unchanged against each kind of baseline. */
import { type RunningController, startController } from "@weft/lab";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addConnection, QUERIES, RUNS, UNKNOWN } from "../support/canvases.ts";
import { CHECKS, getChecks } from "../support/checks.ts";
import { startTestApp, type TestApp, type TestUser } from "../support/harness.ts";
import { createEagerDriver } from "../support/runs.ts";

const TM = "/api/time-machine/";
const HOUR_MS = 3_600_000;
let t: TestApp;
let lab: RunningController;
let ada: TestUser;
let connection: string;
let other: string;
let checks: ReturnType<typeof getChecks>;

beforeAll(async () => {
	lab = await startController({ size: "small" });
	t = await startTestApp({ work: true, deps: { controllers: createEagerDriver() } });
	ada = await t.user("ada", ["Editor"]);
	checks = getChecks(ada.api, () => t);
	connection = await addConnection(ada.api, lab, { name: "fab-dc1" });
	other = await addConnection(ada.api, lab, { name: "fab-dc2" });
});
afterAll(async () => {
	await t.close();
	await lab.close();
});

/** Names of objects with their descriptions. */
type Fabric = Readonly<Record<string, string>>;
/** Makes these the only objects of the queried class. */
function loadFabric(fabric: Fabric): void {
	lab.reset();
	const imdata = Object.entries(fabric).map(([name, descr]) => ({
		vnsAbsGraph: { attributes: { dn: `uni/tn-common/AbsGraph-${name}`, name, descr, modTs: String(t.clock.now()) } },
	}));
	lab.load({ imdata });
}
const createQuery = () => checks.query("vnsAbsGraph", { enable_time_machine: true });
const addCheck = (saved_query: string, baseline: object, more: object = {}) =>
	checks.add({ saved_query, type: "unchanged", config: { baseline }, ...more });
/** Runs the query on the first connection after a second. Answers the id of its snapshot. */
async function runQuery(saved: string, fabric: Fabric, on = connection): Promise<string> {
	await t.clock.advance(1_000);
	loadFabric(fabric);
	const id = await checks.run(saved, on);
	return (await ada.api.get(`${RUNS}${id}/`)).body.snapshot_id;
}
const labelSnapshot = (snapshot: string, text: string | null) =>
	ada.api.post(`${TM}snapshots/${snapshot}/annotate/`, { label: text });
/** Deletes all snapshots of a query but the newest. Answers how many. */
async function cleanUp(saved: string, more: object = {}): Promise<number> {
	await ada.api.put(`${TM}settings/`, { retention_policy: "count", retention_count: 1 });
	return (await ada.api.post(`${TM}cleanup/execute/`, { query_id: saved, ...more })).body.deleted_count;
}
const getState = (check: { id: string }) => checks.getState(check.id, connection);

describe("a baseline", () => {
	it("is refused with the field and what to do", async () => {
		const saved = await createQuery();
		const refusal = async (baseline: unknown, more: object = {}) => {
			const body = { name: "x", saved_query: saved, type: "unchanged", config: { baseline }, ...more };
			const answer = await ada.api.post(CHECKS, body);
			expect(answer.status).toBe(400);
			return answer.body;
		};
		expect(await refusal({ kind: "next" })).toEqual({
			"config.baseline.kind": ["Must be one of: previous, snapshot, label, hours."],
		});
		expect(Object.keys(await refusal({ kind: "snapshot" }))).toEqual(["config.baseline.snapshot_id"]);
		expect(await refusal({ kind: "snapshot", snapshot_id: "7" })).toEqual({
			"config.baseline.snapshot_id": ["Must be an id."],
		});
		expect(await refusal({ kind: "label", label: " " })).toEqual({ "config.baseline.label": ["Must not be empty."] });
		for (const hours of [0, 8_761, 1.5]) {
			expect(await refusal({ kind: "hours", hours })).toEqual({
				"config.baseline.hours": ["Must be a whole number from 1 to 8760."],
			});
		}
		expect(Object.keys(await refusal({ kind: "label", label: "x", hours: 1 }))).toEqual(["config.baseline"]);
		const unknown = { "config.baseline.snapshot_id": [expect.stringContaining("no such snapshot")] };
		expect(await refusal({ kind: "snapshot", snapshot_id: UNKNOWN })).toEqual(unknown);
		const foreign = await runQuery(await createQuery(), { a: "1" });
		expect(await refusal({ kind: "snapshot", snapshot_id: foreign })).toEqual(unknown);
		const own = await runQuery(saved, { a: "1" });
		const pinned = { kind: "snapshot", snapshot_id: own };
		expect(await refusal(pinned, { controller_connection_ids: [connection, other] })).toEqual({
			controller_connection_ids: [expect.stringContaining("one connection")],
		});
		const bob = await t.user("bob", ["Editor"]);
		const hidden = await bob.api.post(CHECKS, {
			name: "x",
			saved_query: saved,
			type: "unchanged",
			config: { baseline: pinned },
		});
		expect([hidden.status, Object.keys(hidden.body)]).toEqual([400, ["saved_query"]]);
	});

	it("is one of ten different ones of a query at most", async () => {
		const saved = await createQuery();
		for (let hours = 1; hours <= 10; hours += 1) await addCheck(saved, { kind: "hours", hours });
		const more = (hours: number) =>
			ada.api.post(CHECKS, {
				name: "x",
				saved_query: saved,
				type: "unchanged",
				config: { baseline: { kind: "hours", hours } },
			});
		expect((await more(1)).status).toBe(201);
		const { status, body } = await more(11);
		expect([status, Object.keys(body)]).toEqual([400, ["config.baseline"]]);
		await addCheck(saved, { kind: "previous" });
	});
});

describe("a pinned snapshot", () => {
	it("is what each later run is compared with, on its connection only", async () => {
		const saved = await createQuery();
		const golden = await runQuery(saved, { a: "1", b: "1" });
		const check = await addCheck(saved, { kind: "snapshot", snapshot_id: golden });
		expect(check).toMatchObject({
			controller_connection_ids: [connection],
			config: { baseline: { kind: "snapshot", snapshot_id: golden } },
		});
		await runQuery(saved, { a: "2", c: "1" });
		expect(await getState(check)).toMatchObject({ state: "failing", violations: 3, error: null });
		const { sample } = await checks.evidence(check.id, connection);
		expect(sample.map(({ row }: { row: { change: string } }) => row.change).sort()).toEqual([
			"added",
			"deleted",
			"modified",
		]);
		expect(sample).toContainEqual({
			connection: "fab-dc1",
			row: {
				change: "modified",
				class_name: "vnsAbsGraph",
				dn: "uni/tn-common/AbsGraph-a",
				attributes: ["descr"],
			},
			violating_fields: ["change"],
		});
		// Nothing changes between these two runs, and the fabric is still not as it was.
		await runQuery(saved, { a: "2", c: "1" });
		expect(await getState(check)).toMatchObject({ state: "failing", violations: 3 });
		await runQuery(saved, { a: "1", b: "1" });
		expect(await getState(check)).toMatchObject({ state: "ok", violations: 0 });
		await runQuery(saved, { z: "1" }, other);
		expect((await checks.detail(check.id)).states).toHaveLength(1);
	});

	it("survives the cleanup, and is an error once it is deleted", async () => {
		const saved = await createQuery();
		const golden = await runQuery(saved, { a: "1" });
		const check = await addCheck(saved, { kind: "snapshot", snapshot_id: golden });
		await runQuery(saved, { a: "2" });
		await runQuery(saved, { a: "3" });
		expect(await cleanUp(saved)).toBe(1);
		await runQuery(saved, { a: "1" });
		expect(await getState(check)).toMatchObject({ state: "ok" });
		expect(await cleanUp(saved, { include_annotated: true })).toBe(2);
		await runQuery(saved, { a: "1" });
		expect(await getState(check)).toMatchObject({
			state: "error",
			violations: 0,
			error: "The snapshot that the check compares with was deleted. Choose another baseline.",
		});
		const renamed = await ada.api.patch(`${CHECKS}${check.id}/`, { name: "Renamed" });
		expect(renamed.status).toBe(200);
		const relabelled = await ada.api.patch(`${CHECKS}${check.id}/`, { config: { baseline: { kind: "previous" } } });
		expect(relabelled.body).toMatchObject({ controller_connection_ids: [connection] });
		await runQuery(saved, { a: "1" });
		expect(await getState(check)).toMatchObject({ state: "ok" });
	});
});

describe("a label", () => {
	it("names the newest snapshot that has it, on each connection", async () => {
		const saved = await createQuery();
		const check = await addCheck(saved, { kind: "label", label: "golden" });
		const first = await runQuery(saved, { a: "1" });
		expect(await getState(check)).toMatchObject({
			state: "error",
			error: 'No snapshot on "fab-dc1" has the label "golden". Give one this label, or choose another baseline.',
		});
		await labelSnapshot(first, " golden ");
		const second = await runQuery(saved, { a: "2" });
		expect(await getState(check)).toMatchObject({ state: "failing", violations: 1 });
		await labelSnapshot(second, "golden");
		await runQuery(saved, { a: "2", b: "1" });
		expect(await getState(check)).toMatchObject({ state: "failing", violations: 1 });
		await runQuery(saved, { a: "2" });
		expect(await getState(check)).toMatchObject({ state: "ok" });
		await runQuery(saved, { a: "2" }, other);
		expect(await checks.getState(check.id, other)).toMatchObject({
			state: "error",
			error: expect.stringContaining("fab-dc2"),
		});
		await labelSnapshot(second, null);
		await runQuery(saved, { a: "1" });
		expect(await getState(check)).toMatchObject({ state: "ok" });
	});
});

describe("hours", () => {
	it("name the newest snapshot of a run that is so old; without one nothing is known", async () => {
		const saved = await createQuery();
		const check = await addCheck(saved, { kind: "hours", hours: 2 });
		await runQuery(saved, { a: "1" });
		const young = { state: "unknown", error: expect.stringContaining("is 2 hours old yet") };
		expect(await getState(check)).toMatchObject(young);
		await t.clock.advance(HOUR_MS);
		await runQuery(saved, { a: "2" });
		expect(await getState(check)).toMatchObject(young);
		expect(await checks.events(check.id)).toEqual([]);
		await t.clock.advance(HOUR_MS + 60_000);
		await runQuery(saved, { a: "2", b: "1" });
		expect(await getState(check)).toMatchObject({ state: "failing", violations: 2, error: null });
		await t.clock.advance(HOUR_MS);
		await runQuery(saved, { a: "2" });
		expect(await getState(check)).toMatchObject({ state: "ok" });
	});

	it("are an error where the snapshots that old were deleted", async () => {
		const saved = await createQuery();
		const check = await addCheck(saved, { kind: "hours", hours: 1 });
		await runQuery(saved, { a: "1" });
		await t.clock.advance(HOUR_MS / 2);
		await runQuery(saved, { a: "2" });
		expect(await cleanUp(saved)).toBe(1);
		await runQuery(saved, { a: "3" });
		expect(await getState(check)).toMatchObject({
			state: "error",
			error: expect.stringMatching(/1 hour old were deleted\. Keep/),
		});
	});
});

describe("the rules of the query", () => {
	it("say what a change is", async () => {
		const saved = await createQuery();
		await labelSnapshot(await runQuery(saved, { a: "1" }), "golden");
		const check = await addCheck(saved, { kind: "label", label: "golden" });
		await runQuery(saved, { a: "2" });
		expect(await getState(check)).toMatchObject({ state: "failing" });
		await ada.api.patch(`${QUERIES}${saved}/`, { drift_rules: { ignore: ["descr"] } });
		await runQuery(saved, { a: "3" });
		expect(await getState(check)).toMatchObject({ state: "ok" });
	});

	it("and evidence is bounded while the count is not", async () => {
		const saved = await createQuery();
		await labelSnapshot(await runQuery(saved, {}), "golden");
		const check = await addCheck(saved, { kind: "label", label: "golden" });
		await runQuery(saved, Object.fromEntries(Array.from({ length: 450 }, (_, i) => [`n${i}`, "1"])));
		expect(await getState(check)).toMatchObject({ state: "failing", violations: 450 });
		expect((await checks.evidence(check.id, connection)).sample).toHaveLength(200);
	});
});

describe("the preview", () => {
	it("compares the latest snapshot with the baseline, and stores nothing", async () => {
		const saved = await createQuery();
		const preview = async (baseline: object, more: object = {}) => {
			const body = { saved_query: saved, type: "unchanged", config: { baseline }, ...more };
			const answer = await ada.api.post(`${CHECKS}preview/`, body);
			expect(answer.status, answer.text).toBe(200);
			return answer.body.results;
		};
		const first = await runQuery(saved, { a: "1" });
		expect(await preview({ kind: "previous" })).toMatchObject([{ state: "ok", controller_connection_id: connection }]);
		await labelSnapshot(first, "golden");
		await runQuery(saved, { a: "2", b: "1" });
		await runQuery(saved, { a: "1" }, other);
		for (const baseline of [
			{ kind: "previous" },
			{ kind: "label", label: "golden" },
			{ kind: "snapshot", snapshot_id: first },
		]) {
			const [result] = (await preview(baseline)).filter(
				(one: { controller_connection_id: string }) => one.controller_connection_id === connection,
			);
			expect(result).toMatchObject({ state: "failing", violations: 2, error: null });
			expect(result.sample).toHaveLength(2);
		}
		expect(await preview({ kind: "snapshot", snapshot_id: first })).toHaveLength(1);
		expect(await preview({ kind: "hours", hours: 1 }, { controller_connection_ids: [connection] })).toMatchObject([
			{ state: "unknown", error: expect.any(String), sample: [] },
		]);
		await runQuery(saved, { a: "2", b: "1" });
		expect(await preview({ kind: "previous" }, { controller_connection_ids: [connection] })).toMatchObject([
			{ state: "ok", violations: 0 },
		]);
		expect((await ada.api.get(`${CHECKS}?query=${saved}`)).body.count).toBe(0);
	});
});

describe("states", () => {
	/** Time passes, the fabric becomes another, and the snapshot may get the label. */
	const step = fc.record({
		minutes: fc.integer({ min: 1, max: 100 }),
		fabric: fc.dictionary(fc.constantFrom("a", "b", "c"), fc.constantFrom("1", "2"), { maxKeys: 3 }),
		labels: fc.boolean(),
	});

	it("equal those of a naive evaluation over the whole history", async () => {
		await fc.assert(
			fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 7 }), async (steps) => {
				const saved = await createQuery();
				const start = await runQuery(saved, { a: "1" });
				const made = {
					previous: await addCheck(saved, { kind: "previous" }),
					pinned: await addCheck(saved, { kind: "snapshot", snapshot_id: start }),
					label: await addCheck(saved, { kind: "label", label: "golden" }),
					hours: await addCheck(saved, { kind: "hours", hours: 1 }),
				};
				const history = [{ at: t.clock.now(), fabric: { a: "1" } as Fabric, isLabelled: false }];
				for (const { minutes, fabric, labels } of steps) {
					await t.clock.advance(minutes * 60_000);
					const snapshot = await runQuery(saved, fabric);
					const at = t.clock.now();
					const naive = {
						previous: history.at(-1)?.fabric,
						pinned: history[0]?.fabric,
						label: history.findLast((one) => one.isLabelled)?.fabric,
						hours: history.findLast((one) => one.at <= at - HOUR_MS)?.fabric,
					};
					for (const kind of ["previous", "pinned", "label", "hours"] as const) {
						const [entry, base] = [await getState(made[kind]), naive[kind]];
						const missing = kind === "hours" ? "unknown" : "error";
						const violations = base === undefined ? 0 : countDifferences(base, fabric);
						const state = base === undefined ? missing : violations > 0 ? "failing" : "ok";
						expect([kind, entry.state, entry.violations]).toEqual([kind, state, violations]);
					}
					const isSame = countDifferences(history.at(-1)?.fabric ?? {}, fabric) === 0;
					history.push({ at, fabric, isLabelled: labels });
					if (labels) await labelSnapshot(snapshot, "golden");
					// A repeated result may have no snapshot of its own: the label is on the earlier one.
					if (labels && isSame) for (const one of history.slice(-2)) one.isLabelled = true;
				}
			}),
			{ numRuns: 3 },
		);
	});
});

function countDifferences(before: Fabric, after: Fabric): number {
	const names = new Set([...Object.keys(before), ...Object.keys(after)]);
	return [...names].filter((name) => before[name] !== after[name]).length;
}
