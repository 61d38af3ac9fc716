/** SQL of entries of checks whose alerts a maintenance holds. */
import { sql } from "kysely";
import type { Db, Tx } from "../../../core/ports/store.ts";
import type { HeldBy } from "../tables.ts";

/** An entry of a check by its ids; null: that of all connections together. */
export interface EntryKey {
	readonly check_id: string;
	readonly connection_id: string | null;
}

export interface HeldEntry extends EntryKey {
	readonly inputs: string | null;
}

/** Names the maintenance in entries whose alerts it holds; one that is named stays. */
export async function markHeld(tx: Tx, keys: readonly EntryKey[], held: HeldBy): Promise<void> {
	await sql`update check_states s set held_by = ${JSON.stringify({ id: held.id, title: held.title })}::jsonb
		from unnest(${keys.map(({ check_id }) => check_id)}::uuid[], ${keys.map(({ connection_id }) => connection_id)}::uuid[])
			as k(check_id, connection_id)
		where s.check_id = k.check_id and s.connection_id is not distinct from k.connection_id and s.held_by is null`.execute(
		tx.db,
	);
}

/** Calendar entries that hold alerts of checks. */
export async function listHoldingEntries(db: Db): Promise<HeldBy[]> {
	const { rows } = await sql<HeldBy>`
		select distinct on (held_by ->> 'id') held_by ->> 'id' as id, held_by ->> 'title' as title
		from check_states where held_by is not null order by 1`.execute(db);
	return rows;
}

/** The entries whose alerts a calendar entry holds, locked after their checks. */
export async function lockHeldEntries(tx: Tx, entryId: string): Promise<HeldEntry[]> {
	await sql`select from checks c
		where exists (select from check_states s where s.check_id = c.id and s.held_by ->> 'id' = ${entryId})
		order by c.id for share`.execute(tx.db);
	const { rows } = await sql<HeldEntry>`
		select check_id, connection_id, inputs from check_states where held_by ->> 'id' = ${entryId}
		order by check_id, connection_id for update`.execute(tx.db);
	return rows;
}

/** Ends the hold of a calendar entry. */
export async function clearHeld(tx: Tx, entryId: string): Promise<void> {
	await sql`update check_states set held_by = null where held_by ->> 'id' = ${entryId}`.execute(tx.db);
}
