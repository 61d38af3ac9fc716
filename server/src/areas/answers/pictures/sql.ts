/** SQL of pictures: snapshots of visible histories until a moment, and changes until then. */
import type { ObjectChange } from "@weft/contracts";
import { sql } from "kysely";
import type { Db } from "../../../core/ports/store.ts";
import type { Viewer } from "../../fabrics/sql/visible.ts";
import { visibleTo } from "../../queries/saved/index.ts";
import { buildSeenCondition } from "../changes/sql/conditions.ts";

/** The last snapshot of a history until a moment, with the content of its query at that time. */
export interface SnapshotCandidate {
	readonly history_id: string;
	readonly saved_query_id: string;
	readonly query_name: string;
	readonly snapshot_id: string;
	readonly origin: "run" | "client";
	readonly bytes: number;
	readonly taken_at: Date;
	readonly seen_at: Date;
	readonly flow_data: unknown;
	readonly post_processors: unknown;
	readonly variables: unknown;
}

/** Lists patterns of the text of a canvas that names one of the classes. */
const listPatterns = (classes: readonly string[]): string[] => classes.map((name) => `%"${name}"%`);

/** Lists a candidate of each visible history whose query names one of the classes, newest first. */
export async function listCandidates(
	db: Db,
	viewer: Viewer,
	of: { connectionId: string; at: Date | null; classes: readonly string[]; limit: number },
): Promise<SnapshotCandidate[]> {
	const until = of.at === null ? sql`` : sql`and s.executed_at <= ${of.at}`;
	// A later result that equals the latest snapshot confirms it.
	const isConfirmed = of.at === null ? sql`` : sql`and h.confirmed_at <= ${of.at}`;
	const { rows } = await sql<SnapshotCandidate>`
		select h.id as history_id, q.id as saved_query_id, q.name as query_name, s.id as snapshot_id, s.origin,
			s.result_size_bytes as bytes, s.executed_at as taken_at, v.flow_data, v.post_processors, v.variables,
			case when s.position = (select max(l.position) from snapshots l where l.history_id = h.id) ${isConfirmed}
				then greatest(s.executed_at, h.confirmed_at) else s.executed_at end as seen_at
		from snapshot_histories h
		join saved_queries q on q.id = h.saved_query_id and ${visibleTo(viewer, "q")}
		cross join lateral (select s.* from snapshots s where s.history_id = h.id ${until}
			order by s.position desc limit 1) s
		join saved_query_versions v on v.query_id = q.id and concat('v', v.major, '.', v.minor) = s.query_version
		where s.controller_connection_id = ${of.connectionId} and v.flow_data::text like any(${listPatterns(of.classes)})
		order by seen_at desc, h.id limit ${of.limit}`.execute(db);
	return rows;
}

/** The present content of a visible query with snapshots. */
interface KeepingQuery {
	readonly id: string;
	readonly name: string;
	readonly flow_data: unknown;
	readonly post_processors: unknown;
	readonly variables: unknown;
}

/** Lists visible queries with snapshots on that name one of the classes: own first, by name. */
export async function listKeepingQueries(
	db: Db,
	viewer: Viewer,
	{ classes, limit }: { classes: readonly string[]; limit: number },
): Promise<KeepingQuery[]> {
	const { rows } = await sql<KeepingQuery>`
		select q.id, q.name, v.flow_data, v.post_processors, v.variables from saved_queries q
		join saved_query_versions v on (v.query_id, v.major, v.minor) = (q.id, q.major_version, q.minor_version)
		where q.enable_time_machine and ${visibleTo(viewer, "q")}
			and v.flow_data::text like any(${listPatterns(classes)})
		order by q.owner_id = ${viewer.userId} desc, q.name, q.id limit ${limit}`.execute(db);
	return rows;
}

export interface ChangedRow {
	readonly dn: string;
	readonly first: ObjectChange;
	readonly last: ObjectChange;
	readonly users: string[];
	readonly at: Date;
}

interface ChangesOf {
	readonly connectionId: string;
	/** Exclusive. */
	readonly since: Date;
	/** Inclusive. */
	readonly until: Date;
	/** The text with which their DNs begin. */
	readonly below: string;
	readonly limit: number;
}

const buildWindow = (viewer: Viewer, { connectionId, since, until, below }: ChangesOf) => sql`
	c.connection_id = ${connectionId} and c.at > ${since} and c.at <= ${until} and starts_with(c.dn, ${below})
		and ${buildSeenCondition({ viewer, view: null }, "c")}`;

/** Lists the changed objects of a time range, the last changed first. */
export async function listChangedObjects(db: Db, viewer: Viewer, of: ChangesOf): Promise<ChangedRow[]> {
	const { rows } = await sql<ChangedRow>`
		select c.dn, (array_agg(c.change order by c.at, c.id))[1] as first,
			(array_agg(c.change order by c.at desc, c.id desc))[1] as last, max(c.at) as at,
			coalesce(array_agg(distinct u) filter (where u is not null), '{}') as users
		from object_changes c left join lateral unnest(c.users) u on true
		where ${buildWindow(viewer, of)} group by c.dn order by max(c.at) desc, c.dn limit ${of.limit}`.execute(db);
	return rows;
}

/** A deleted object with those of its last values that the feed has. */
interface DeletedRow {
	readonly dn: string;
	readonly class_name: string;
	readonly attributes: [name: string, before: string | null, after: string | null][];
}

/** Lists the last deletion of each of these objects of some classes. */
export async function listDeletedObjects(
	db: Db,
	viewer: Viewer,
	of: ChangesOf & { classes: readonly string[]; dns: readonly string[] },
): Promise<DeletedRow[]> {
	if (of.dns.length === 0) return [];
	const { rows } = await sql<DeletedRow>`
		select distinct on (c.dn) c.dn, c.class_name, c.attributes from object_changes c
		where ${buildWindow(viewer, of)} and c.dn = any(${of.dns}) and c.change = 'deleted'
			and c.class_name = any(${of.classes})
		order by c.dn, c.at desc, c.id desc`.execute(db);
	return rows;
}
