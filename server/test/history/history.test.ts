/**
 * Histories through the API: heatmap, timeline, dns, retention; and random ones against a model
 * that keeps plain documents.
 */
import { compareAnswer, timelineAnswer } from "@weft/contracts";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildApp } from "../../src/app.ts";
import { createFakeClock } from "../support/fake-clock.ts";
import { startTestApp, TEST_PASSWORD, type TestApp, type TestUser, waitUntil } from "../support/harness.ts";
import { auditEntries } from "../support/rights.ts";

const TM = "/api/time-machine/";
let t: TestApp;
let ada: TestUser;
let bob: TestUser;
beforeAll(async () => {
	t = await startTestApp();
	[ada, bob] = await Promise.all([t.user("ada"), t.user("bob")]);
});
afterAll(() => t.close());

let serial = 0;
async function createQuery(user = ada, fields: object = {}): Promise<string> {
	const made = await user.api.post("/api/queries/saved-queries/", {
		name: `query ${++serial}`,
		flow_data: { nodes: [], edges: [] },
		enable_time_machine: true,
		...fields,
	});
	return made.body.id;
}
type Attributes = Record<string, unknown>;
const createBridgeDomain = (dn: string, more: Attributes = {}) => ({ fvBD: { attributes: { dn, ...more } } });

async function captureRows(saved_query_id: string, rows: unknown[], user = ada, more: object = {}): Promise<string> {
	const { body } = await user.api.post(`${TM}capture/`, { saved_query_id, result_data: { imdata: rows }, ...more });
	expect(body).toHaveProperty("snapshot_id");
	return body.snapshot_id;
}
const getTimeMachine = (path: string, user = ada) => user.api.get(`${TM}${path}`);
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

	it.each(["?year=2026", "?saved_query_id=7", "?year=99999&saved_query_id=01890000-0000-7000-8000-000000000000"])(
		"refuses %s",
		async (search) => {
			expect((await getTimeMachine(`heatmap/${search}`)).status).toBe(400);
		},
	);
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
		const [dan, eve] = [await own.user("dan"), await own.user("eve")];
		await eve.api.put(`${TM}settings/`, { auto_cleanup_enabled: false });
		const [his, hers] = [await createQuery(dan), await createQuery(eve)];
		for (const [id, user] of [
			[his, dan],
			[hers, eve],
		] as const)
			await captureRows(id, [createBridgeDomain("x")], user);
		await own.pool.query("update snapshots set executed_at = executed_at - interval '91 days'");
		await captureRows(his, [createBridgeDomain("y")], dan);
		const count = async (id: string, user: TestUser) =>
			(await getTimeMachine(`snapshots/?saved_query_id=${id}`, user)).body.total_count;
		await clock.advance(2 * 60_000);
		await waitUntil("the daily cleanup has run", async () => (await count(his, dan)) === 1);
		expect(await count(hers, eve)).toBe(1);
		const entries = await auditEntries(own, { action: "snapshot_cleanup" });
		expect(entries).toMatchObject([{ username: "dan", category: "time_machine" }]);
		await own.close();
	});
});

/** What the service must answer, from plain documents. */
interface Kept {
	id: string;
	at: string;
	objects: Map<string, Attributes>;
	text: string;
}

function naiveChanges(from: Kept, to: Kept) {
	const same = (dn: string) =>
		JSON.stringify(sortAttributes(from.objects.get(dn))) === JSON.stringify(sortAttributes(to.objects.get(dn)));
	const only = (left: Kept, right: Kept) => [...left.objects.keys()].filter((dn) => !right.objects.has(dn)).sort();
	return {
		added: only(to, from),
		deleted: only(from, to),
		modified: [...from.objects.keys()].filter((dn) => to.objects.has(dn) && !same(dn)).sort(),
	};
}
const sortAttributes = (attributes: Attributes = {}) => Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : 1));

const value = fc.oneof(fc.nat({ max: 2 }), fc.constantFrom("", "é", "\u2028", null, "x".repeat(3000)));
const objects = fc.uniqueArray(
	fc.record({ dn: fc.constantFrom("a", "b", "c/[d]", "ü", "😀", "z\n"), v: value, w: fc.nat({ max: 1 }) }),
	{ selector: ({ dn }) => dn, maxLength: 6 },
);
const step = fc.oneof(
	{ weight: 5, arbitrary: objects.map((rows) => ({ rows })) },
	{ weight: 1, arbitrary: fc.nat({ max: 20 }).map((annotate) => ({ annotate })) },
	{ weight: 1, arbitrary: fc.integer({ min: 1, max: 6 }).map((keep) => ({ keep })) },
	{ weight: 1, arbitrary: fc.constant({ restart: true as const }) },
);

it("random histories: every read equals that of plain documents", async () => {
	const fay = await t.user("fay");
	await fay.api.put(`${TM}settings/`, { store_duplicates: true });
	await fc.assert(
		fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), async (steps) => {
			const id = await createQuery(fay);
			let all: Kept[] = [];
			const annotated = new Set<string>();
			for (const given of steps) {
				await t.clock.advance(1000);
				if ("rows" in given) {
					const rows = given.rows.map(({ dn, ...more }) => createBridgeDomain(dn, more));
					const text = JSON.stringify({ imdata: rows });
					const snapshot = await captureRows(id, rows, fay);
					const named = new Map(given.rows.map((attributes) => [attributes.dn, attributes as Attributes]));
					all.push({ id: snapshot, at: new Date(t.clock.now()).toISOString(), objects: named, text });
				} else if ("annotate" in given) {
					const target = all[given.annotate % Math.max(all.length, 1)];
					if (target === undefined) continue;
					annotated.add(target.id);
					await fay.api.post(`${TM}snapshots/${target.id}/annotate/`, { label: "kept" });
				} else if ("keep" in given) {
					await fay.api.put(`${TM}settings/`, { retention_policy: "count", retention_count: given.keep });
					const left = all.filter((one, at) => at >= all.length - given.keep || annotated.has(one.id));
					const { body } = await fay.api.post(`${TM}cleanup/execute/`, { query_id: id });
					expect(body.deleted_count).toBe(all.length - left.length);
					all = left;
				} else if (all.length > 0) {
					await fay.api.post(`${TM}snapshots/${all[0]?.id}/annotate/`, { label: null });
					annotated.delete(all[0]?.id ?? "");
				}
			}
			const list = await getTimeMachine(`snapshots/?saved_query_id=${id}&limit=100`, fay);
			expect(list.body.snapshots.map((row: { id: string }) => row.id)).toEqual(all.map((one) => one.id).reverse());
			for (const one of all) {
				const { text } = await getTimeMachine(`snapshots/${one.id}/`, fay);
				expect(text.endsWith(`"result_data":${one.text}}`)).toBe(true);
			}
			for (const [at, from] of all.entries()) {
				const to = all[at % 2 === 0 ? at + 1 : 0];
				if (to === undefined) continue;
				const answer = await fay.api.post(`${TM}compare/`, { snapshot_from_id: from.id, snapshot_to_id: to.id });
				const { diff } = compareAnswer.parse(answer.body);
				const expected = naiveChanges(from, to);
				const dns = (entries: { dn: string }[]) => entries.map(({ dn }) => dn).sort();
				expect({ added: dns(diff.added), deleted: dns(diff.deleted), modified: dns(diff.modified) }).toEqual(expected);
			}
			const present = [...new Set(all.flatMap((one) => [...one.objects.keys()]))];
			const dns = (await listDns(id, "?limit=200", fay)).body.dns.map(({ dn }: { dn: string }) => dn);
			expect([...dns].sort()).toEqual([...present].sort());
			for (const dn of present.slice(0, 3)) {
				const { points } = (await getTimeline(id, dn, "&limit=100", fay)).body;
				const naive = all.map((one) => ({
					snapshot_id: one.id,
					executed_at: one.at,
					present: one.objects.has(dn),
					attributes: Object.fromEntries(Object.entries(one.objects.get(dn) ?? {}).filter(([, own]) => own !== null)),
				}));
				expect(points).toEqual(naive);
			}
			const stored = await t.pool.query(
				`select (select count(*) from snapshot_segments g where not exists (select 1 from snapshot_manifests m where m.segment_id = g.id))::int as empty,
					(select count(*) from snapshot_packs p where not exists (select 1 from snapshot_manifests m where m.segment_id = p.segment_id))::int as lost`,
			);
			expect(stored.rows).toEqual([{ empty: 0, lost: 0 }]);
		}),
		{ numRuns: 12 },
	);
}, 120_000);

it("answers on every node what any of them has captured and deleted by then", async () => {
	const hal = await t.user("hal");
	await hal.api.put(`${TM}settings/`, { retention_policy: "count", retention_count: 4 });
	const id = await createQuery(hal);
	const other = await buildApp(t.deps);
	const login = { username: "hal", password: TEST_PASSWORD };
	const { access } = (await t.anonymous.post("/api/auth/login/", login)).body;
	const there = async (path: string, payload?: object) => {
		const headers = { authorization: `Bearer ${access}` };
		const method = payload === undefined ? "GET" : "POST";
		return (await other.server.inject({ method, url: TM + path, headers, ...(payload && { payload }) })).json();
	};
	const here = async (path: string, payload?: object) =>
		(payload === undefined ? await getTimeMachine(path, hal) : await hal.api.post(TM + path, payload)).body;
	let all: { id: string; v: number }[] = [];
	for (let v = 0; v < 12; v++) {
		const [near, far] = v % 2 === 0 ? [here, there] : [there, here];
		await t.clock.advance(1000);
		const rows = [
			createBridgeDomain("a", { v }),
			createBridgeDomain("b", { v: v % 3 }),
			createBridgeDomain(`only in ${v}`),
		];
		const body = { saved_query_id: id, result_data: { imdata: rows } };
		all.push({ id: (await near("capture/", body)).snapshot_id, v });
		if (v % 3 === 2) {
			await near("cleanup/execute/", {});
			all = all.slice(-4);
		}
		for (const read of [far, near]) {
			const { points } = await read(`timeline/?saved_query_id=${id}&dn=a`);
			expect(points.map((point: { attributes: Attributes }) => point.attributes.v)).toEqual(all.map((one) => one.v));
			const { dns } = await read(`saved-queries/${id}/dns/?q=only`);
			const named = all.map((one) => `only in ${one.v}`).sort();
			expect(dns.map(({ dn }: { dn: string }) => dn)).toEqual(named);
			const [first, last] = [all[0], all.at(-1)];
			if (first === undefined || last === undefined || first === last) continue;
			const sides = { snapshot_from_id: first.id, snapshot_to_id: last.id };
			const { added, deleted, modified } = (await read("compare/", sides)).diff;
			expect(added.map(({ dn }: { dn: string }) => dn)).toEqual([`only in ${last.v}`]);
			expect(deleted.map(({ dn }: { dn: string }) => dn)).toEqual([`only in ${first.v}`]);
			expect(modified[0].attribute_changes[0]).toMatchObject({ key: "v", old: first.v, new: last.v });
		}
	}
	await other.close();
}, 60_000);

it("deletes while others capture and read, and nothing is disturbed", async () => {
	const gus = await t.user("gus");
	await gus.api.put(`${TM}settings/`, { retention_policy: "count", retention_count: 3 });
	const id = await createQuery(gus);
	const rows = (i: number) =>
		Array.from({ length: 300 }, (_, at) => createBridgeDomain(`d${at}`, { v: at % 10 === i % 10 ? i : 0 }));
	const lanes = [0, 1].map(async (lane) => {
		for (let i = 0; i < 8; i++) await captureRows(id, rows(lane * 100 + i), gus);
	});
	let done = false;
	const cleaning = (async () => {
		while (!done) expect((await gus.api.post(`${TM}cleanup/execute/`)).status).toBe(200);
	})();
	await Promise.all(lanes);
	done = true;
	await cleaning;
	await gus.api.post(`${TM}cleanup/execute/`);
	const { snapshots, total_count } = (await getTimeMachine(`snapshots/?saved_query_id=${id}`, gus)).body;
	expect(total_count).toBe(3);
	for (const { id: one, result_count } of snapshots) {
		const { status, body } = await getTimeMachine(`snapshots/${one}/`, gus);
		expect([status, body.result_data.imdata.length, result_count]).toEqual([200, 300, 300]);
	}
}, 60_000);

it("deletes and captures also while other processes change the history all the time", async () => {
	const otto = await t.user("otto");
	await otto.api.put(`${TM}settings/`, { retention_policy: "count", retention_count: 2 });
	const id = await createQuery(otto);
	for (let i = 0; i < 5; i++) await captureRows(id, [createBridgeDomain("d", { v: i })], otto);
	let done = false;
	const changing = [0, 1, 2].map(async () => {
		while (!done) {
			await t.pool.query(
				"update snapshot_histories set revision = revision + 1 where saved_query_id = $1 and reserved_by is null",
				[id],
			);
		}
	});
	try {
		const cleaned = await otto.api.post(`${TM}cleanup/execute/`, { query_id: id });
		expect([cleaned.status, cleaned.body.deleted_count], cleaned.text).toEqual([200, 3]);
		await captureRows(id, [createBridgeDomain("d", { v: "last" })], otto);
	} finally {
		done = true;
		await Promise.all(changing);
	}
	const { body } = await getTimeMachine(`snapshots/?saved_query_id=${id}`, otto);
	expect(body.total_count).toBe(3);
	for (const { id: one } of body.snapshots) expect((await getTimeMachine(`snapshots/${one}/`, otto)).status).toBe(200);
});
