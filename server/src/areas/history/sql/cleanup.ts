/** SQL of expired snapshots, and of the timers of queue tasks. */
import { sql } from "kysely";
import type { Db, Tx } from "../../../core/ports/store.ts";

/**
 * Criteria of the snapshots that a user's settings no longer keep: of one saved query, or of all
 * that the user owns.
 */
export interface Expired {
	readonly userId: number;
	readonly queryId: string | null;
	/**
	 * Oldest time that is kept, or number of snapshots kept per query; null if the policy is the
	 * other one.
	 */
	readonly before: Date | null;
	readonly keep: number | null;
	readonly includeAnnotated: boolean;
}

export interface ExpiredRow {
	readonly id: string;
	readonly history_id: string;
	readonly query_name: string;
	readonly executed_at: Date;
	readonly result_count: number;
	readonly result_size_bytes: number;
}

/** Snapshots that are the baseline of a check. */
const BASELINES = sql`select (c.config -> 'baseline' ->> 'snapshot_id')::uuid from checks c
	where c.type = 'unchanged' and c.config -> 'baseline' ->> 'snapshot_id' is not null`;
/** Snapshots of change windows, which no cleanup deletes. */
const OF_WINDOWS = sql`select w.snapshot_id from change_window_captures w where w.snapshot_id is not null`;

const selectExpired = ({ userId, queryId, before, keep, includeAnnotated }: Expired) => sql<ExpiredRow>`
	select id, history_id, query_name, executed_at, result_count, result_size_bytes from (
		select s.*, row_number() over (
			partition by coalesce(s.saved_query_id, s.history_id) order by s.executed_at desc, s.id desc) as place
		from snapshots s
		where s.history_id in (
			select h.id from snapshot_histories h left join saved_queries q on q.id = h.saved_query_id
			where (h.owner_id = ${userId} or q.owner_id = ${userId})
				and (${queryId}::uuid is null or h.saved_query_id = ${queryId}::uuid))
	) ranked
	where (executed_at < ${before}::timestamptz or place > ${keep}::integer)
		and id not in (${OF_WINDOWS})
		and (${includeAnnotated} or (annotation is null and label is null and id not in (${BASELINES})))`;

/** The oldest ones, and the number of all. */
export async function previewExpired(
	db: Db,
	of: Expired,
	limit: number,
): Promise<{ count: number; rows: ExpiredRow[] }> {
	const { rows: counted } = await sql<{ count: number }>`
		select count(*)::integer as count from (${selectExpired(of)}) found`.execute(db);
	const { rows } = await sql<ExpiredRow>`${selectExpired(of)} order by executed_at, id limit ${limit}`.execute(db);
	return { count: counted[0]?.count ?? 0, rows };
}

export async function listExpired(db: Db, of: Expired): Promise<Pick<ExpiredRow, "id" | "history_id">[]> {
	const { rows } = await sql<ExpiredRow>`${selectExpired(of)} order by executed_at, id`.execute(db);
	return rows;
}

export interface SnapshotOwner {
	readonly id: number;
	readonly username: string;
}

export async function listSnapshotOwners(db: Db): Promise<SnapshotOwner[]> {
	const { rows } = await sql<SnapshotOwner>`
		select u.id, u.username from users u where u.id in (
			select coalesce(h.owner_id, q.owner_id) from snapshot_histories h
			left join saved_queries q on q.id = h.saved_query_id)
		order by u.id`.execute(db);
	return rows;
}

/** Bytes of text of all snapshots of a history. */
export async function sumHistoryBytes(db: Db, historyId: string): Promise<number> {
	const { rows } = await sql<{ bytes: number }>`
		select coalesce(sum(result_size_bytes), 0)::float8 as bytes from snapshots where history_id = ${historyId}`.execute(
		db,
	);
	return rows[0]?.bytes ?? 0;
}

/**
 * Groups those of the snapshots that exist by segment, oldest first; under null those that have
 * no content.
 */
export async function groupBySegment(db: Db, ids: readonly string[]): Promise<Map<string | null, string[]>> {
	const { rows } = await sql<{ segment_id: string | null; ids: string[] }>`
		select m.segment_id, array_agg(s.id) as ids from snapshots s
		left join snapshot_manifests m on m.snapshot_id = s.id
		where s.id = any(${ids}::uuid[]) group by m.segment_id order by min(s.position)`.execute(db);
	return new Map(rows.map((row) => [row.segment_id, row.ids]));
}

export async function removeSnapshots(tx: Tx, ids: readonly string[]): Promise<number> {
	const { rows } = await sql`delete from snapshots where id = any(${ids}::uuid[]) returning id`.execute(tx.db);
	return rows.length;
}

/** Advances a timer. Returns true for one call per due time. */
export async function advanceTimer(tx: Tx, name: string, due: Date): Promise<boolean> {
	const { rows } = await sql`
		update snapshot_timers set due_at = ${due} where name = ${name} and due_at < ${due} returning name`.execute(tx.db);
	return rows.length > 0;
}

/** Creates a timer if it does not exist. Firings due before the first start are skipped. */
export async function createTimer(db: Db, name: string, due: Date): Promise<void> {
	await sql`insert into snapshot_timers (name, due_at) values (${name}, ${due}) on conflict do nothing`.execute(db);
}
