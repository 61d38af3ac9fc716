/** SQL of entries of checks whose alerts a maintenance or a change window holds. */
import { sql } from "kysely";
import type { Db, Tx } from "../../../core/ports/store.ts";
import { isAdministrator } from "../../fabrics/sql/visible.ts";
import type { HeldBy } from "../tables.ts";
import { buildSeenByCondition } from "./checks.ts";

export interface EntryKey {
	readonly check_id: string;
	/** Null for the entry of all connections together. */
	readonly connection_id: string | null;
}

export interface HeldEntry extends EntryKey {
	readonly inputs: string | null;
}

/** Names a hold in entries that name none. */
export async function markHeld(tx: Tx, keys: readonly EntryKey[], { id, title }: HeldBy): Promise<void> {
	const checkIds = keys.map(({ check_id }) => check_id);
	const connectionIds = keys.map(({ connection_id }) => connection_id);
	await sql`update check_states s set held_by = ${JSON.stringify({ id, title })}::jsonb
		from unnest(${checkIds}::uuid[], ${connectionIds}::uuid[]) as k(check_id, connection_id)
		where s.check_id = k.check_id and s.connection_id is not distinct from k.connection_id
			and s.held_by is null`.execute(tx.db);
}

/** Lists the holds that have alerts of checks. */
export async function listCheckHolds(db: Db): Promise<HeldBy[]> {
	const { rows } = await sql<HeldBy>`
		select distinct on (held_by ->> 'id') held_by ->> 'id' as id, held_by ->> 'title' as title
		from check_states where held_by is not null order by 1`.execute(db);
	return rows;
}

/**
 * Locks the entries whose alerts a hold has, after their checks, and returns them.
 * @param waits false: leaves out checks and entries that other transactions have locked
 */
export async function lockHeldEntries(tx: Tx, holdId: string, waits: boolean): Promise<HeldEntry[]> {
	const skip = waits ? sql`` : sql`skip locked`;
	const checks = await sql<{ id: string }>`select c.id from checks c
		where exists (select from check_states s where s.check_id = c.id and s.held_by ->> 'id' = ${holdId})
		order by c.id for share ${skip}`.execute(tx.db);
	const { rows } = await sql<HeldEntry>`
		select check_id, connection_id, inputs from check_states
		where held_by ->> 'id' = ${holdId} and check_id = any(${checks.rows.map(({ id }) => id)}::uuid[])
		order by check_id, connection_id for update ${skip}`.execute(tx.db);
	return rows;
}

/** Removes the hold from entries. */
export async function clearHeld(tx: Tx, keys: readonly EntryKey[]): Promise<void> {
	await sql`update check_states s set held_by = null
		from unnest(${keys.map((key) => key.check_id)}::uuid[], ${keys.map((key) => key.connection_id)}::uuid[])
			as k(check_id, connection_id)
		where s.check_id = k.check_id and s.connection_id is not distinct from k.connection_id`.execute(tx.db);
}

/** The checks among some that a user sees, by their ids. */
export async function listSeenChecks(
	db: Db,
	userId: number,
	checkIds: readonly string[],
): Promise<ReadonlySet<string>> {
	const user = await db
		.selectFrom("users as u")
		.select(isAdministrator("u").as("isAdmin"))
		.where("u.id", "=", userId)
		.executeTakeFirst();
	if (user === undefined) return new Set();
	const { rows } = await sql<{ id: string }>`
		select c.id from checks c join saved_queries q on q.id = c.saved_query_id
		where c.id = any(${checkIds}::uuid[]) and ${buildSeenByCondition({ userId, isAdmin: user.isAdmin })}`.execute(db);
	return new Set(rows.map(({ id }) => id));
}
