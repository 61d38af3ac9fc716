/** SQL of how far each history has been read into the feed of changes. */
import type { Drift, DriftRules } from "@weft/contracts";
import { sql } from "kysely";
import type { Db, Tx } from "../../../../core/ports/store.ts";

/** The next snapshot of a history that is to be compared with the one before. */
export interface Step {
	readonly history_id: string;
	readonly saved_query_id: string;
	readonly connection_id: string | null;
	readonly snapshot_id: string;
	readonly position: number;
	readonly at: Date;
	readonly hash: string;
	readonly size: number;
	readonly drift: Drift | null;
	/** The present drift rules of the query. */
	readonly rules: Partial<DriftRules>;
	/** Null for the first snapshot. */
	readonly previous_id: string | null;
	readonly previous_at: Date | null;
	readonly previous_hash: string | null;
	/** Position of the cursor, and changes of this step that are written. */
	readonly from_position: number;
	readonly written: number;
}

/** The last snapshot before `oldest`: no cursor counts as older than that. */
const buildStart = (oldest: Date) => sql`coalesce((select max(b.position) from snapshots b
	where b.history_id = h.id and b.executed_at < ${oldest}), 0)`;

/** Undefined if nothing is to be done. Private histories have no query, and are not read. */
export async function findStep(db: Db, historyId: string, oldest: Date): Promise<Step | undefined> {
	const { rows } = await sql<Step>`
		select h.id as history_id, h.saved_query_id, n.controller_connection_id as connection_id, n.id as snapshot_id,
			n.position, n.executed_at as at, n.result_hash as hash,
			greatest(n.result_size_bytes, p.result_size_bytes) as size, n.drift, q.drift_rules as rules,
			p.id as previous_id, p.executed_at as previous_at, p.result_hash as previous_hash,
			k.position as from_position, case when k.position = c.position then c.written else 0 end as written
		from snapshot_histories h
		join saved_queries q on q.id = h.saved_query_id
		left join change_cursors c on c.history_id = h.id
		cross join lateral (select greatest(coalesce(c.position, 0), ${buildStart(oldest)}) as position) k
		join lateral (select * from snapshots s where s.history_id = h.id and s.position > k.position
			order by s.position limit 1) n on true
		left join lateral (select * from snapshots s where s.history_id = h.id and s.position < n.position
			order by s.position desc limit 1) p on true
		where h.id = ${historyId}`.execute(db);
	return rows[0];
}

/** Whether some of these histories have snapshots since `oldest` that are not in the feed. */
export async function isFeedBehind(db: Db, historyIds: readonly string[], oldest: Date): Promise<boolean> {
	const { rows } = await sql<{ is_behind: boolean }>`
		select exists (
			select from unnest(${historyIds}::uuid[]) as h (id) left join change_cursors c on c.history_id = h.id
			where exists (select from snapshots s where s.history_id = h.id and s.position > coalesce(c.position, 0)
				and s.executed_at >= ${oldest})) as is_behind`.execute(db);
	return rows[0]?.is_behind === true;
}

/** Histories with snapshots since `oldest` that are not in the feed, in the order of ids. */
export async function listHistoriesBehind(
	db: Db,
	{ after, oldest, limit }: { after: string; oldest: Date; limit: number },
): Promise<string[]> {
	const { rows } = await sql<{ id: string }>`
		select h.id from snapshot_histories h left join change_cursors c on c.history_id = h.id
		where h.saved_query_id is not null and h.id > ${after}::uuid and exists (
			select from snapshots s where s.history_id = h.id and s.position > coalesce(c.position, 0)
				and s.executed_at >= ${oldest})
		order by h.id limit ${limit}`.execute(db);
	return rows.map(({ id }) => id);
}

/**
 * Locks the cursor of a step. False if another process has moved it, or the history is gone: then
 * the step is not to be written.
 */
export async function lockCursor(tx: Tx, { history_id, from_position, written }: Step): Promise<boolean> {
	const found = (await findCursor(tx, history_id)) ?? (await createCursor(tx, history_id, from_position));
	if (found === undefined || found.position > from_position) return false;
	return (found.position === from_position ? found.written : 0) === written;
}

async function findCursor(tx: Tx, historyId: string) {
	const { rows } = await sql<{ position: number; written: number }>`
		select position, written from change_cursors where history_id = ${historyId} for update`.execute(tx.db);
	return rows[0];
}

/** Returns undefined if the history no longer exists. */
async function createCursor(tx: Tx, historyId: string, position: number) {
	await sql`insert into change_cursors (history_id, position, written)
		select id, ${position}, 0 from snapshot_histories where id = ${historyId} for key share
		on conflict do nothing`.execute(tx.db);
	return findCursor(tx, historyId);
}

export async function moveCursor(tx: Tx, historyId: string, position: number, written: number): Promise<void> {
	await sql`update change_cursors set position = ${position}, written = ${written}
		where history_id = ${historyId}`.execute(tx.db);
}
