/** SQL of change windows whose work goes on: alerts of their connections are held. */
import { sql } from "kysely";
import type { Db } from "../../../core/ports/store.ts";

export interface WindowHold {
	readonly id: string;
	readonly title: string;
	readonly ends_at: Date;
	readonly connection_ids: string[];
}

/** From their opening to their verdict. Without an end, a window is open for a day. */
export async function listWindowHolds(db: Db): Promise<WindowHold[]> {
	const { rows } = await sql<WindowHold>`
		select w.id, w.title, coalesce(w.ends_at, w.opened_at + interval '24 hours') as ends_at,
			array(select c.connection_id from change_window_connections c where c.window_id = w.id) as connection_ids
		from change_windows w where w.state in ('open', 'settling')`.execute(db);
	return rows;
}
