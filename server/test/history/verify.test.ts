/**
 * Stored snapshots are checked against their captures: all on demand, and slowly in the background.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifySnapshots } from "../../src/areas/history/index.ts";
import { startTestApp, type TestApp, type TestUser, waitUntil } from "../support/harness.ts";

const TM = "/api/time-machine/";
let t: TestApp;
let ada: TestUser;
beforeAll(async () => {
	t = await startTestApp({ work: true });
	ada = await t.user("ada");
});
afterAll(() => t.close());

const createRows = (count: number, version: number) =>
	Array.from({ length: count }, (_, i) => ({
		fvBD: { attributes: { dn: `uni/bd-${i}`, v: i % 3 === 0 ? version : 0 } },
	}));
async function captureRows(name: string, count: number, version: number): Promise<string> {
	const { body } = await ada.api.post(`${TM}capture/`, {
		query_name: name,
		result_data: { imdata: createRows(count, version) },
	});
	expect(body).toHaveProperty("snapshot_id");
	return body.snapshot_id;
}

async function listDamaged(): Promise<Map<string, string>> {
	const found = new Map<string, string>();
	for await (const checked of verifySnapshots(t.deps.store))
		for (const { id, problem } of checked.damaged) found.set(id, problem);
	return found;
}
const listNotices = async () =>
	(
		await t.pool.query(
			"select u.username, n.title, n.body from notifications n join users u on u.id = n.user_id where n.category = 'system'",
		)
	).rows;

describe("verification", () => {
	it("finds nothing where nothing is wrong, in histories of any kind", async () => {
		await captureRows("small 0", 3, -1);
		await Promise.all(Array.from({ length: 60 }, (_, i) => captureRows(`small ${i % 20}`, 3, i)));
		await captureRows("large", 9000, 1);
		await captureRows("large", 9000, 2);
		await captureRows("empty", 0, 0);
		let count = 0;
		for await (const checked of verifySnapshots(t.deps.store)) {
			expect(checked.damaged).toEqual([]);
			count += checked.count;
		}
		expect(count).toBe(64);
	}, 120_000);

	it("names what is damaged and nothing else, and administrators are told once", async () => {
		const ids: string[] = [];
		for (const name of ["text", "hash", "lost", "sound"]) ids.push(await captureRows(name, 50, 1));
		const segment = "(select segment_id from snapshot_manifests where snapshot_id = $1)";
		const flipped = "set_byte(payload, 20, (get_byte(payload, 20) + 1) % 256)";
		await t.pool.query(`update snapshot_packs set payload = ${flipped} where segment_id = ${segment}`, [ids[0]]);
		await t.pool.query("update snapshots set result_hash = repeat('0', 64) where id = $1", [ids[1]]);
		await t.pool.query(`delete from snapshot_packs where segment_id = ${segment}`, [ids[2]]);
		const found = await listDamaged();
		expect(new Set(found.keys())).toEqual(new Set(ids.slice(0, 3)));
		expect(found.get(ids[1] ?? "")).toBe("Its rows do not hash to what was recorded.");

		// Two passes over all.
		for (let pass = 0; pass < 2; pass++) {
			await t.pool.query("update snapshot_timers set due_at = '-infinity' where name = 'verify'");
			await t.deps.store.transaction((tx) => t.deps.jobs.enqueue(tx, "time_machine.verify", {}));
			await waitUntil("a pass has ended", async () => {
				const { rows: ended } = await t.pool.query(
					"select 1 from snapshot_timers a, snapshot_timers b where a.name = 'verify' and " +
						"isfinite(a.due_at) and b.name = 'verified_until' and b.due_at = 'infinity'",
				);
				return ended.length > 0;
			});
		}
		const told = await listNotices();
		expect(told).toHaveLength(3);
		expect(
			told.every(({ username, title }) => username === t.admin.username && title === "A stored snapshot is damaged"),
		).toBe(true);
		expect(told.map(({ body }) => /snapshot of (\w+) of/.exec(body)?.[1]).sort()).toEqual(["hash", "lost", "text"]);
	}, 120_000);

	it("goes on once in ten minutes, at full ten minutes", async () => {
		const readTurns = async () =>
			(await t.pool.query("select count(*)::int as n from pgboss.job where name = 'time_machine.verify'")).rows[0].n;
		const before = await readTurns();
		const until = t.clock.now() + 30 * 60_000;
		while (t.clock.now() < until) {
			await t.clock.advance(60_000);
			await waitUntil("the timer of this minute was read", async () => {
				const { rows } = await t.pool.query("select due_at from snapshot_timers where name = 'verify_some'");
				return rows[0] !== undefined && t.clock.now() - rows[0].due_at.getTime() < 10 * 60_000;
			});
		}
		expect((await readTurns()) - before).toBe(3);
	});
});
