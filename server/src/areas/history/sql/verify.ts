/** SQL of the background check of stored snapshots. */
import { sql } from "kysely";
import type { Db, Tx } from "../../../core/ports/store.ts";

export interface CheckedRow {
	readonly id: string;
	readonly query_name: string;
	readonly executed_at: Date;
}

/** Ids of all segments. */
export async function listSegmentIds(db: Db): Promise<string[]> {
	const rows = await db.selectFrom("snapshot_segments").select("id").orderBy("history_id").orderBy("serial").execute();
	return rows.map(({ id }) => id);
}

export async function listCheckedRows(db: Db, ids: readonly string[]): Promise<CheckedRow[]> {
	return db
		.selectFrom("snapshots")
		.select(["id", "query_name", "executed_at"])
		.where(sql<boolean>`id = any(${ids}::uuid[])`)
		.orderBy("executed_at")
		.execute();
}

/**
 * Starts a pass over all segments if one is due and none is running, and schedules the next
 * one.
 */
export async function beginVerifyPass(tx: Tx, now: Date, next: Date): Promise<void> {
	await sql`
		insert into snapshot_timers (name, due_at) values ('verify', ${now}), ('verified_until', 'infinity') on conflict do nothing`.execute(
		tx.db,
	);
	const { rows } = await sql`
		update snapshot_timers set due_at = ${next} where name = 'verify' and due_at <= ${now}
			and exists (select from snapshot_timers where name = 'verified_until' and due_at = 'infinity') returning name`.execute(
		tx.db,
	);
	if (rows.length > 0)
		await sql`update snapshot_timers set due_at = '-infinity' where name = 'verified_until'`.execute(tx.db);
}

/**
 * Claims the next segments of the pass, in the order of their oldest snapshots; none at its
 * end.
 */
export async function claimSegments(tx: Tx): Promise<{ id: string; bytes: number }[]> {
	await sql`select from snapshot_timers where name = 'verified_until' for update`.execute(tx.db);
	const { rows } = await sql<{ id: string; bytes: number; first: Date }>`
		select m.segment_id as id, min(s.executed_at) as first, max(s.result_size_bytes)::float8 as bytes
		from snapshot_manifests m join snapshots s on s.id = m.snapshot_id
		group by m.segment_id
		having min(s.executed_at) > (select due_at from snapshot_timers where name = 'verified_until')
		order by first fetch first 1 rows with ties`.execute(tx.db);
	const until = rows.at(-1)?.first ?? sql`'infinity'::timestamptz`;
	await sql`update snapshot_timers set due_at = ${until} where name = 'verified_until'`.execute(tx.db);
	return rows;
}

/** Ids of the active administrators. */
export async function listAdministrators(db: Db): Promise<number[]> {
	const rows = await db
		.selectFrom("users")
		.select("id")
		.where("is_superuser", "=", true)
		.where("is_active", "=", true)
		.execute();
	return rows.map(({ id }) => id);
}
