/** SQL of single objects in visible histories: places, surroundings, the same elsewhere. */
import { sql } from "kysely";
import type { Db } from "../../../core/ports/store.ts";
import type { Viewer } from "../../fabrics/sql/visible.ts";
import type { StoredAttribution } from "../../history/rules/attribution.ts";
import { selectVisibleIndexes } from "../find/sql/find.ts";

/** An object in a history: the newest snapshot that has it, and the time of the oldest. */
export interface ObjectPlace {
	readonly history_id: string;
	readonly connection_id: string;
	readonly connection_name: string;
	readonly saved_query_id: string;
	readonly query_name: string;
	readonly class_name: string;
	readonly label: string;
	readonly snapshot_id: string;
	readonly seen_at: Date;
	readonly first_seen_at: Date;
	readonly bytes: number;
	readonly is_current: boolean;
	/** Snapshots of the history. */
	readonly snapshots: number;
}

/** Newest first. `connectionId` null: of all connections. */
export async function listPlaces(
	db: Db,
	viewer: Viewer,
	{ connectionId, dnKey, limit }: { connectionId: string | null; dnKey: string; limit: number },
): Promise<ObjectPlace[]> {
	const { rows } = await sql<ObjectPlace>`
		with seen as (${selectVisibleIndexes(viewer, connectionId)})
		select s.history_id, s.connection_id, s.connection_name, s.saved_query_id, s.query_name, o.class_name, o.label,
			n.snapshot_id, n.executed_at as seen_at, f.executed_at as first_seen_at, p.result_size_bytes as bytes,
			s.latest <@ o.presence as is_current,
			(select h.snapshot_count from snapshot_histories h where h.id = s.history_id) as snapshots
		from indexed_objects o join seen s on s.history_id = o.history_id
		join lateral (select i.snapshot_id, i.executed_at from indexed_snapshots i
			where i.history_id = o.history_id and i.position <@ o.presence order by i.position desc limit 1) n on true
		join lateral (select i.executed_at from indexed_snapshots i
			where i.history_id = o.history_id and i.position <@ o.presence order by i.position limit 1) f on true
		join snapshots p on p.id = n.snapshot_id
		where o.dn_key = ${dnKey} order by n.executed_at desc, s.history_id limit ${limit}`.execute(db);
	return rows;
}

/** The class of a DN on a connection; undefined if no visible snapshot has it. */
export async function findClassOfDn(
	db: Db,
	viewer: Viewer,
	{ connectionId, dnKey }: { connectionId: string; dnKey: string },
): Promise<string | undefined> {
	const { rows } = await sql<{ class_name: string }>`
		with seen as (${selectVisibleIndexes(viewer, connectionId)})
		select o.class_name from indexed_objects o join seen s on s.history_id = o.history_id
		where o.dn_key = ${dnKey} order by s.latest <@ o.presence desc nulls last limit 1`.execute(db);
	return rows[0]?.class_name;
}

/** Objects directly below a DN that the latest snapshots have, by class. */
export async function countChildren(
	db: Db,
	viewer: Viewer,
	{ connectionId, dnKey }: { connectionId: string; dnKey: string },
): Promise<{ class_name: string; count: number }[]> {
	const { rows } = await sql<{ class_name: string; count: number }>`
		with seen as (${selectVisibleIndexes(viewer, connectionId)})
		select o.class_name, count(distinct o.dn_key)::integer as count
		from indexed_objects o join seen s on s.history_id = o.history_id
		where o.parent_key = ${dnKey} and s.latest <@ o.presence group by o.class_name order by o.class_name`.execute(db);
	return rows;
}

interface RelationRow {
	readonly class_name: string;
	readonly dn: string;
	readonly target_dn: string;
	readonly direction: "out" | "in";
	readonly total: number;
}

/**
 * Relations that the latest snapshots have: those of the object itself or directly below it, and
 * those of others that lead to it.
 */
export async function listRelations(
	db: Db,
	viewer: Viewer,
	{ connectionId, dnKey, limit }: { connectionId: string; dnKey: string; limit: number },
): Promise<RelationRow[]> {
	const { rows } = await sql<RelationRow>`
		with seen as (${selectVisibleIndexes(viewer, connectionId)}),
		found as (
			select o.history_id, o.presence, o.class_name, o.dn, o.target_dn, 'out' as direction from indexed_objects o
				where o.target_key is not null and (o.parent_key = ${dnKey} or o.dn_key = ${dnKey})
			union all select o.history_id, o.presence, o.class_name, o.dn, o.target_dn, 'in' from indexed_objects o
				where o.target_key = ${dnKey}),
		once as (select distinct f.class_name, f.dn, f.target_dn, f.direction
			from found f join seen s on s.history_id = f.history_id where s.latest <@ f.presence)
		select *, (count(*) over ())::integer as total from once
		order by direction desc, class_name, dn limit ${limit}`.execute(db);
	return rows;
}

/** The latest indexed snapshots of a history, oldest first. */
export async function listHistorySnapshots(
	db: Db,
	historyId: string,
	limit: number,
): Promise<{ id: string; executed_at: Date; bytes: number }[]> {
	const { rows } = await sql<{ id: string; executed_at: Date; bytes: number }>`
		select id, executed_at, result_size_bytes as bytes from snapshots
		where history_id = ${historyId} order by position desc limit ${limit}`.execute(db);
	return rows.reverse();
}

/** Stored lookups of who changed what, by snapshot. */
export async function listStoredAttributions(
	db: Db,
	snapshotIds: readonly string[],
): Promise<Map<string, StoredAttribution>> {
	const rows = await db
		.selectFrom("snapshot_attributions")
		.select(["snapshot_id", "found"])
		.where(sql<boolean>`snapshot_id = any(${snapshotIds}::uuid[])`)
		.execute();
	return new Map(rows.map(({ snapshot_id, found }) => [snapshot_id, found]));
}
