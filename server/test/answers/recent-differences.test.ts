/** The feed and the index are the same whether a capture lists its differences or not. */
import fc from "fast-check";
import { beforeAll, expect, it, vi } from "vitest";
import { expandHistory } from "../../src/areas/answers/changes/expand-history.ts";
import { indexHistory } from "../../src/areas/answers/find/update-index.ts";
import { createObject, useObjectIndex } from "../support/object-index.ts";

const index = useObjectIndex(["recent-ada", "recent-bob"]);
const { signal } = new AbortController();
let A: string;
beforeAll(() => {
	({ A } = index);
});

const RULES = {
	ignore: ["fvBD.mtu", "uid"],
	ignore_classes: ["fvSubnet"],
	ignore_dns: ["BD-skip"],
	severity: { "fvBD.descr": "critical", fvAEPg: "info" },
};
const value = fc.constantFrom("", "1", "é", "10.0.0.1/24", "vlan-7", "\u2028");
const row = fc.record({
	kind: fc.constantFrom("fvBD", "fvAEPg", "fvSubnet"),
	name: fc.constantFrom("a", "b", "skip-1", "ü"),
	attributes: fc.record({ descr: value, mtu: value, uid: value, encap: value }, { requiredKeys: [] }),
	hasChild: fc.boolean(),
});
const snapshot = fc.uniqueArray(row, { selector: ({ name }) => name, minLength: 1, maxLength: 4 });

type Row = typeof row extends fc.Arbitrary<infer T> ? T : never;

function buildRow({ kind, name, attributes, hasChild }: Row) {
	const dn = `uni/tn-i/BD-${name}`;
	const built = createObject(kind, dn, { name, ...attributes });
	if (!hasChild) return built;
	const children = [createObject("fvRsCtx", `${dn}/rsctx`, { tDn: `uni/tn-i/ctx-${attributes.descr ?? ""}` })];
	return { [kind]: { ...built[kind], children } };
}

const getHistoryId = async (query: string): Promise<string> =>
	(await index.t.pool.query("select id from snapshot_histories where saved_query_id = $1", [query])).rows[0].id;

async function listIndexed(history: string) {
	const { rows } = await index.t.pool.query(
		`select o.dn, o.class_name, o.label, o.presence::text, o.target_dn,
			array(select t.attribute || ' ' || t.value || ' ' || t.term || coalesce(' ' || t.net::text, '')
				|| coalesce(' ' || t.vlans::text, '') from object_terms t where t.object_id = o.id order by 1) as terms
		from indexed_objects o where o.history_id = $1 order by o.dn`,
		[history],
	);
	return rows;
}

async function listFeed(query: string) {
	const { rows } = await index.t.pool.query(
		`select at, since, dn, class_name, change, severity, attributes, attributes_omitted, snapshot_id,
			previous_snapshot_id from object_changes where saved_query_id = $1 order by at, dn`,
		[query],
	);
	return rows;
}

const readAll = async (query: string, history: string) => ({
	index: await listIndexed(history),
	feed: await listFeed(query),
});

async function forgetAll(query: string, history: string): Promise<void> {
	index.t.app.context.areas.history.recentDifferences.clear();
	for (const table of ["indexed_objects", "indexed_snapshots", "object_indexes", "change_cursors"])
		await index.t.pool.query(`delete from ${table} where history_id = $1`, [history]);
	await index.t.pool.query("delete from object_changes where saved_query_id = $1", [query]);
}

it("writes the same feed and index from listed differences as from stored snapshots", async () => {
	const { context } = index.t.app;
	const { threads } = context.areas.history;
	const plans = [vi.spyOn(threads, "changePlan"), vi.spyOn(threads, "changedPlan")];
	const countPlans = () => plans.reduce((sum, plan) => sum + plan.mock.calls.length, 0);
	let listed = 0;
	await fc.assert(
		fc.asyncProperty(fc.array(snapshot, { minLength: 2, maxLength: 4 }), async (snapshots) => {
			const query = await index.createQuery({ drift_rules: RULES });
			let history = "";
			for (const [at, rows] of snapshots.entries()) {
				// Each capture differs from the one before.
				const mark = createObject("fvTenant", "uni/tn-i", { descr: `round ${at}` });
				await index.captureRows(query, A, [mark, ...rows.map(buildRow)]);
				history ||= await getHistoryId(query);
				const before = countPlans();
				await indexHistory(context, history, signal);
				await expandHistory(context, history, signal);
				// The first snapshot has nothing before it: its objects are read from the store.
				expect(countPlans() - before).toBe(at === 0 ? 1 : 0);
				listed += at;
			}
			const fromLists = await readAll(query, history);
			await forgetAll(query, history);
			await indexHistory(context, history, signal);
			await expandHistory(context, history, signal);
			expect(await readAll(query, history)).toEqual(fromLists);
		}),
		{ numRuns: 10 },
	);
	expect(listed).toBeGreaterThan(0);
	for (const plan of plans) plan.mockRestore();
});

it("reads the store where the drift rules have changed since the capture, and where there are too many", async () => {
	const { context } = index.t.app;
	const plan = vi.spyOn(context.areas.history.threads, "changePlan");
	const query = await index.createQuery();
	const build = (mtu: string) => createObject("fvBD", "uni/tn-i/BD-rules", { name: "rules", mtu });
	await index.captureRows(query, A, [build("1")]);
	await index.captureRows(query, A, [build("2")]);
	const patched = await index.ada.api.patch(`/api/queries/saved-queries/${query}/`, {
		drift_rules: { severity: { "fvBD.mtu": "critical" } },
	});
	expect(patched.status, patched.text).toBe(200);
	const history = await getHistoryId(query);
	await expandHistory(context, history, signal);
	expect(plan).toHaveBeenCalledTimes(1);
	const many = Array.from({ length: 1_100 }, (_, at) => createObject("fvBD", `uni/tn-i/BD-many-${at}`, {}));
	await index.captureRows(query, A, [build("2"), ...many]);
	await expandHistory(context, history, signal);
	expect(plan).toHaveBeenCalledTimes(2);
	expect(await listFeed(query)).toHaveLength(1_101);
	plan.mockRestore();
});
