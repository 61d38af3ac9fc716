/** SQL of the snapshots that a preview compares. */
import { sql } from "kysely";
import type { Db } from "../../../core/ports/store.ts";

/** The two latest snapshots of runs with the query's own variable values, the latest first. */
export async function listLatestTwo(
	db: Db,
	savedQueryId: string,
	connectionId: string,
): Promise<{ id: string; executed_at: Date }[]> {
	const { rows } = await sql<{ id: string; executed_at: Date }>`
		select s.id, s.executed_at from snapshots s join snapshot_histories h on h.id = s.history_id
		where h.saved_query_id = ${savedQueryId} and s.controller_connection_id = ${connectionId}
			and s.values_digest is null and s.origin = 'run'
		order by s.executed_at desc, s.position desc limit 2`.execute(db);
	return rows;
}
