/** SQL of what tests and runs found out about connections: which ones reach a controller. */
import { sql } from "kysely";
import type { Db } from "../../../core/ports/store.ts";
import type { Reach } from "../rules/reach.ts";
import { buildVisibleCondition, type Viewer } from "./visible.ts";

/** Time between two writes about a connection that is up. */
const FRESH_MS = 60_000;
const ERROR_MAX = 2_000;

/** The columns that record an answer or a failure. */
export const buildReachColumns = (reach: Reach, now: Date) =>
	reach.isUp
		? { down_since: null, down_error: "", reached_at: now }
		: { down_since: sql<Date>`coalesce(down_since, ${now})`, down_error: reach.error.slice(0, ERROR_MAX) };

/** Writes nothing if the connection has changed since, or its answer is no news. */
export async function updateReach(
	db: Db,
	{ id, revision }: { readonly id: string; readonly revision: number },
	reach: Reach,
	now: Date,
): Promise<void> {
	await db
		.updateTable("controller_connections")
		.set(buildReachColumns(reach, now))
		.where("id", "=", id)
		.where("revision", "=", revision)
		.$if(reach.isUp, (query) =>
			query.where(({ or, eb }) =>
				or([
					eb("down_since", "is not", null),
					eb("reached_at", "is", null),
					eb("reached_at", "<", new Date(now.getTime() - FRESH_MS)),
				]),
			),
		)
		.execute();
}

/** An active connection and the latest answer or failure of its controllers. */
export interface ReachRow {
	readonly id: string;
	readonly name: string;
	readonly down_since: Date | null;
	readonly down_error: string;
	readonly reached_at: Date | null;
}

/** Active connections that the viewer sees: first those that are down, for the longest time. */
export async function listReach(db: Db, viewer: Viewer): Promise<ReachRow[]> {
	return db
		.selectFrom("controller_connections as c")
		.select(["c.id", "c.name", "c.down_since", "c.down_error", "c.reached_at"])
		.where("c.is_active", "=", true)
		.where(buildVisibleCondition(viewer, "c"))
		.orderBy(sql`c.down_since nulls last`)
		.orderBy("c.name")
		.orderBy("c.id")
		.execute();
}

interface MetricReach {
	readonly connection: string;
	readonly is_up: boolean;
	/** Null: none has reached a controller. */
	readonly reached_at: Date | null;
}

/**
 * Lists the active connections that a test or run has used, by name; first those that are down.
 * Connections of one name, which two owners may have, count as the worst of them.
 */
export async function listMetricReach(db: Db, limit: number): Promise<MetricReach[]> {
	return db
		.selectFrom("controller_connections")
		.select([
			"name as connection",
			sql<boolean>`bool_and(down_since is null)`.as("is_up"),
			sql<Date | null>`case when bool_and(reached_at is not null) then min(reached_at) end`.as("reached_at"),
		])
		.where("is_active", "=", true)
		.where(({ or, eb }) => or([eb("down_since", "is not", null), eb("reached_at", "is not", null)]))
		.groupBy("name")
		.orderBy("is_up")
		.orderBy("name")
		.limit(limit)
		.execute();
}
