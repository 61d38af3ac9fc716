/** SQL that writes the rows of the feed of changes. */
import { FINDING_SEVERITIES, type FindingSeverity, type ObjectChangeKind } from "@weft/contracts";
import { sql } from "kysely";
import type { Db, Tx } from "../../../../core/ports/store.ts";
import type { GroupedChange, Placed, SeenChange } from "../rules/groups.ts";

/** A row before it has a place in a group. */
export interface NewChange extends SeenChange {
	readonly className: string | null;
	readonly tenant: string | null;
	readonly severity: FindingSeverity;
	readonly omitted: number;
}

/** The two snapshots of a step. */
export interface StepSource {
	readonly connectionId: string;
	readonly savedQueryId: string;
	readonly snapshotId: string;
	readonly previousId: string;
}

/** Key of the advisory lock of writers: ids of rows become visible in their order. */
const WRITERS = 0x6368_6e67;

/** Waits for other writers of the feed; held until the transaction ends. */
export async function lockFeed(tx: Tx): Promise<void> {
	await sql`select pg_advisory_xact_lock(${WRITERS})`.execute(tx.db);
}

/** Stored rows of these objects of a connection whose intervals overlap one. */
export async function listOverlapping(
	tx: Tx,
	{ connectionId, dns, since, at }: { connectionId: string; dns: readonly string[]; since: Date; at: Date },
): Promise<GroupedChange[]> {
	const { rows } = await sql<GroupedChange>`
		select c.id, c.group_id as "groupId", c.is_lead as "isLead", c.is_shared as "isShared", c.dn, c.change, c.since, c.at,
			c.attributes
		from unnest(${dns}::text[]) as d (dn) join object_changes c
			on c.connection_id = ${connectionId} and hashtextextended(c.dn, 0) = hashtextextended(d.dn, 0) and c.dn = d.dn
		where c.since < ${at} and c.at > ${since} order by c.at, c.id`.execute(tx.db);
	return rows;
}

export async function insertChanges(
	tx: Tx,
	source: StepSource,
	changes: readonly (NewChange & Placed)[],
): Promise<void> {
	const rows = changes.map((row) => ({
		group_id: row.groupId,
		is_lead: row.isLead,
		is_shared: row.isShared,
		at: row.at.toISOString(),
		since: row.since.toISOString(),
		dn: row.dn,
		class_name: row.className,
		tenant: row.tenant,
		change: row.change satisfies ObjectChangeKind,
		severity: FINDING_SEVERITIES.indexOf(row.severity),
		attributes: row.attributes,
		attributes_omitted: row.omitted,
	}));
	await sql`
		insert into object_changes (group_id, is_lead, is_shared, at, since, connection_id, saved_query_id, snapshot_id,
			previous_snapshot_id, dn, class_name, tenant, change, severity, attributes, attributes_omitted)
		select r.group_id, r.is_lead, r.is_shared, r.at, r.since, ${source.connectionId}::uuid, ${source.savedQueryId}::uuid,
			${source.snapshotId}::uuid, ${source.previousId}::uuid, r.dn, r.class_name, r.tenant, r.change, r.severity,
			r.attributes, r.attributes_omitted
		from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (group_id uuid, is_lead boolean, is_shared boolean,
			at timestamptz, since timestamptz, dn text, class_name text, tenant text, change text, severity smallint,
			attributes jsonb, attributes_omitted integer)`.execute(tx.db);
}

/** Marks stored rows whose group has got more rows. */
export async function updateGroups(tx: Tx, changed: readonly { id: number; isLead: boolean }[]): Promise<void> {
	if (changed.length === 0) return;
	await sql`update object_changes c set is_shared = true, is_lead = n."isLead"
		from jsonb_to_recordset(${JSON.stringify(changed)}::jsonb) as n (id bigint, "isLead" boolean)
		where c.id = n.id`.execute(tx.db);
}

/** Copies who made the changes of a snapshot, if that has been looked up. Safe to repeat. */
export async function copyAttribution(tx: Tx, snapshotId: string): Promise<void> {
	await sql`
		update object_changes c set changed_by = o.value -> 'changed_by', changed_by_reason = o.value ->> 'changed_by_reason',
			users = array(select distinct r ->> 'user' from jsonb_array_elements(o.value -> 'changed_by') r
				where r ->> 'user' <> '')
		from snapshot_attributions a, jsonb_each(a.found -> 'objects') o
		where a.snapshot_id = ${snapshotId} and c.snapshot_id = ${snapshotId} and c.dn = o.key
			and c.changed_by is null`.execute(tx.db);
}

/** Deletes up to `limit` rows from before a time. Returns how many. */
export async function deleteChangesBefore(db: Db, before: Date, limit: number): Promise<number> {
	const { numAffectedRows } = await sql`delete from object_changes where id in (
		select id from object_changes where at < ${before} order by at limit ${limit})`.execute(db);
	return Number(numAffectedRows ?? 0);
}
