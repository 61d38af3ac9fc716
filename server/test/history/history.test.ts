/** Histories through the API: heatmap, timeline, dns, retention. */
import { timelineAnswer } from "@weft/contracts";
import { beforeAll, describe, expect, it } from "vitest";
import { createFakeClock } from "../support/fake-clock.ts";
import { startTestApp, type TestApp, type TestUser, waitUntil } from "../support/harness.ts";
import { auditEntries } from "../support/rights.ts";
import { TM, useHistories } from "../support/time-machine.ts";

const histories = useHistories();
const { createQuery, captureRows, getTimeMachine } = histories;
let t: TestApp;
let ada: TestUser;
let bob: TestUser;
beforeAll(() => {
	({ t, ada, bob } = histories);
});

type Attributes = Record<string, unknown>;
const createBridgeDomain = (dn: string, more: Attributes = {}) => ({ fvBD: { attributes: { dn, ...more } } });
const getTimeline = (id: string, dn: string, more = "", user = ada) =>
	getTimeMachine(`timeline/?saved_query_id=${id}&dn=${encodeURIComponent(dn)}${more}`, user);
const listDns = (id: string, search = "", user = ada) => getTimeMachine(`saved-queries/${id}/dns/${search}`, user);

describe("heatmap", () => {
	it("has every day of the year in the asked zone, and no other", async () => {
		const id = await createQuery();
		await captureRows(id, [createBridgeDomain("a")]);
		await t.clock.advance(13.5 * 3_600_000);
		await captureRows(id, [createBridgeDomain("b")]);
		const at = new Date(t.clock.now());
		const day = at.toISOString().slice(0, 10);
		const before = new Date(at.getTime() - 13.5 * 3_600_000).toISOString().slice(0, 10);
		const { body } = await getTimeMachine(`heatmap/?saved_query_id=${id}`);
		expect(body.year).toBe(at.getUTCFullYear());
		expect(Object.keys(body.data)).toHaveLength(365);
		const total = Object.values(body.data as Record<string, { count: number }>).reduce(
			(sum, { count }) => sum + count,
			0,
		);
		expect(total).toBe(2);
		expect(body.data[before]).toMatchObject(before === day ? { count: 2 } : { count: 1, has_changes: false });
		expect(body.data[day]).toMatchObject({ has_changes: true });
		const far = await getTimeMachine(`heatmap/?saved_query_id=${id}&timezone=Asia/Tokyo&year=2024`);
		expect(Object.keys(far.body.data)).toHaveLength(366);
		expect(Object.keys(far.body.data)[59]).toBe("2024-02-29");
	});

	it("has the size of each day's changes, without those that the drift rules leave out", async () => {
		const id = await createQuery(ada, { drift_rules: { ignore: ["modTs"] } });
		await captureRows(id, [createBridgeDomain("a"), createBridgeDomain("b")]);
		await captureRows(id, [createBridgeDomain("a", { mtu: "1" }), createBridgeDomain("c")]);
		await captureRows(id, [createBridgeDomain("a", { mtu: "1", modTs: "2" }), createBridgeDomain("c")]);
		const day = new Date(t.clock.now()).toISOString().slice(0, 10);
		const { body } = await getTimeMachine(`heatmap/?saved_query_id=${id}`);
		expect(body.data[day]).toEqual({ count: 3, has_changes: true, changes: 3 });
		const days = Object.values(body.data as Record<string, { count: number; changes: number }>);
		expect(days.filter(({ count }) => count === 0).every(({ changes }) => changes === 0)).toBe(true);
	});

	it("agrees with the list about which day is which, also where clocks change", async () => {
		const id = await createQuery();
		for (const rows of [["a"], ["b"], ["c"]]) {
			await captureRows(
				id,
				rows.map((dn) => createBridgeDomain(dn)),
			);
			await t.clock.advance(5 * 3_600_000);
		}
		for (const zone of ["Pacific/Kiritimati", "America/Sao_Paulo", "Etc/GMT+12"]) {
			const { body } = await getTimeMachine(`heatmap/?saved_query_id=${id}&timezone=${encodeURIComponent(zone)}`);
			for (const [day, { count }] of Object.entries(body.data as Record<string, { count: number }>)) {
				if (count === 0) continue;
				const list = await getTimeMachine(
					`snapshots/?saved_query_id=${id}&date=${day}&timezone=${encodeURIComponent(zone)}`,
				);
				expect(list.body.total_count).toBe(count);
			}
		}
	});

	it.each([
		"?year=2026",
		"?saved_query_id=7",
		"?saved_query_id=01890000-0000-7000-8000-000000000000&step=week",
		"?year=99999&saved_query_id=01890000-0000-7000-8000-000000000000",
	])("refuses %s", async (search) => {
		expect((await getTimeMachine(`heatmap/${search}`)).status).toBe(400);
	});
});

describe("timeline", () => {
	it("shows one object through the snapshots, values as they were spelt", async () => {
		const id = await createQuery();
		const first = await captureRows(id, [
			createBridgeDomain("x", { v: "1", n: null, same: "s" }),
			createBridgeDomain("y"),
		]);
		await t.clock.advance(1000);
		await captureRows(id, [createBridgeDomain("y")]);
		await t.clock.advance(1000);
		const raw = `{"saved_query_id":"${id}","result_data":[{"fvBD":{"attributes":{"dn":"x","v":12345678901234567890,"same":"s","more":1.0}}}]}`;
		await ada.api.send("POST", `${TM}capture/`, raw, { "content-type": "application/json" });
		const { body, text } = await getTimeline(id, "x");
		expect(timelineAnswer.parse(body)).toMatchObject({ dn: "x", saved_query_id: id, snapshot_count: 3 });
		expect(body.points.map(({ present }: { present: boolean }) => present)).toEqual([true, false, true]);
		expect(body.points[0]).toMatchObject({ snapshot_id: first, attributes: { dn: "x", v: "1", same: "s" } });
		expect(body.points[0].attributes).not.toHaveProperty("n");
		expect(body.points[1].attributes).toEqual({});
		expect(text).toContain('"v":12345678901234567890');
		expect(text).toContain('"more":1.0');
		expect(body.tracked_attributes).toEqual(["dn", "more", "same", "v"]);
		const shown = body.attribute_evolution.map((entry: Attributes) => [
			entry.attribute,
			entry.change_count,
			entry.is_stable,
		]);
		expect(shown).toEqual([
			["more", 1, false],
			["v", 1, false],
			["dn", 0, true],
			["same", 0, true],
		]);
		expect(body.attribute_evolution[1]).toMatchObject({
			distinct_values: 2,
			values: [{ changed: false }, { changed: true }],
		});
	});

	it("takes the latest, and those between two times, both inclusive", async () => {
		const id = await createQuery();
		const times: string[] = [];
		for (let i = 0; i < 5; i++) {
			await t.clock.advance(60_000);
			times.push(new Date(t.clock.now()).toISOString());
			await captureRows(id, [createBridgeDomain("x", { i })]);
		}
		const seen = async (more: string) =>
			(await getTimeline(id, "x", more)).body.points.map((point: { attributes: Attributes }) => point.attributes.i);
		expect(await seen("")).toEqual([0, 1, 2, 3, 4]);
		expect(await seen("&limit=2")).toEqual([3, 4]);
		expect(await seen(`&from_date=${times[1]}&to_date=${times[3]}`)).toEqual([1, 2, 3]);
		expect(await seen(`&to_date=${times[3]}&limit=1`)).toEqual([3]);
		expect((await getTimeline(id, "nobody")).body).toMatchObject({ snapshot_count: 5, tracked_attributes: [] });
		for (const more of ["&limit=0", "&from_date=yesterday", "&dn="])
			expect((await getTimeline(id, "x", more)).status).toBe(400);
		expect((await getTimeline(id, "x", "", bob)).status).toBe(404);
	});
});

describe("dns", () => {
	it("finds parts of dns, whatever their case, and the latest class", async () => {
		const id = await createQuery();
		await captureRows(id, [
			createBridgeDomain("uni/tn-Ä/BD-1"),
			createBridgeDomain("uni/tn-b/BD-2"),
			{ fvTenant: { attributes: { dn: "uni/tn-b" } } },
		]);
		await captureRows(id, [createBridgeDomain("uni/tn-b"), createBridgeDomain("only-later")], ada, {
			controller_connection_name: "other",
		});
		const { body } = await listDns(id);
		expect(body).toEqual({
			dns: [
				{ dn: "only-later", className: "fvBD" },
				{ dn: "uni/tn-b", className: "fvBD" },
				{ dn: "uni/tn-b/BD-2", className: "fvBD" },
				{ dn: "uni/tn-Ä/BD-1", className: "fvBD" },
			],
			count: 4,
		});
		expect((await listDns(id, "?q=bd-&limit=1")).body.dns.map(({ dn }: { dn: string }) => dn)).toEqual([
			"uni/tn-b/BD-2",
		]);
		expect((await listDns(id, `?q=${encodeURIComponent("TN-ä")}`)).body.count).toBe(1);
		expect((await listDns(id, "?q=%25")).body).toEqual({ dns: [], count: 0 });
		expect((await listDns(id, "", bob)).status).toBe(404);
	});
});

describe("cleanup", () => {
	it("deletes what the caller's settings no longer keep, and nobody else's", async () => {
		const cid = await t.user("cid");
		await cid.api.put(`${TM}settings/`, { retention_policy: "count", retention_count: 2 });
		const id = await createQuery(cid, { is_public: true });
		const ids: string[] = [];
		for (let i = 0; i < 5; i++)
			ids.push(await captureRows(id, [createBridgeDomain("x", { i }), createBridgeDomain(`only-${i}`)], cid));
		await cid.api.post(`${TM}snapshots/${ids[1]}/annotate/`, { annotation: "before the move" });
		const other = await captureRows(await createQuery(ada), [createBridgeDomain("x")]);
		const preview = await cid.api.post(`${TM}cleanup/preview/`, {});
		expect(preview.body).toMatchObject({ count: 2, has_more: false });
		expect(preview.body.snapshots.map((row: { id: string }) => row.id)).toEqual([ids[0], ids[2]]);
		expect((await bob.api.post(`${TM}cleanup/preview/`)).body.count).toBe(0);
		const done = await cid.api.post(`${TM}cleanup/execute/`, { query_id: id });
		expect(done.body).toEqual({ message: "Deleted 2 snapshots.", deleted_count: 2 });
		expect((await cid.api.post(`${TM}cleanup/execute/`)).body.deleted_count).toBe(0);
		const audited = await auditEntries(t, { action: "snapshot_cleanup", username: "cid" });
		expect(audited.map(({ metadata }) => metadata.deleted_count)).toEqual([2, 0]);
		expect(
			(await getTimeMachine(`snapshots/?saved_query_id=${id}`, cid)).body.snapshots.map(
				(row: { id: string }) => row.id,
			),
		).toEqual([ids[4], ids[3], ids[1]]);
		for (const [at, i] of [1, 3, 4].entries()) {
			const { body } = await getTimeMachine(`snapshots/${ids[i]}/`, cid);
			expect(body.result_data).toEqual({ imdata: [createBridgeDomain("x", { i }), createBridgeDomain(`only-${i}`)] });
			expect((await getTimeline(id, "x", "", cid)).body.points[at].attributes.i).toBe(i);
		}
		const names = (await listDns(id, "", cid)).body.dns.map(({ dn }: { dn: string }) => dn);
		expect(names).toEqual(["only-1", "only-3", "only-4", "x"]);
		expect((await getTimeMachine(`snapshots/${other}/`)).status).toBe(200);
		expect((await cid.api.post(`${TM}cleanup/execute/`, { include_annotated: true })).body.deleted_count).toBe(1);
	});

	it("previews rules that are not saved, and deletes by the saved ones", async () => {
		const gil = await t.user("gil");
		const id = await createQuery(gil);
		for (let i = 0; i < 3; i++) await captureRows(id, [createBridgeDomain("x", { i })], gil);
		const preview = async (body: object) => (await gil.api.post(`${TM}cleanup/preview/`, body)).body.count;
		expect(await preview({})).toBe(0);
		expect(await preview({ retention_policy: "count", retention_count: 1 })).toBe(2);
		// Of the saved rules: 90 days, and 100 snapshots.
		expect(await preview({ retention_policy: "count" })).toBe(0);
		expect(await preview({ retention_count: 1 })).toBe(0);
		await gil.api.put(`${TM}settings/`, { retention_policy: "count", retention_count: 2 });
		expect(await preview({})).toBe(1);
		expect(await preview({ retention_policy: "unlimited" })).toBe(0);
		const wrong = await gil.api.post(`${TM}cleanup/preview/`, { retention_count: 0 });
		expect(wrong.status).toBe(400);
		expect(wrong.body).toHaveProperty("retention_count");
		const done = await gil.api.post(`${TM}cleanup/execute/`, {});
		expect(done.body.deleted_count).toBe(1);
	});

	it("is for one's own queries only", async () => {
		const shared = await createQuery(ada, { is_public: true });
		const answer = await bob.api.post(`${TM}cleanup/preview/`, { query_id: shared });
		expect([403, 404]).toContain(answer.status);
		expect((await bob.api.post(`${TM}cleanup/execute/`, { query_id: await createQuery(ada) })).status).toBe(404);
		expect((await bob.api.post(`${TM}cleanup/execute/`, { query_id: "x" })).status).toBe(400);
	});

	it("runs every day at half past three, for who lets it", async () => {
		// One minute before, in the server's zone.
		const clock = createFakeClock(new Date(2026, 0, 15, 3, 29).getTime());
		const own = await startTestApp({ work: true, deps: { clock } });
		const [ann, dan, eve] = [await own.user("ann"), await own.user("dan"), await own.user("eve")];
		await eve.api.put(`${TM}settings/`, { auto_cleanup_enabled: false });
		const [damaged, his, hers] = [await createQuery(ann), await createQuery(dan), await createQuery(eve)];
		for (const [id, user] of [
			[damaged, ann],
			[his, dan],
			[hers, eve],
		] as const)
			await captureRows(id, [createBridgeDomain("x")], user);
		await own.pool.query("update snapshots set executed_at = executed_at - interval '91 days'");
		await captureRows(his, [createBridgeDomain("y")], dan);
		// One user's snapshots cannot be deleted, which must not keep those of the others.
		await own.pool.query(`
			create function refuse_cleanup() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
			create trigger refuse_cleanup before delete on snapshots for each row when (old.executed_by_id = ${ann.id})
				execute function refuse_cleanup()`);
		const count = async (id: string, user: TestUser) =>
			(await getTimeMachine(`snapshots/?saved_query_id=${id}`, user)).body.total_count;
		await clock.advance(2 * 60_000);
		await waitUntil("the daily cleanup has run", async () => (await count(his, dan)) === 1);
		expect([await count(hers, eve), await count(damaged, ann)]).toEqual([1, 1]);
		const entries = await auditEntries(own, { action: "snapshot_cleanup" });
		expect(entries).toMatchObject([{ username: "dan", category: "time_machine" }]);
		await own.close();
	});
});
