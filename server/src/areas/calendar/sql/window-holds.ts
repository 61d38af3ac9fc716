/** SQL of change windows that hold alerts of their connections. */
import type { HoldKind } from "@weft/contracts";
import { sql } from "kysely";
import type { Db } from "../../../core/ports/store.ts";

export interface WindowHold {
	readonly id: string;
	readonly title: string;
	readonly ends_at: Date;
	readonly connection_ids: string[];
}

/** Lists windows from their opening to their verdict. A window without an end is shown for 24 h. */
export async function listWindowHolds(db: Db): Promise<WindowHold[]> {
	const { rows } = await sql<WindowHold>`
		select w.id, w.title, coalesce(w.ends_at, w.opened_at + interval '24 hours') as ends_at,
			array(select c.connection_id from change_window_connections c where c.window_id = w.id) as connection_ids
		from change_windows w where w.state in ('open', 'settling') and w.plan -> 'snapshot_query' is null`.execute(db);
	return rows;
}

/** Returns the kind of a hold that may be over, by its id. */
export async function findHoldKind(db: Db, id: string): Promise<HoldKind> {
	const { rows } = await sql`select from change_windows where id = ${id}`.execute(db);
	return rows.length > 0 ? "change_window" : "maintenance";
}
