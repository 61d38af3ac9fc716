/** SQL of the number of verdicts, which is kept when windows are deleted. */
import type { Verdict } from "@weft/contracts";
import { sql } from "kysely";
import type { Db, Tx } from "../../../core/ports/store.ts";

/** Counts a verdict in the transaction that gives it. */
export async function incrementVerdictCount(tx: Tx, verdict: Verdict): Promise<void> {
	await sql`update change_verdict_counts set total = total + 1 where verdict = ${verdict}`.execute(tx.db);
}

/** Numbers of verdicts so far, each recheck counted. */
export async function listVerdictCounts(db: Db): Promise<{ verdict: Verdict; total: number }[]> {
	const { rows } = await sql<{ verdict: Verdict; total: number }>`
		select verdict, total::float8 as total from change_verdict_counts`.execute(db);
	return rows;
}
