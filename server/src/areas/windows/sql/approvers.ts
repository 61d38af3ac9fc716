/** SQL of the people who may approve a change window. */
import { sql } from "kysely";
import type { Db } from "../../../core/ports/store.ts";
import { buildHolderCondition } from "../../accounts/users/sql/users.ts";
import { isAdministrator } from "../../fabrics/sql/visible.ts";

/** Upper bound of the people who are notified. */
const MOST = 200;

/** The user of a name; null if the account is gone. */
export async function findUserId(db: Db, username: string): Promise<number | null> {
	const row = await db.selectFrom("users").select("id").where("username", "=", username).executeTakeFirst();
	return row?.id ?? null;
}

/** Active users except the requester who have the permission and see all connections. */
export async function listApprovers(db: Db, windowId: string, ownerId: number | null): Promise<number[]> {
	const { rows } = await sql<{ id: number }>`
		select u.id from users u
		where u.is_active and u.id is distinct from ${ownerId} and ${buildHolderCondition("approve_changewindow")}
			and (${isAdministrator("u")} or not exists (
				select from change_window_connections c join controller_connections k on k.id = c.connection_id
				where c.window_id = ${windowId} and not k.is_public and k.created_by <> u.id))
		order by u.id limit ${MOST}`.execute(db);
	return rows.map(({ id }) => id);
}
