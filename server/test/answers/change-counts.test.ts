/** Counts of whole days: every number is the same with and without them. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { countPastDays } from "../../src/areas/answers/changes/jobs.ts";
import { CHANGES, createFeed } from "../support/changes.ts";
import { startTestApp, type TestApp, type TestUser } from "../support/harness.ts";

let t: TestApp;
let ada: TestUser;
let bob: TestUser;
let queries: string[];
let fabrics: string[];
const feed = createFeed(() => t);
const DAY_MS = 24 * 3_600_000;
beforeAll(async () => {
	t = await startTestApp();
	[ada, bob] = [await t.user("ada", ["Editor"]), await t.user("bob", ["Editor"])];
	fabrics = [(await feed.addConnection(ada, { is_public: true })).id, (await feed.addConnection(ada)).id];
	queries = [
		(await feed.addQuery(ada, { is_public: true })).id,
		(await feed.addQuery(ada)).id,
		(await feed.addQuery(bob, { is_public: true })).id,
	];
	await insertGroups(400);
});
afterAll(() => t.close());

/** Groups of one to three rows in the last twelve days. */
async function insertGroups(count: number): Promise<void> {
	for (let n = 0; n < count; n++) {
		const size = n % 4 === 0 ? 3 : n % 3 === 0 ? 2 : 1;
		const group = `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
		for (let i = 0; i < size; i++)
			await t.pool.query(
				`insert into object_changes (group_id, is_lead, is_shared, at, since, connection_id, saved_query_id, snapshot_id,
					previous_snapshot_id, dn, class_name, tenant, change, severity, attributes, attributes_omitted, users)
				values ($1, $2, $3, $4, $4, $5, $6, gen_random_uuid(), gen_random_uuid(), $7, $8, $9, $10, $11, '[]', 0, $12)`,
				[
					group,
					i === 0,
					size > 1,
					new Date(t.clock.now() - ((n * 7919) % (12 * 24 * 60)) * 60_000 + i * 5 * 3_600_000),
					fabrics[n % 2],
					queries[(n + i) % 3],
					`uni/tn-t${n % 5}/BD-${n}`,
					n % 7 === 0 ? null : ["fvBD", "fvCtx"][n % 2],
					n % 5 === 0 ? null : `t${n % 5}`,
					["added", "deleted", "modified"][n % 3],
					(n + i) % 3,
					(n + i) % 4 === 0 ? [] : [`p${(n + i) % 3}`, "all"].slice(0, 1 + (n % 2)),
				],
			);
	}
}

const FILTERS = [
	"",
	"user=p1",
	"user=all",
	"severity=critical",
	"severity=info",
	"change=added",
	"class=fvBD",
	"tenant=t3",
];

/** Counts and summaries of a viewer, by window and filter. */
async function readNumbers(user: TestUser): Promise<Record<string, unknown>> {
	const numbers: Record<string, unknown> = {};
	const formatAgo = (days: number) => new Date(t.clock.now() - days * DAY_MS).toISOString();
	const windows = [`since=${formatAgo(13)}`, `since=${formatAgo(9.3)}&until=${formatAgo(2.6)}`];
	for (const window of windows)
		for (const filter of [...FILTERS, ...queries.map((id) => `saved_query=${id}`), `connection=${fabrics[0]}`]) {
			const list = await user.api.get(`${CHANGES}?${window}&${filter}`);
			expect(list.status, list.text).toBe(200);
			const summary = await user.api.get(`${CHANGES}summary/?bucket=day&${window}&${filter}`);
			const shifted = await user.api.get(`${CHANGES}summary/?bucket=day&tz=Asia/Tokyo&${window}&${filter}`);
			numbers[`${window} ${filter}`] = [list.body.count, summary.body, shifted.body];
			expect(summary.body.totals.changes, filter).toBe(list.body.count);
		}
	return numbers;
}

const readAll = async () => [await readNumbers(ada), await readNumbers(bob), await readNumbers(t.admin)];
const countDays = async () => {
	for (let round = 0; round < 3; round++) await countPastDays(t.app.context, new AbortController().signal);
	const { rows } = await t.pool.query("select count(*)::integer as days from change_days where is_current");
	return rows[0].days;
};

describe("counts of whole days", () => {
	it("shows every viewer the numbers that the rows give, with each filter", async () => {
		const before = await readAll();
		expect(await countDays()).toBeGreaterThanOrEqual(10);
		expect(await readAll()).toEqual(before);
	});

	it("takes counts back after a write to a row of the day, and by a deleted query", async () => {
		const days = await countDays();
		await t.pool.query("update object_changes set users = '{eve}' where users @> '{p1}' and not is_shared");
		await t.pool.query("delete from object_changes where dn like '%4' and is_lead and is_shared");
		await ada.api.del(`/api/queries/saved-queries/${queries[0]}/`);
		const { rows } = await t.pool.query("select count(*)::integer as days from change_days where is_current");
		expect(rows[0].days).toBeLessThan(days);
		await t.pool.query("update change_days set is_current = false");
		const before = await readAll();
		await countDays();
		expect(await readAll()).toEqual(before);
		expect((await ada.api.get(`${CHANGES}?since=2020-01-01T00:00:00Z&user=eve`)).body.count).toBeGreaterThan(0);
	});

	it("stays right when a query is deleted after the day was counted", async () => {
		await countDays();
		await t.admin.api.del(`/api/queries/saved-queries/${queries[1]}/`);
		const counted = await readAll();
		await t.pool.query("update change_days set is_current = false");
		expect(counted).toEqual(await readAll());
	});
});
