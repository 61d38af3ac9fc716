/** SQL of the recipients that a check adds to its owner. */
import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../../core/ports/store.ts";
import { isAdministrator } from "../../fabrics/sql/visible.ts";
import type { CheckRow } from "./checks.ts";

/** Whether the user `u` sees the saved query `q`. */
const SEES_QUERY = sql`(q.owner_id = u.id or q.is_public
	or exists (select from saved_query_shares share where share.query_id = q.id and share.user_id = u.id))`;

/** Whether the user `u` sees the connection `cc`. */
const SEES_CONNECTION = sql`(cc.is_public or cc.created_by = u.id)`;

/** Whether the user `u` sees all connections whose rows decided the state `s`. */
const SEES_INPUTS = sql`(s.inputs is null or not exists (
	select from unnest(string_to_array(s.inputs, ',')) as pair
		left join controller_connections cc on cc.id = split_part(pair, '=', 1)::uuid
	where cc.id is null or not ${SEES_CONNECTION}))`;

/** People whom the check `c` names and who see its state `s` on the connection `cc`, as ids. */
export const RECIPIENT_IDS: RawBuilder<number[]> = sql<number[]>`array(
	select u.id from users u join saved_queries q on q.id = c.saved_query_id
	where u.id = any(c.notify_user_ids) and u.id <> c.owner_id and u.is_active and (${isAdministrator("u")}
		or (c.is_public and ${SEES_QUERY} and (s.connection_id is null or ${SEES_CONNECTION}) and ${SEES_INPUTS}))
	order by u.id)`;

/** Those of the users that see a check that is not theirs; its query may not be stored yet. */
export async function listUsersWithSight(
	db: Db,
	ids: readonly number[],
	{ is_public, saved_query_id }: Pick<CheckRow, "is_public" | "saved_query_id">,
): Promise<number[]> {
	if (ids.length === 0) return [];
	const { rows } = await sql<{ id: number }>`
		select u.id from users u left join saved_queries q on q.id = ${saved_query_id}
		where u.id = any(${[...ids]}::integer[]) and u.is_active
			and (${isAdministrator("u")} or (${is_public} and ${SEES_QUERY}))`.execute(db);
	return rows.map(({ id }) => id);
}

/** Those of the webhooks that are the owner's or shared. */
export async function listUsableWebhooks(db: Db, ids: readonly string[], ownerId: number): Promise<string[]> {
	if (ids.length === 0) return [];
	const { rows } = await sql<{ id: string }>`
		select id from webhooks where id = any(${[...ids]}::uuid[]) and (user_id is null or user_id = ${ownerId})`.execute(
		db,
	);
	return rows.map(({ id }) => id);
}
