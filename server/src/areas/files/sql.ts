/** SQL of applying files. */
import { sql } from "kysely";
import type { Tx } from "../../core/ports/store.ts";

/** First key of the advisory lock; the second is the user. */
const APPLY_LOCK = 0x6170;

/** False while another transaction applies files of the user. */
export async function tryLockQueryFiles(tx: Tx, userId: number): Promise<boolean> {
	const { rows } = await sql<{ locked: boolean }>`
		select pg_try_advisory_xact_lock(${APPLY_LOCK}, ${userId}::integer) as locked`.execute(tx.db);
	return rows[0]?.locked === true;
}
