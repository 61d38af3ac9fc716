/**
 * A capture or a deletion that other processes overtake each time is done nonetheless, and holds no
 * lock of the store while it works.
 */
import type pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openTimeMachinePool } from "../../src/open-pools.ts";
import { startTestApp, type TestApp, type TestUser } from "../support/harness.ts";

const TM = "/api/time-machine/";
/** Large enough for a worker thread, whose tasks the test sees. */
const OBJECTS = 5_000;

let t: TestApp;
let ada: TestUser;
/** Called after each task of a thread. */
let afterTask: (task: string) => Promise<void> = async () => {};
beforeAll(async () => {
	let connection: pg.ClientConfig = {};
	let pool: ReturnType<typeof openTimeMachinePool> | undefined;
	const timeMachinePool: ReturnType<typeof openTimeMachinePool> = {
		async run(task, input, options) {
			pool ??= openTimeMachinePool(connection);
			const result = await pool.run(task, input, options);
			await afterTask(task);
			return result;
		},
		close: async () => pool?.close(),
	};
	const through = (direct: pg.ClientConfig) => {
		connection = direct;
		return direct;
	};
	t = await startTestApp({ through, deps: { timeMachinePool } });
	ada = await t.user("ada");
});
afterAll(() => t.close());

/** Changes each history that is not reserved, as another process does. Counts the changes. */
function bumpRevisions(wanted: string) {
	const seen = { tasks: 0, changes: 0, locked: 0 };
	afterTask = async (task) => {
		if (task !== wanted) return;
		seen.tasks++;
		const changed = await t.pool
			.query(
				`update snapshot_histories set revision = revision + 1 where id in
					(select id from snapshot_histories for update nowait) and reserved_by is null`,
			)
			.catch(() => {
				seen.locked++;
				return { rowCount: 0 };
			});
		seen.changes += changed.rowCount ?? 0;
	};
	return seen;
}

async function captureSnapshot(queryId: string, descr: string) {
	const row = (i: number) => ({ fvBD: { attributes: { dn: `uni/tn-a/BD-${i}`, descr: i === 0 ? descr : "" } } });
	const { body } = await ada.api.post(`${TM}capture/`, {
		saved_query_id: queryId,
		result_data: { imdata: Array.from({ length: OBJECTS }, (_, i) => row(i)) },
	});
	return body;
}

it("captures and deletes although the history changes each time", async () => {
	const flow_data = { nodes: [], edges: [] };
	const query = { name: "raced", flow_data, enable_time_machine: true };
	const { id } = (await ada.api.post("/api/queries/saved-queries/", query)).body;
	expect(await captureSnapshot(id, "one")).toMatchObject({ success: true });

	const captures = bumpRevisions("capture");
	const second = await captureSnapshot(id, "two");
	expect(second).toMatchObject({ success: true, has_changes: true });
	expect(captures).toEqual({ tasks: captures.changes + 1, changes: expect.any(Number), locked: 0 });
	expect(captures.changes).toBeGreaterThanOrEqual(5);

	const deletions = bumpRevisions("erase");
	await ada.api.put(`${TM}settings/`, { retention_policy: "count", retention_count: 1 });
	const cleaned = await ada.api.post(`${TM}cleanup/execute/`, { query_id: id });
	expect(cleaned.body).toMatchObject({ deleted_count: 1 });
	expect(deletions).toEqual({ tasks: deletions.changes + 1, changes: expect.any(Number), locked: 0 });
	afterTask = async () => {};

	const { body } = await ada.api.get(`${TM}snapshots/${second.snapshot_id}/`);
	expect(body.result_data.imdata).toHaveLength(OBJECTS);
	const reserved = await t.pool.query("select from snapshot_histories where reserved_by is not null");
	expect(reserved.rowCount).toBe(0);
});

it("passes over the reservation of a process that died", async () => {
	const query = { name: "abandoned", flow_data: { nodes: [], edges: [] }, enable_time_machine: true };
	const { id } = (await ada.api.post("/api/queries/saved-queries/", query)).body;
	expect(await captureSnapshot(id, "one")).toMatchObject({ success: true });
	const until = new Date(t.clock.now() - 1);
	await t.pool.query("update snapshot_histories set reserved_by = gen_random_uuid(), reserved_until = $1", [until]);
	expect(await captureSnapshot(id, "two")).toMatchObject({ success: true });
});
