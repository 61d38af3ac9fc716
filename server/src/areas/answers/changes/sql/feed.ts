/** SQL that reads the feed of changes: the rows that begin entries, and all rows of entries. */
import type { AttributionReason, ChangedBy, ObjectChangeKind } from "@weft/contracts";
import { sql } from "kysely";
import type { Db } from "../../../../core/ports/store.ts";
import type { FeedCursor } from "../rules/cursor.ts";
import {
	buildEntryCondition,
	buildLeadCondition,
	buildSeenCondition,
	buildSeverity,
	type FeedView,
} from "./conditions.ts";
import { selectCountedEntries } from "./counted-entries.ts";

/** A row of an entry, as one query saw the change. */
export interface FeedRow {
	readonly id: number;
	readonly group_id: string;
	readonly is_shared: boolean;
	readonly at: Date;
	readonly connection_id: string;
	readonly connection_name: string;
	readonly saved_query_id: string;
	readonly query_name: string;
	/** Null if it no longer exists. */
	readonly snapshot_id: string | null;
	readonly previous_snapshot_id: string | null;
	readonly dn: string;
	readonly class_name: string | null;
	readonly change: ObjectChangeKind;
	readonly severity: number;
	readonly attributes: [string, string | null, string | null][];
	readonly attributes_omitted: number;
	readonly changed_by: ChangedBy[] | null;
	readonly changed_by_reason: AttributionReason | null;
}

const COLUMNS = sql`c.id, c.group_id, c.is_shared, c.at, c.connection_id, k.name as connection_name, c.saved_query_id,
	q.name as query_name, s.id as snapshot_id, p.id as previous_snapshot_id, c.dn, c.class_name, c.change, c.severity,
	c.attributes, c.attributes_omitted, c.changed_by, c.changed_by_reason`;
const JOINS = sql`join controller_connections k on k.id = c.connection_id
	join saved_queries q on q.id = c.saved_query_id
	left join snapshots s on s.id = c.snapshot_id left join snapshots p on p.id = c.previous_snapshot_id`;

/** Number of entries of all rows, and the highest id of the feed, which are of the same instant. */
export async function countEntries(db: Db, shown: FeedView): Promise<{ count: number; view: number }> {
	const { rows } = await sql<{ count: number; view: number }>`
		with ${selectCountedEntries(shown, { byDays: true })}
		select (select coalesce(sum(changes), 0) from counted)::bigint as count,
			(select coalesce(max(id), 0) from object_changes) as view`.execute(db);
	return rows[0] ?? { count: 0, view: 0 };
}

/** The first rows of entries, newest first: those after a cursor, or after some entries. */
export async function listEntries(
	db: Db,
	shown: FeedView,
	{ after, offset, limit }: { after: FeedCursor | null; offset: number; limit: number },
): Promise<FeedRow[]> {
	const beyond = after === null ? sql`` : sql`and (c.at, c.id) < (${after.at}, ${after.id})`;
	const { rows } = await sql<FeedRow>`
		with page as materialized (select c.* from object_changes c where ${buildEntryCondition(shown, "c")} ${beyond}
			order by c.at desc, c.id desc limit ${limit} offset ${offset})
		select ${COLUMNS} from page c ${JOINS} order by c.at desc, c.id desc`.execute(db);
	return rows;
}

/** The first rows of the newest entries of one object, newest first. */
export async function listEntriesByObject(
	db: Db,
	shown: Pick<FeedView, "viewer" | "view" | "since">,
	{ connectionId, dn, limit }: { connectionId: string; dn: string; limit: number },
): Promise<FeedRow[]> {
	const { rows } = await sql<FeedRow>`
		with page as materialized (select c.* from object_changes c
			where c.connection_id = ${connectionId} and hashtextextended(c.dn, 0) = hashtextextended(${dn}::text, 0)
				and c.dn = ${dn} and c.at >= ${shown.since}
				and ${buildSeenCondition(shown, "c")} and ${buildLeadCondition(shown, "c")}
			order by c.at desc, c.id desc limit ${limit})
		select ${COLUMNS} from page c ${JOINS} order by c.at desc, c.id desc`.execute(db);
	return rows;
}

/** The first rows of the entries with the highest severity, then the newest. */
export async function listImportantEntries(db: Db, shown: FeedView, limit: number): Promise<FeedRow[]> {
	const { rows } = await sql<FeedRow>`
		with page as materialized (select c.*, ${buildSeverity(shown, "c")} as highest from object_changes c
			where ${buildEntryCondition(shown, "c")} order by highest desc, c.at desc, c.id desc limit ${limit})
		select ${COLUMNS} from page c ${JOINS} order by c.highest desc, c.at desc, c.id desc`.execute(db);
	return rows;
}

/** All rows of these groups that the viewer sees, earliest first. */
export async function listMembers(
	db: Db,
	shown: Pick<FeedView, "viewer" | "view">,
	groups: readonly string[],
): Promise<FeedRow[]> {
	if (groups.length === 0) return [];
	const { rows } = await sql<FeedRow>`
		select ${COLUMNS} from object_changes c ${JOINS}
		where c.is_shared and c.group_id = any(${groups}::uuid[]) and ${buildSeenCondition(shown, "c")}
		order by c.at, c.id`.execute(db);
	return rows;
}
