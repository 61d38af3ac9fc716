/**
 * Histories that change while others read: random ones against plain documents, several nodes,
 * and clean-ups meanwhile.
 */
import { compareAnswer } from "@weft/contracts";
import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { buildApp } from "../../src/app.ts";
import { TEST_PASSWORD, type TestApp, type TestUser } from "../support/harness.ts";
import { TM, useHistories } from "../support/time-machine.ts";

const histories = useHistories();
const { createQuery, captureRows, getTimeMachine } = histories;
let t: TestApp;
let ada: TestUser;
beforeAll(() => {
	({ t, ada } = histories);
});

type Attributes = Record<string, unknown>;
const createBridgeDomain = (dn: string, more: Attributes = {}) => ({ fvBD: { attributes: { dn, ...more } } });
const getTimeline = (id: string, dn: string, more = "", user = ada) =>
	getTimeMachine(`timeline/?saved_query_id=${id}&dn=${encodeURIComponent(dn)}${more}`, user);
const listDns = (id: string, search = "", user = ada) => getTimeMachine(`saved-queries/${id}/dns/${search}`, user);

interface Kept {
	id: string;
	at: string;
	objects: Map<string, Attributes>;
	text: string;
}

function computeNaiveChanges(from: Kept, to: Kept) {
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

it("answers every read of random histories as plain documents have them", async () => {
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
				const expected = computeNaiveChanges(from, to);
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
				`select (select count(*) from snapshot_segments g
						where not exists (select 1 from snapshot_manifests m where m.segment_id = g.id))::int as empty,
					(select count(*) from snapshot_packs p
						where not exists (select 1 from snapshot_manifests m where m.segment_id = p.segment_id))::int as lost`,
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
