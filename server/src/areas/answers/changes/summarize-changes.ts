/** Counts of the feed by connection and period, person, tenant and class. */
import { CHANGE_LIMITS, type ChangeSummary, type ChangeSummaryQuery } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import type { Caller } from "../../../core/caller.ts";
import { buildFieldError } from "../../../core/errors.ts";
import { listImportantChanges } from "./entries.ts";
import { findWindow } from "./feed-window.ts";
import { buildSeries } from "./rules/summary.ts";
import type { FeedView } from "./sql/conditions.ts";
import { countByName, countByPeriod, listObservedPeriods, listPeriods, type NamedCount } from "./sql/summary.ts";

const BUCKET_MS = { hour: 3_600_000, day: 24 * 3_600_000 } as const;

/** Throws 400 for a window of too many periods. */
export async function summarizeChanges(
	ctx: Context,
	caller: Caller,
	{ bucket, tz, important, ...filter }: ChangeSummaryQuery,
): Promise<ChangeSummary> {
	const window = findWindow(ctx, filter);
	// The last period is the present one.
	const until = window.until ?? new Date(ctx.clock.now() + 1);
	if ((until.getTime() - window.since.getTime()) / BUCKET_MS[bucket] > CHANGE_LIMITS.buckets)
		throw buildFieldError(
			"since",
			`The window has more than ${CHANGE_LIMITS.buckets} periods. Choose a shorter one, or bucket=day.`,
		);
	const { db } = ctx.store;
	const shown: FeedView = { viewer: caller, filter, ...window, view: null };
	const periods = await listPeriods(db, { bucket, tz }, { since: window.since, until });
	const [counts, named, found] = await Promise.all([
		countByPeriod(db, shown, periods),
		countByName(db, shown, CHANGE_LIMITS),
		listImportantChanges(ctx, shown, important),
	]);
	const connections = [...new Set(counts.map((row) => row.connection_id))];
	const observed = await listObservedPeriods(db, shown, { connections, starts: periods, until });
	const select = (kind: NamedCount["kind"], connection: string | null = null) =>
		named.filter((row) => row.kind === kind && row.connection_id === connection);
	const present = (rows: readonly NamedCount[]) => rows.map(({ name, changes }) => ({ name, changes }));
	const list = (kind: NamedCount["kind"]) => present(select(kind));
	const count = (kind: NamedCount["kind"]) => select(kind)[0]?.total ?? 0;
	return {
		connections: buildSeries(periods, counts, observed).map((connection) => {
			const users = select("user", connection.id);
			return { ...connection, users: present(users), users_total: users[0]?.total ?? 0 };
		}),
		users: list("user"),
		tenants: list("tenant"),
		classes: list("class"),
		important: found,
		totals: {
			changes: counts.reduce((sum, row) => sum + row.count, 0),
			users: count("user"),
			tenants: count("tenant"),
			classes: count("class"),
		},
	};
}
