/** SQL over all snapshots of a saved query. */
import { sql } from "kysely";
import type { Identity } from "../../../core/caller.ts";
import type { Db } from "../../../core/ports/store.ts";
import { visibleTo } from "../../queries/saved/index.ts";
import { selectLatest } from "./snapshots.ts";

type Viewer = Pick<Identity, "userId" | "isAdmin">;

/** Evaluated once per statement, before any rows are read. */
const isSeen = (viewer: Viewer, savedQueryId: string) => sql<boolean>`
	exists (select from saved_queries q where q.id = ${savedQueryId} and ${visibleTo(viewer, "q")})`;

/**
 * Number of snapshots since a time, from an index alone: the viewer's own, or of all users for
 * administrators.
 */
export async function countSince(db: Db, viewer: Viewer, since: Date): Promise<number> {
	const { count } = await db
		.selectFrom("snapshots")
		.select(sql<number>`count(*)`.as("count"))
		.where("executed_at", ">=", since)
		.$if(!viewer.isAdmin, (query) => query.where("executed_by_id", "=", viewer.userId))
		.executeTakeFirstOrThrow();
	return count;
}

/**
 * Snapshots per span between two neighbours of `starts` (ascending). Empty spans are absent.
 */
export async function countSpans(
	db: Db,
	of: { savedQueryId: string; connectionId: string | null },
	starts: readonly string[],
): Promise<SpanCount[]> {
	// Without the condition an index alone answers.
	const ofConnection = of.connectionId === null ? sql`` : sql`and controller_connection_id = ${of.connectionId}::uuid`;
	const span = sql`width_bucket(executed_at, ${starts}::timestamptz[]) - 1`;
	const within = sql`saved_query_id = ${of.savedQueryId} and executed_at >= ${starts[0]}::timestamptz
		and executed_at < ${starts.at(-1)}::timestamptz ${ofConnection}`;
	const { rows } = await sql<SpanCount>`
		with counted as (
			select ${span} as span, count(*)::integer as count, bool_or(has_changes) as has_changes
			from snapshots where ${within} group by 1
		), changed as (
			select ${span} as span, coalesce(sum(case when drift is null then has_changes::integer
					else (drift->>'added')::integer + (drift->>'deleted')::integer
						+ (drift->>'modified')::integer end), 0)::integer as changes
			from snapshots where has_changes and ${within} group by 1
		)
		select span, count, has_changes, coalesce(changes, 0) as changes
		from counted left join changed using (span)`.execute(db);
	return rows;
}

export interface ConnectionSpanCount extends SpanCount {
	/** Null for snapshots that were given rather than read from a controller. */
	readonly connection_id: string | null;
	readonly connection_name: string;
}

/** The same for each connection with its latest name, by that name. */
export async function countSpansByConnection(
	db: Db,
	of: { savedQueryId: string; connectionId: string | null },
	starts: readonly string[],
): Promise<ConnectionSpanCount[]> {
	const ofConnection = of.connectionId === null ? sql`` : sql`and controller_connection_id = ${of.connectionId}::uuid`;
	const { rows } = await sql<ConnectionSpanCount>`
		with found as (
			select width_bucket(executed_at, ${starts}::timestamptz[]) - 1 as span, controller_connection_id as connection_id,
				controller_connection_name as name, executed_at, has_changes,
				case when not has_changes then 0 when drift is null then 1
					else (drift->>'added')::integer + (drift->>'deleted')::integer + (drift->>'modified')::integer end as changes
			from snapshots where saved_query_id = ${of.savedQueryId} and executed_at >= ${starts[0]}::timestamptz
				and executed_at < ${starts.at(-1)}::timestamptz ${ofConnection}
		), named as (
			select connection_id, (array_agg(name order by executed_at desc))[1] as connection_name from found group by 1
		)
		select named.connection_id, connection_name, span, count(*)::integer as count, bool_or(has_changes) as has_changes,
			sum(changes)::integer as changes
		from found join named on named.connection_id is not distinct from found.connection_id
		group by 1, 2, 3
		order by 2, 1, 3`.execute(db);
	return rows;
}

/**
 * The latest snapshots of a saved query with the same variable values, oldest first; none if the
 * viewer does not see the query.
 */
export async function listTimeline(
	db: Db,
	viewer: Viewer,
	of: { savedQueryId: string; connectionId: string | null; limit: number; from: Date | null; to: Date | null },
): Promise<{ id: string; executed_at: Date; result_size_bytes: number }[]> {
	let found = db
		.selectFrom("snapshots")
		.select(["id", "executed_at", "result_size_bytes"])
		.where("saved_query_id", "=", of.savedQueryId)
		.where(isSeen(viewer, of.savedQueryId))
		.where(sql<boolean>`values_digest is not distinct from (${selectLatest(of, sql`values_digest`)})`);
	if (of.connectionId !== null) found = found.where("controller_connection_id", "=", of.connectionId);
	if (of.from !== null) found = found.where("executed_at", ">=", of.from);
	if (of.to !== null) found = found.where("executed_at", "<=", of.to);
	const rows = await found.orderBy("executed_at", "desc").orderBy("id", "desc").limit(of.limit).execute();
	return rows.reverse();
}

/**
 * The latest snapshots of a saved query on one connection (default: that of the latest
 * snapshot), oldest first.
 */
export async function listLatestOfConnection(
	db: Db,
	of: { savedQueryId: string; connectionId: string | null; limit: number },
): Promise<ConnectionSnapshot[]> {
	const { rows } = await sql<ConnectionSnapshot>`
		with h as (${selectLatest(of, sql`history_id`)})
		select s.id, s.executed_at, s.result_size_bytes, s.controller_connection_id, s.controller_connection_name
		from snapshots s join h on h.history_id = s.history_id
		order by s.position desc limit ${of.limit}`.execute(db);
	return rows.reverse();
}

/**
 * Changes whenever snapshots of a saved query are added or deleted. Undefined if the viewer
 * does not see the query.
 */
export async function findHistoryRevision(db: Db, viewer: Viewer, savedQueryId: string): Promise<string | undefined> {
	// Sorted here: planning takes most of the time of so small a statement.
	const { rows } = await sql<{ id: string | null; revision: number | null }>`
		select h.id, h.revision from saved_queries q left join snapshot_histories h on h.saved_query_id = q.id
		where q.id = ${savedQueryId} and ${visibleTo(viewer, "q")}`.execute(db);
	if (rows.length === 0) return undefined;
	const histories = rows.map(({ id, revision }) => `${id}:${revision}`);
	return histories.sort().join(" ");
}

/** Stored bytes of a saved query's names. */
export async function sumNameBytes(db: Db, savedQueryId: string): Promise<number> {
	const { rows } = await sql<{ bytes: number }>`
		select coalesce(sum(octet_length(n.payload)), 0)::float8 as bytes from snapshot_histories h
		join snapshot_segments g on g.history_id = h.id
		join snapshot_names n on n.segment_id = g.id
		where h.saved_query_id = ${savedQueryId}`.execute(db);
	return rows[0]?.bytes ?? 0;
}

export interface SpanCount {
	/** Index of the span's start. */
	span: number;
	count: number;
	has_changes: boolean;
	changes: number;
}

export interface ConnectionSnapshot {
	id: string;
	executed_at: Date;
	result_size_bytes: number;
	controller_connection_id: string | null;
	controller_connection_name: string;
}
