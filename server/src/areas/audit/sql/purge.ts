/** SQL that purges entries. The store's trigger admits deletion by these statements only. */
import type { AuditCategory } from "@weft/contracts";
import { sql } from "kysely";
import type { Db, Tx } from "../../../core/ports/store.ts";

/** For this transaction only. */
const allowDeletion = (tx: Tx) => sql`select set_config('weft.audit_purge', 'on', true)`.execute(tx.db);

/** Days before a day on which these categories have sealed entries. */
export async function listDaysBefore(db: Db, categories: readonly AuditCategory[], before: string): Promise<string[]> {
	const { rows } = await sql<{ day: string }>`select distinct day::text as day from audit_days
		where category = any(${categories}) and day < ${before}::date order by day`.execute(db);
	return rows.map(({ day }) => day);
}

/** Removes one day's sealed entries of these categories; how many there were. */
export async function removeDayEntries(tx: Tx, categories: readonly AuditCategory[], day: string): Promise<number> {
	await allowDeletion(tx);
	await sql`update audit_chain set purges = purges + 1`.execute(tx.db);
	await sql`delete from audit_days where day = ${day}::date and category = any(${categories})`.execute(tx.db);
	const from = new Date(`${day}T00:00:00Z`);
	const removed = await sql`delete from only audit_log where category = any(${categories})
		and created_at >= ${from} and created_at < ${from}::timestamptz + interval '1 day'
		and id not in (select id from audit_pending)`.execute(tx.db);
	return Number(removed.numAffectedRows ?? 0);
}

/** Whether the chain already declares that a group's entries before a day may be missing. */
export async function isPurgeDeclared(tx: Tx, group: string, before: string): Promise<boolean> {
	const { rows } = await sql`select from audit_blocks
		where kind = 'purge' and ${group} = any(groups) and day >= ${before}::date limit 1`.execute(tx.db);
	return rows.length > 0;
}

/** Empties the lists of blocks whose entries are all purged as declared. Their MACs stay. */
export async function emptyPurgedBlocks(tx: Tx): Promise<void> {
	await allowDeletion(tx);
	await sql`update audit_blocks b set entry_ids = '{}', entry_groups = '{}', entry_hashes = ''
		where b.kind = 'entries' and b.entry_ids <> '{}'
			and not exists (select from unnest(b.groups) g(name) where not exists (
				select from audit_blocks p where p.kind = 'purge' and g.name = any(p.groups) and p.day > b.day))
			and not exists (select from only audit_log a where a.id = any(b.entry_ids))`.execute(tx.db);
}

/** Deletes segments of the index of terms whose entries are all purged. */
export async function removePurgedSegments(tx: Tx): Promise<void> {
	await sql`with gone as (
			delete from audit_segments where bit_count(present) = 0 returning segment
		) delete from audit_bits where segment in (select segment from gone)`.execute(tx.db);
}
