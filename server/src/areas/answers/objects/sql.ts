/** SQL of single objects in visible histories: places, surroundings, the same elsewhere. */
import { sql } from "kysely";
import type { Db } from "../../../core/ports/store.ts";
import type { Viewer } from "../../fabrics/sql/visible.ts";
import { selectVisibleIndexes } from "../find/sql/find.ts";

/**
 * An object in a history: the newest snapshot that has it, when a run last found its rows, and the
 * time of the oldest.
 */
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

/** Newest first. */
export async function listPlaces(
	db: Db,
	viewer: Viewer,
	{ connectionId, dnKey, limit }: { connectionId: string; dnKey: string; limit: number },
): Promise<ObjectPlace[]> {
	const { rows } = await sql<ObjectPlace>`
		with seen as (${selectVisibleIndexes(viewer, connectionId)})
		select s.history_id, s.connection_id, s.connection_name, s.saved_query_id, s.query_name, o.class_name, o.label,
			n.snapshot_id, case when s.latest <@ o.presence then greatest(n.executed_at, s.confirmed_at) else n.executed_at end
				as seen_at, f.executed_at as first_seen_at, p.result_size_bytes as bytes,
			s.latest <@ o.presence as is_current,
			(select h.snapshot_count from snapshot_histories h where h.id = s.history_id) as snapshots
		from indexed_objects o join seen s on s.history_id = o.history_id
		join lateral (select i.snapshot_id, i.executed_at from indexed_snapshots i
			where i.history_id = o.history_id and i.position <@ o.presence order by i.position desc limit 1) n on true
		join lateral (select i.executed_at from indexed_snapshots i
			where i.history_id = o.history_id and i.position <@ o.presence order by i.position limit 1) f on true
		join snapshots p on p.id = n.snapshot_id
		where o.dn_key = ${dnKey} order by seen_at desc, s.history_id limit ${limit}`.execute(db);
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

/** An object of some name on a connection, in the newest of the latest snapshots that have it. */
export interface Namesake {
	readonly connection_id: string;
	readonly connection_name: string;
	readonly dn: string;
	readonly class_name: string;
	readonly snapshot_id: string;
	readonly seen_at: Date;
	readonly bytes: number;
}

/**
 * Objects that the latest snapshots have under a name, by connection and DN.
 * @param of digests of the DN, and of its name without numbers of nodes and pods, if it has any
 */
export async function listNamesakes(
	db: Db,
	viewer: Viewer,
	of: { dnKey: string; nameKey: string | null; limit: number },
): Promise<Namesake[]> {
	const isNamed = of.nameKey === null ? sql`o.dn_key = ${of.dnKey}` : sql`o.name_key = ${of.nameKey}`;
	const { rows } = await sql<Namesake>`
		with seen as materialized (${selectVisibleIndexes(viewer, null)}),
		named as materialized (
			select s.connection_id, s.connection_name, o.dn, o.class_name, s.history_id, s.latest, s.confirmed_at
			from indexed_objects o join seen s on s.history_id = o.history_id
			where ${isNamed} and s.latest <@ o.presence limit ${of.limit})
		select * from (
			select distinct on (n.connection_id, n.dn) n.connection_id, n.connection_name, n.dn, n.class_name,
				i.snapshot_id, greatest(i.executed_at, n.confirmed_at) as seen_at, p.result_size_bytes as bytes
			from named n join indexed_snapshots i on i.history_id = n.history_id and i.position = n.latest
			join snapshots p on p.id = i.snapshot_id
			order by n.connection_id, n.dn, seen_at desc, i.snapshot_id) f
		order by connection_name, connection_id, dn`.execute(db);
	return rows;
}
