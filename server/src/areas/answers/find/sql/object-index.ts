/** SQL that keeps the index of objects. All of it runs under the lease of the history's index. */
import { sql } from "kysely";
import type { Db, Tx } from "../../../../core/ports/store.ts";
import type { Term } from "../rules/terms.ts";

/** Lease of the work on the index of one history, in milliseconds. Each batch renews it. */
const LEASE_MS = 60_000;

export interface IndexState {
	readonly history_id: string;
	readonly position: number;
	readonly snapshot_count: number;
}

/** Histories whose index differs from them, and indexes of histories that are gone. */
export async function listOutdatedIndexes(db: Db, limit: number): Promise<string[]> {
	const { rows } = await sql<{ id: string }>`
		select h.id from snapshot_histories h left join object_indexes i on i.history_id = h.id
			where h.saved_query_id is not null and i.revision is distinct from h.revision
		union all select i.history_id from object_indexes i
			where not exists (select from snapshot_histories h where h.id = i.history_id)
		limit ${limit}`.execute(db);
	return rows.map(({ id }) => id);
}

export async function isIndexOutdated(db: Db, historyId: string): Promise<boolean> {
	const { rows } = await sql`
		select from snapshot_histories h left join object_indexes i on i.history_id = h.id
		where h.id = ${historyId} and h.saved_query_id is not null and i.revision is distinct from h.revision
		union all select from object_indexes i
		where i.history_id = ${historyId} and not exists (select from snapshot_histories h where h.id = i.history_id)`.execute(
		db,
	);
	return rows.length > 0;
}

/** The history of an index; undefined if it is gone or not one of a saved query. */
export async function findIndexedHistory(
	db: Db,
	historyId: string,
): Promise<{ revision: number; saved_query_id: string } | undefined> {
	const { rows } = await sql<{ revision: number; saved_query_id: string }>`
		select revision, saved_query_id from snapshot_histories
		where id = ${historyId} and saved_query_id is not null`.execute(db);
	return rows[0];
}

export async function insertIndex(db: Db, historyId: string, savedQueryId: string): Promise<void> {
	await db
		.insertInto("object_indexes")
		.values({ history_id: historyId, saved_query_id: savedQueryId, connection_id: null, held_by: null })
		.onConflict((conflict) => conflict.column("history_id").doNothing())
		.execute();
}

/** Takes the lease; undefined if another worker holds it. */
export async function takeIndex(db: Db, historyId: string, holder: string, now: Date): Promise<IndexState | undefined> {
	const { rows } = await sql<IndexState>`
		update object_indexes set held_by = ${holder}, held_until = ${new Date(now.getTime() + LEASE_MS)}
		where history_id = ${historyId} and (held_by is null or held_until <= ${now} or held_by = ${holder})
		returning history_id, position, snapshot_count`.execute(db);
	return rows[0];
}

/** Renews the lease in the batch's transaction. False if another worker holds it. */
export async function renewIndex(tx: Tx, historyId: string, holder: string, now: Date): Promise<boolean> {
	const { rows } = await sql`
		update object_indexes set held_until = ${new Date(now.getTime() + LEASE_MS)}
		where history_id = ${historyId} and held_by = ${holder} returning 1 as one`.execute(tx.db);
	return rows.length > 0;
}

export async function releaseIndex(db: Db, historyId: string, holder: string): Promise<void> {
	await sql`update object_indexes set held_by = null, held_until = null
		where history_id = ${historyId} and held_by = ${holder}`.execute(db);
}

/** The newest snapshot of a history, and the index that only lacks that one. */
export interface NewestStep {
	readonly id: string;
	readonly position: number;
	readonly controller_connection_id: string | null;
	/** The snapshot before it, which is the latest one of the index. */
	readonly from_id: string;
	readonly from_position: number;
	/** Revision of the history, and of the index. */
	readonly revision: number;
	readonly from_revision: number;
	readonly snapshot_count: number;
}

/** Returns undefined unless the index lacks only the newest snapshot, and no worker holds it. */
export async function findNewestStep(db: Db, historyId: string, now: Date): Promise<NewestStep | undefined> {
	const { rows } = await sql<NewestStep>`
		select n.id, n.position, n.controller_connection_id, p.snapshot_id as from_id, p.position as from_position,
			h.revision, i.revision as from_revision, i.snapshot_count
		from snapshot_histories h join object_indexes i on i.history_id = h.id
		join lateral (select s.id, s.position, s.controller_connection_id from snapshots s where s.history_id = h.id
			order by s.position desc limit 1) n on true
		join indexed_snapshots p on p.history_id = h.id and p.position = i.position
		where h.id = ${historyId} and h.saved_query_id is not null and h.revision = i.revision + 1
			and n.position > i.position and (i.held_by is null or i.held_until <= ${now})
			and (select count(*) from snapshots s where s.history_id = h.id) = i.snapshot_count + 1`.execute(db);
	return rows[0];
}

/** Moves the index to the newest snapshot. False if another worker has changed it meanwhile. */
export async function takeNewestStep(tx: Tx, historyId: string, step: NewestStep, now: Date): Promise<boolean> {
	const { rows } = await sql`
		update object_indexes set position = ${step.position}, connection_id = ${step.controller_connection_id},
			revision = ${step.revision}, snapshot_count = ${step.snapshot_count + 1}
		where history_id = ${historyId} and revision = ${step.from_revision} and position = ${step.from_position}
			and (held_by is null or held_until <= ${now}) returning 1 as one`.execute(tx.db);
	return rows.length > 0;
}

export interface IndexableSnapshot {
	readonly id: string;
	readonly position: number;
	readonly controller_connection_id: string | null;
	readonly bytes: number;
}

/** The latest snapshot that the index has; undefined if it has none. */
export async function findLatestIndexed(db: Db, historyId: string): Promise<IndexableSnapshot | undefined> {
	const { rows } = await sql<IndexableSnapshot>`
		select s.id, s.position, s.controller_connection_id, s.result_size_bytes as bytes
		from indexed_snapshots i join snapshots s on s.id = i.snapshot_id
		where i.history_id = ${historyId} order by i.position desc limit 1`.execute(db);
	return rows[0];
}

/** The oldest snapshot behind a position; undefined if there is none. */
export async function findSnapshotBehind(
	db: Db,
	historyId: string,
	position: number,
): Promise<IndexableSnapshot | undefined> {
	const { rows } = await sql<IndexableSnapshot>`
		select id, position, controller_connection_id, result_size_bytes as bytes from snapshots
		where history_id = ${historyId} and position > ${position} order by position limit 1`.execute(db);
	return rows[0];
}

/**
 * Takes back what rows say about positions behind one: those of snapshots that are gone, or that
 * were not indexed completely. The positions may be used again.
 */
export async function truncateIndex(tx: Tx, historyId: string, position: number): Promise<void> {
	await sql`
		update indexed_objects set presence = case when ${position}::integer <@ presence
			then presence * int4multirange(int4range(null, ${position}::integer))
				+ int4multirange(int4range(${position}::integer, null))
			else presence * int4multirange(int4range(null, ${position}::integer)) end
		where history_id = ${historyId} and case when ${position}::integer <@ presence
			then not presence @> int4range(${position}::integer, null)
			else presence && int4range(${position}::integer, null) end`.execute(tx.db);
	await sql`delete from indexed_objects where history_id = ${historyId} and isempty(presence)`.execute(tx.db);
	await sql`update object_indexes set position = ${position} where history_id = ${historyId}`.execute(tx.db);
}

/** From now on rows may mention the position. */
export async function reachPosition(tx: Tx, historyId: string, next: IndexableSnapshot): Promise<void> {
	await sql`update object_indexes set position = ${next.position}, connection_id = ${next.controller_connection_id}
		where history_id = ${historyId}`.execute(tx.db);
}

export interface ObjectRow {
	readonly dn: string;
	readonly dn_key: string;
	readonly parent_key: string | null;
	readonly name_key: string | null;
	readonly target_key: string | null;
	readonly target_dn: string | null;
	readonly class_name: string;
	readonly label: string;
	readonly terms_key: string;
	readonly terms: readonly Term[];
}

/** Stores that the snapshot at the position has these objects, each with a DN of its own. */
export async function upsertObjects(
	tx: Tx,
	historyId: string,
	position: number,
	objects: readonly ObjectRow[],
): Promise<void> {
	if (objects.length === 0) return;
	const known = await sql<{ id: string; dn_key: string; terms_key: string; is_present: boolean }>`
		select id, dn_key, terms_key, presence @> int4range(${position}::integer, null) as is_present from indexed_objects
		where history_id = ${historyId} and dn_key = any(${objects.map(({ dn_key }) => dn_key)}::uuid[])`.execute(tx.db);
	const rows = new Map(known.rows.map((row) => [row.dn_key, row]));
	const added = objects.filter(({ dn_key }) => !rows.has(dn_key));
	const ids = added.length === 0 ? new Map<string, string>() : await insertObjects(tx, historyId, position, added);
	const changed = objects.flatMap((object) => {
		const row = rows.get(object.dn_key);
		return row === undefined || (row.is_present && row.terms_key === object.terms_key)
			? []
			: [{ ...object, id: row.id }];
	});
	if (changed.length > 0) await updateObjects(tx, position, changed);
	const replaced = changed.filter(({ dn_key, terms_key }) => rows.get(dn_key)?.terms_key !== terms_key);
	await replaceTerms(tx, replaced);
	await insertTerms(tx, buildTermRows(added.map((object) => ({ ...object, id: ids.get(object.dn_key) as string }))));
}

type StoredObject = ObjectRow & { readonly id: string };

/** Returns the ids of the objects by their keys. */
async function insertObjects(tx: Tx, historyId: string, position: number, objects: readonly ObjectRow[]) {
	const plain = objects.map(({ terms: _, ...row }) => row);
	const { rows } = await sql<{ id: string; dn_key: string }>`
		insert into indexed_objects
			(history_id, dn, dn_key, parent_key, name_key, target_key, target_dn, class_name, label, presence, terms_key)
		select ${historyId}::uuid, dn, dn_key, parent_key, name_key, target_key, target_dn, class_name, label,
			int4multirange(int4range(${position}::integer, null)), terms_key
		from jsonb_to_recordset(${JSON.stringify(plain)}::jsonb) as n(dn text, dn_key uuid, parent_key uuid, name_key uuid,
			target_key uuid, target_dn text, class_name text, label text, terms_key uuid)
		returning id, dn_key`.execute(tx.db);
	return new Map(rows.map(({ id, dn_key }) => [dn_key, id]));
}

async function updateObjects(tx: Tx, position: number, objects: readonly StoredObject[]): Promise<void> {
	const plain = objects.map(({ terms: _, dn: _dn, ...row }) => row);
	await sql`
		update indexed_objects o set presence = o.presence + int4multirange(int4range(${position}::integer, null)),
			terms_key = n.terms_key, class_name = n.class_name, label = n.label, target_key = n.target_key,
			target_dn = n.target_dn
		from jsonb_to_recordset(${JSON.stringify(plain)}::jsonb) as n(id bigint, terms_key uuid, class_name text, label text,
			target_key uuid, target_dn text)
		where o.id = n.id`.execute(tx.db);
}

const buildTermRows = (objects: readonly StoredObject[]) =>
	objects.flatMap(({ id, terms }) =>
		terms.map(({ vlans, ...term }) => ({ object_id: id, ...term, vlans: vlans && `[${vlans[0]},${vlans[1]}]` })),
	);
type TermRow = ReturnType<typeof buildTermRows>[number];

const TERM_COLUMNS = sql`n(object_id bigint, attribute text, value text, term text, net inet, vlans int4range)`;

async function insertTerms(tx: Tx, terms: readonly TermRow[]): Promise<void> {
	if (terms.length === 0) return;
	await sql`insert into object_terms (object_id, attribute, value, term, net, vlans)
		select object_id, attribute, value, term, net, vlans
		from jsonb_to_recordset(${JSON.stringify(terms)}::jsonb) as ${TERM_COLUMNS}`.execute(tx.db);
}

/** Deletes the terms that objects no longer have, and adds those that are new. */
async function replaceTerms(tx: Tx, objects: readonly StoredObject[]): Promise<void> {
	if (objects.length === 0) return;
	const ids = objects.map(({ id }) => id);
	const stored = await sql<{ object_id: string; attribute: string; value: string; term: string; place: string }>`
		select object_id, attribute, value, term, ctid::text as place from object_terms
		where object_id = any(${ids}::bigint[])`.execute(tx.db);
	const key = (row: { object_id: unknown; attribute: string; value: string; term: string }) =>
		JSON.stringify([String(row.object_id), row.attribute, row.value, row.term]);
	const terms = buildTermRows(objects);
	const wanted = new Set(terms.map(key));
	const gone = stored.rows.filter((row) => !wanted.has(key(row))).map(({ place }) => place);
	const kept = new Set(stored.rows.map(key));
	if (gone.length > 0) await sql`delete from object_terms where ctid = any(${gone}::tid[])`.execute(tx.db);
	await insertTerms(
		tx,
		terms.filter((row) => !kept.has(key(row))),
	);
}

/** Stores that the snapshot at the position lacks these objects. */
export async function endObjects(tx: Tx, historyId: string, position: number, keys: readonly string[]): Promise<void> {
	if (keys.length === 0) return;
	await sql`update indexed_objects set presence = presence * int4multirange(int4range(null, ${position}::integer))
		where history_id = ${historyId} and dn_key = any(${keys}::uuid[])`.execute(tx.db);
}

/** Marks a snapshot as indexed. Does nothing if it is gone: its position is taken back later. */
export async function insertIndexedSnapshot(tx: Tx, historyId: string, next: { readonly id: string }): Promise<void> {
	await sql`insert into indexed_snapshots (snapshot_id, history_id, position, executed_at)
		select id, history_id, position, executed_at from snapshots
		where id = ${next.id} and history_id = ${historyId} for key share
		on conflict do nothing`.execute(tx.db);
}

/** Deletes some objects that no indexed snapshot has; returns how many. */
export async function deleteLostObjects(tx: Tx, historyId: string, limit: number): Promise<number> {
	const { rows } = await sql`
		delete from indexed_objects where id in (
			select o.id from indexed_objects o where o.history_id = ${historyId} and not exists (
				select from indexed_snapshots i where i.history_id = o.history_id and i.position <@ o.presence)
			limit ${limit}) returning 1 as one`.execute(tx.db);
	return rows.length;
}

/** Deletes the index of a history that is gone, after its rows. */
export async function deleteIndex(db: Db, historyId: string): Promise<void> {
	await db.deleteFrom("object_indexes").where("history_id", "=", historyId).execute();
}

export async function countIndexedSnapshots(db: Db, historyId: string): Promise<number> {
	const { rows } = await sql<{ count: number }>`
		select count(*)::integer as count from indexed_snapshots where history_id = ${historyId}`.execute(db);
	return rows[0]?.count ?? 0;
}

/** Notes the revision that the index has. */
export async function completeIndex(tx: Tx, historyId: string, revision: number, count: number): Promise<void> {
	await sql`update object_indexes set revision = ${revision}, snapshot_count = ${count}
		where history_id = ${historyId}`.execute(tx.db);
}
