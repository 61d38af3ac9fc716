/** How the feed of changes is filled: lost tasks, older snapshots, persons, retention. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { expandHistory } from "../../src/areas/answers/changes/expand-history.ts";
import { countPlaces } from "../../src/areas/history/rules/compare.ts";
import { CHANGES, createDomain, createFeed } from "../support/changes.ts";
import { startTestApp, type TestApp, type TestUser, waitUntil } from "../support/harness.ts";

let t: TestApp;
let ada: TestUser;
const feed = createFeed(() => t);
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
beforeAll(async () => {
	t = await startTestApp({ work: true });
	ada = await t.user("ada", ["Editor"]);
});
afterAll(() => t.close());

async function captureAll(...mtus: string[]) {
	const fabric = await feed.addConnection(ada);
	const query = await feed.addQuery(ada);
	const snapshots: string[] = [];
	for (const mtu of mtus) snapshots.push(await feed.capture(ada, query.id, fabric.id, [createDomain("w", { mtu })]));
	await feed.settle();
	return { fabric, query, snapshots };
}
const listAll = (fabric: { id: string }, since = "2020-01-01T00:00:00Z") =>
	feed.list(ada.api, `connection=${fabric.id}&since=${since}`);

/** The state before the task of a snapshot ran, or before this version was installed. */
async function forgetHistory(fabric: { id: string }): Promise<void> {
	await t.pool.query("delete from object_changes where connection_id = $1", [fabric.id]);
	await t.pool.query(
		`delete from change_cursors where history_id in (
			select history_id from snapshots where controller_connection_id = $1)`,
		[fabric.id],
	);
}

describe("the work behind the feed", () => {
	it("reads snapshots whose task was lost, and those that existed before, once", async () => {
		const { fabric } = await captureAll("1", "2", "3");
		const before = (await listAll(fabric)).map(({ at, attributes }) => ({ at, attributes }));
		expect(before).toHaveLength(2);
		await forgetHistory(fabric);
		await t.clock.advance(MINUTE);
		await feed.settle();
		expect((await listAll(fabric)).map(({ at, attributes }) => ({ at, attributes }))).toEqual(before);
		await t.clock.advance(2 * MINUTE);
		expect(await listAll(fabric)).toHaveLength(2);
	});

	it("reads no snapshots that are older than the retention", async () => {
		const { fabric, query } = await captureAll("1", "2");
		await forgetHistory(fabric);
		// The instants of the past: the feed would have been filled meanwhile.
		await t.pool.query(
			"update snapshots set executed_at = executed_at - interval '91 days' where controller_connection_id = $1",
			[fabric.id],
		);
		await feed.capture(ada, query.id, fabric.id, [createDomain("w", { mtu: "3" })]);
		await feed.settle();
		expect(await listAll(fabric)).toMatchObject([{ attributes: [{ name: "mtu", before: "2", after: "3" }] }]);
	});

	it("plans many changes once, and reads them in pages, each object once", async () => {
		const fabric = await feed.addConnection(ada);
		const query = await feed.addQuery(ada);
		const build = (mtu: string) =>
			Array.from({ length: 2_500 }, (_, at) => createDomain(`many-${String(at).padStart(4, "0")}`, { mtu }));
		await feed.capture(ada, query.id, fabric.id, build("1"));
		const plans = vi.spyOn(t.app.context.areas.history.threads, "changePlan");
		const pages = vi.spyOn(t.app.context.areas.history.threads, "changePage");
		await feed.capture(ada, query.id, fabric.id, build("2"));
		await feed.settle();
		// The work of a page does not grow with the number of changes.
		expect([plans.mock.calls.length, pages.mock.calls.length]).toEqual([1, 3]);
		expect(Math.max(...pages.mock.calls.map(([{ places }]) => countPlaces(places)))).toBe(1_000);
		plans.mockRestore();
		pages.mockRestore();
		const { body } = await ada.api.get(`${CHANGES}?connection=${fabric.id}`);
		expect(body.count).toBe(2_500);
		const { rows } = await t.pool.query(
			"select count(distinct dn)::integer as dns, max(written) as written from object_changes o, change_cursors where o.connection_id = $1",
			[fabric.id],
		);
		expect(rows).toEqual([{ dns: 2_500, written: 0 }]);
	});

	it("writes each change once when two processes read a history at the same time", async () => {
		const { fabric } = await captureAll("1", "2", "3", "4");
		const { rows } = await t.pool.query(
			"select history_id from snapshots where controller_connection_id = $1 limit 1",
			[fabric.id],
		);
		await forgetHistory(fabric);
		const { signal } = new AbortController();
		await Promise.all([1, 2, 3].map(() => expandHistory(t.app.context, rows[0].history_id, signal)));
		expect(await listAll(fabric)).toHaveLength(3);
	});

	it("goes on after a page that was written before a death", async () => {
		const { fabric } = await captureAll("1", "2");
		await t.pool.query(
			`update change_cursors set position = 1, written = 1 where history_id in (
				select history_id from snapshots where controller_connection_id = $1)`,
			[fabric.id],
		);
		await t.clock.advance(MINUTE);
		await feed.settle();
		expect(await listAll(fabric)).toHaveLength(1);
	});

	it("adds persons when their lookup ends after the changes were written", async () => {
		const { fabric, snapshots } = await captureAll("1", "2");
		expect(await listAll(fabric)).toMatchObject([{ changed_by: [], changed_by_reason: null }]);
		const record = { user: "carol", at: "2026-01-15T10:00:30.000Z", action: "modified", session: "s" };
		const found = {
			clock_skew_ms: 0,
			requests: 1,
			complete: true,
			error: null,
			objects: { "uni/tn-a/BD-w": { changed_by: [record] } },
		};
		await t.pool.query("insert into snapshot_attributions (snapshot_id, found) values ($1, $2)", [snapshots[1], found]);
		await t.app.context.store.transaction((tx) =>
			t.app.context.events.emit(tx, { type: "snapshot_attributed", snapshotId: snapshots[1] ?? "" }),
		);
		await waitUntil("the person is in the feed", async () => (await listAll(fabric))[0]?.changed_by.length === 1);
		expect(await listAll(fabric)).toMatchObject([{ changed_by: [record], changed_by_reason: null }]);
		for (const filter of ["user=carol", "search=CARO"])
			expect(await feed.list(ada.api, `connection=${fabric.id}&${filter}`), filter).toHaveLength(1);
		const { body: summary } = await ada.api.get(`${CHANGES}summary/?connection=${fabric.id}`);
		expect(summary.users).toEqual([{ name: "carol", changes: 1 }]);
		expect(summary.connections).toMatchObject([{ users: [{ name: "carol", changes: 1 }], users_total: 1 }]);
		// A lookup that ended first is found when the changes are written.
		await forgetHistory(fabric);
		await t.clock.advance(MINUTE);
		await feed.settle();
		expect(await listAll(fabric)).toMatchObject([{ changed_by: [record] }]);
	});

	it("keeps a change without its snapshots until its own retention ends", async () => {
		const { fabric, snapshots } = await captureAll("1", "2");
		await ada.api.put("/api/time-machine/settings/", { retention_policy: "days", retention_days: 1 });
		await t.clock.advance(3 * DAY);
		await ada.api.post("/api/time-machine/cleanup/execute/", {});
		expect((await ada.api.get(`/api/time-machine/snapshots/${snapshots[1]}/`)).status).toBe(404);
		expect(await listAll(fabric)).toMatchObject([{ snapshot_id: null, previous_snapshot_id: null }]);
		await t.clock.advance(88 * DAY);
		await waitUntil("old changes are deleted", async () => (await listAll(fabric)).length === 0);
	});
});

describe("the summary", () => {
	it("counts by fabric and period, tenant and class, with days of the zone over a change of its clocks", async () => {
		const { fabric, query } = await captureAll("1", "2");
		const set = (at: string) =>
			t.pool.query("update object_changes set at = $2 where connection_id = $1", [fabric.id, at]);
		// In Paris the clocks go forward on 2026-03-29: that day has 23 hours.
		await set("2026-03-29T21:59:00Z");
		const ask = async (window: string) => {
			const { status, body, text } = await ada.api.get(`${CHANGES}summary/?saved_query=${query.id}&${window}`);
			expect(status, text).toBe(200);
			return body;
		};
		const days = await ask("since=2026-03-27T23:00:00Z&until=2026-03-30T22:00:00Z&bucket=day&tz=Europe/Paris");
		expect(days.connections).toMatchObject([{ id: fabric.id, name: fabric.name, added: 0, deleted: 0, modified: 1 }]);
		expect(
			days.connections[0].series.map(({ at, modified }: { at: string; modified: number }) => [at, modified]),
		).toEqual([
			["2026-03-27T23:00:00.000Z", 0],
			["2026-03-28T23:00:00.000Z", 1],
			["2026-03-29T22:00:00.000Z", 0],
		]);
		expect(days).toMatchObject({
			tenants: [{ name: "a", changes: 1 }],
			classes: [{ name: "fvBD", changes: 1 }],
			users: [],
			totals: { changes: 1, users: 0, tenants: 1, classes: 1 },
		});
		await set("2026-10-24T23:30:00Z");
		const hours = await ask("since=2026-10-24T22:00:00Z&until=2026-10-25T23:00:00Z&bucket=hour&tz=Europe/Paris");
		expect(hours.connections[0].series).toHaveLength(25);
		expect(hours.connections[0].series[1]).toMatchObject({ at: "2026-10-24T23:00:00.000Z", modified: 1 });
	});

	it("refuses more than a thousand periods, and unknown zones", async () => {
		const { status, body } = await ada.api.get(`${CHANGES}summary/?since=2020-01-01T00:00:00Z`);
		expect([status, Object.keys(body)]).toEqual([400, ["since"]]);
		expect((await ada.api.get(`${CHANGES}summary/?tz=Mars/Olympus`)).status).toBe(400);
	});
});
