/** Numbers of snapshots over time, through the API. */
import { seriesAnswer } from "@weft/contracts";
import * as fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { type TestApp, type TestUser, waitUntil } from "../support/harness.ts";
import { TM, useHistories } from "../support/time-machine.ts";

const histories = useHistories({ work: true });
const { createQuery, captureRows, getTimeMachine } = histories;
let t: TestApp;
let ada: TestUser;
let bob: TestUser;
beforeAll(() => {
	({ t, ada, bob } = histories);
});

const HOUR_MS = 3_600_000;
const createBridgeDomain = (name: string, more: Record<string, unknown> = {}) => ({
	fvBD: { attributes: { dn: `uni/tn-a/BD-${name}`, name, ...more } },
});

/** Captures rows and lets an hour pass. Returns the snapshot's id and time. */
async function captureHour(id: string, rows: unknown[], hours = 1) {
	const at = new Date(t.clock.now()).toISOString();
	const snapshot = await captureRows(id, rows);
	await t.clock.advance(hours * HOUR_MS);
	return { id: snapshot, at };
}

async function readSeries(id: string, more = "", user = ada) {
	const { status, body } = await getTimeMachine(`series/?saved_query_id=${id}${more}`, user);
	expect({ status, body }).toMatchObject({ status: 200 });
	return seriesAnswer.parse(body);
}

const getNumbers = (answer: Awaited<ReturnType<typeof readSeries>>) =>
	Object.fromEntries(answer.groups.map(({ key, points }) => [key ?? "", points.map(([, number]) => number)]));

describe("a series", () => {
	it("counts the rows of each snapshot at its time, also of snapshots that come later", async () => {
		const id = await createQuery();
		const first = await captureHour(id, [createBridgeDomain("a"), createBridgeDomain("b")]);
		const second = await captureHour(id, [createBridgeDomain("a")]);
		expect(await readSeries(id)).toEqual({
			controller_connection: null,
			groups: [
				{
					key: null,
					points: [
						[first.at, 2],
						[second.at, 1],
					],
				},
			],
			total_groups: 1,
			snapshots: 2,
			missing: 0,
			missing_reason: null,
			computing: false,
			pending: 0,
			left_out: 0,
		});
		await captureHour(id, []);
		expect(getNumbers(await readSeries(id))).toEqual({ "": [2, 1, 0] });
	});

	it("computes values by group, and says how many values are no numbers", async () => {
		const id = await createQuery();
		await captureHour(id, [
			createBridgeDomain("a", { mtu: "1500", vrf: "x" }),
			createBridgeDomain("b", { mtu: "9000", vrf: "x" }),
		]);
		await captureHour(id, [
			createBridgeDomain("a", { mtu: "1500", vrf: "x" }),
			createBridgeDomain("b", { mtu: "inherit", vrf: "x" }),
			createBridgeDomain("c", { mtu: "12345678901234567890", vrf: "y" }),
		]);
		const read = (value: string) => readSeries(id, `&value=${value}&field=fvBD.mtu&group_by=fvBD.vrf`);
		expect(getNumbers(await read("sum"))).toEqual({ y: [12345678901234567890n].map(Number), x: [10500, 1500] });
		expect(getNumbers(await read("avg"))).toMatchObject({ x: [5250, 1500] });
		expect(getNumbers(await read("min"))).toMatchObject({ x: [1500, 1500] });
		expect(getNumbers(await read("max"))).toMatchObject({ x: [9000, 1500] });
		expect(getNumbers(await read("distinct"))).toEqual({ x: [2, 2], y: [0, 1] });
		expect(getNumbers(await read("count"))).toEqual({ x: [2, 2], y: [0, 1] });
		expect((await read("sum")).left_out).toBe(1);
		const { text } = await getTimeMachine(`series/?saved_query_id=${id}&value=max&field=mtu`);
		expect(text).toContain(",12345678901234567890]");
		const largest = await readSeries(id, "&group_by=fvBD.vrf&groups=1");
		expect([getNumbers(largest), largest.total_groups]).toEqual([{ x: [2, 2] }, 2]);
		expect(getNumbers(await readSeries(id, "&value=sum&field=fvTenant.mtu"))).toEqual({});
	});

	it("takes the last snapshot of each hour or day of a time zone, and counts those without one", async () => {
		const id = await createQuery();
		const start = Math.ceil(t.clock.now() / (24 * HOUR_MS)) * 24 * HOUR_MS;
		await t.clock.advance(start - t.clock.now() + HOUR_MS / 4);
		await captureHour(id, [createBridgeDomain("a")], 0.5);
		await captureHour(id, [createBridgeDomain("a"), createBridgeDomain("b")], 23.5);
		await captureHour(id, [createBridgeDomain("a")], 48);
		await captureHour(id, [createBridgeDomain("b"), createBridgeDomain("a"), createBridgeDomain("c")]);
		const day = (days: number, hours = 0) => new Date(start + (days * 24 + hours) * HOUR_MS).toISOString();
		const days = await readSeries(id, "&step=day");
		expect(days).toMatchObject({ snapshots: 4, missing: 1 });
		expect(days.groups[0]?.points).toEqual([
			[day(0), 2],
			[day(1), 1],
			[day(3), 3],
		]);
		const hours = await readSeries(id, `&step=hour&to=${day(1)}`);
		expect(hours).toMatchObject({ snapshots: 2, missing: 23 });
		expect(hours.groups[0]?.points).toEqual([[day(0), 2]]);
		const tokyo = await readSeries(id, "&step=day&timezone=Asia/Tokyo");
		expect(tokyo.groups[0]?.points[0]).toEqual([day(-1, 15), 2]);
		const until = await readSeries(id, `&step=day&from=${day(-2)}&to=${day(60)}`);
		expect(until).toMatchObject({ missing: 3 });
	});

	it("forgets the numbers of a snapshot with the snapshot", async () => {
		const id = await createQuery();
		for (const names of [["a"], ["a", "b"], ["a", "b", "c"]])
			await captureHour(
				id,
				names.map((name) => createBridgeDomain(name)),
				24,
			);
		expect(getNumbers(await readSeries(id))).toEqual({ "": [1, 2, 3] });
		await ada.api.put(`${TM}settings/`, { retention_policy: "count", retention_count: 2 });
		const cleaned = await ada.api.post(`${TM}cleanup/execute/`, { query_id: id });
		await ada.api.put(`${TM}settings/`, { retention_policy: "days" });
		expect(cleaned.body.deleted_count).toBe(1);
		expect(getNumbers(await readSeries(id))).toEqual({ "": [2, 3] });
		const { rows } = await t.pool.query(
			`select count(*)::integer as count from snapshot_series n where not exists (
				select from snapshots s where s.id = n.snapshot_id)`,
		);
		expect(rows[0].count).toBe(0);
	});

	it("makes a series of one connection and of snapshots that the caller sees", async () => {
		const id = await createQuery(ada, { is_public: true });
		const { body } = await ada.api.post("/api/controller/connections/", {
			name: "series-hidden",
			url: "https://127.0.0.1:1",
			username: "u",
			password: "secret-of-series",
			verify_ssl: false,
		});
		await captureRows(id, [createBridgeDomain("a")], ada, {
			controller_connection_id: body.id,
			controller_connection_name: "one",
		});
		await t.clock.advance(HOUR_MS);
		await captureRows(id, [createBridgeDomain("a"), createBridgeDomain("b")], ada, {
			controller_connection_name: "two",
		});
		const [own, other] = [
			await readSeries(id, `&controller_connection_id=${body.id}`),
			await readSeries(id, `&controller_connection_id=${body.id}`, bob),
		];
		expect(own).toMatchObject({ snapshots: 1, controller_connection: { id: body.id } });
		expect(other).toMatchObject({ snapshots: 0, groups: [], controller_connection: null });
		expect(getNumbers(await readSeries(id, "", bob))).toEqual({ "": [2] });
		const hidden = await createQuery(ada, { is_public: false });
		expect((await getTimeMachine(`series/?saved_query_id=${hidden}`, bob)).status).toBe(404);
	});

	it("says that numbers are still being computed, and has them once the queue task is done", async () => {
		const id = await createQuery();
		await captureHour(id, [createBridgeDomain("a")]);
		await readSeries(id);
		await captureHour(id, [createBridgeDomain("a"), createBridgeDomain("b")]);
		const { rows } = await t.pool.query(
			`update snapshot_series_definitions d set computing_until = to_timestamp($2::float8 / 1000) from snapshot_histories h
			where h.id = d.history_id and h.saved_query_id = $1 returning d.id`,
			[id, t.clock.now() + HOUR_MS],
		);
		expect(await readSeries(id)).toMatchObject({ snapshots: 2, computing: true, pending: 1 });
		const half = await getTimeMachine(`series/?saved_query_id=${id}&export=csv`);
		expect([half.status, half.body.error ?? half.text]).toEqual([503, expect.stringContaining("still being computed")]);
		await t.deps.store.transaction((tx) =>
			t.deps.jobs.enqueue(tx, "time_machine.series", { definitionId: rows[0].id }),
		);
		await waitUntil("the numbers are computed", async () => !(await readSeries(id)).computing);
		expect(getNumbers(await readSeries(id))).toEqual({ "": [1, 2] });
	});

	it("names snapshots with too many groups, and answers the others", async () => {
		const id = await createQuery();
		await captureHour(
			id,
			Array.from({ length: 1_001 }, (_, at) => createBridgeDomain(`n${at}`)),
		);
		await captureHour(id, [createBridgeDomain("a")]);
		const answer = await readSeries(id, "&group_by=name");
		expect(answer).toMatchObject({ snapshots: 2, missing: 1, pending: 0 });
		expect(answer.missing_reason).toContain("more than 1000 groups");
		expect(getNumbers(answer)).toEqual({ a: [1] });
	});

	it("refuses a value without a field, a field that is none, and a time that ends before it begins", async () => {
		const id = await createQuery();
		const refuse = async (more: string) => {
			const { status, body } = await getTimeMachine(`series/?saved_query_id=${id}${more}`);
			expect(status).toBe(400);
			return Object.keys(body.errors ?? body);
		};
		expect(await refuse("&value=sum")).toContain("field");
		expect(await refuse("&group_by=a%20b")).toContain("group_by");
		expect(await refuse("&from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z")).toContain("to");
		expect(await refuse("&value=median&field=mtu")).toContain("value");
	});

	it("exports a series as CSV and OpenMetrics", async () => {
		const id = await createQuery(ada, { name: 'bds "of" a' });
		const { at } = await captureHour(id, [createBridgeDomain("=1+1")]);
		const csv = await getTimeMachine(`series/?saved_query_id=${id}&group_by=name&export=csv`);
		expect(csv.text).toBe(`time,name,count\r\n${at},'=1+1,1\r\n`);
		expect(csv.headers["content-disposition"]).toContain("series.csv");
		const metrics = await getTimeMachine(`series/?saved_query_id=${id}&export=openmetrics`);
		expect(metrics.headers["content-type"]).toContain("application/openmetrics-text");
		expect(metrics.text).toContain('weft_series{query="bds \\"of\\" a",');
		expect(metrics.text.endsWith("# EOF\n")).toBe(true);
	});

	it("keeps the definitions that were used last", async () => {
		const id = await createQuery();
		await captureHour(id, [createBridgeDomain("a")]);
		for (let at = 0; at < 55; at += 1) {
			await readSeries(id, `&value=distinct&field=f${at}`);
			await t.clock.advance(1_000);
		}
		const { rows } = await t.pool.query(
			`select d.field from snapshot_series_definitions d join snapshot_histories h on h.id = d.history_id
			where h.saved_query_id = $1`,
			[id],
		);
		expect(rows).toHaveLength(50);
		expect(rows.some(({ field }) => field === "f54")).toBe(true);
		expect(rows.some(({ field }) => field === "f0")).toBe(false);
	});
});

it("agrees with counts over whole texts, in random histories", async () => {
	const anyRows = fc.uniqueArray(fc.record({ name: fc.nat({ max: 30 }), vrf: fc.constantFrom("x", "y", "") }), {
		selector: ({ name }) => name,
		maxLength: 25,
	});
	await fc.assert(
		fc.asyncProperty(fc.array(anyRows, { minLength: 1, maxLength: 8 }), async (all) => {
			const id = await createQuery();
			const counted: Record<string, number>[] = [];
			for (const [at, rows] of all.entries()) {
				const objects = rows.map(({ name, vrf }) => createBridgeDomain(`b${name}`, { vrf, at: String(at) }));
				await captureHour(id, [...objects, createBridgeDomain("last", { vrf: "z", at: String(at) })]);
				const counts: Record<string, number> = { x: 0, y: 0, "": 0, z: 1 };
				for (const { vrf } of rows) counts[vrf] = (counts[vrf] ?? 0) + 1;
				counted.push(counts);
			}
			for (const [key, numbers] of Object.entries(getNumbers(await readSeries(id, "&group_by=fvBD.vrf"))))
				expect(numbers).toEqual(counted.map((counts) => counts[key]));
		}),
		{ numRuns: 10 },
	);
});
