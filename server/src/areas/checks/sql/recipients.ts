/** SQL of the recipients that a check adds to its owner. */
import type { CheckRecipientsQuery, UserRef } from "@weft/contracts";
import { type RawBuilder, sql } from "kysely";
import { getOffset, type Page } from "../../../core/http/paging.ts";
import { buildContainsPattern } from "../../../core/like.ts";
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

/** A check as far as other people see it. */
export interface SeenCheck extends Pick<CheckRow, "is_public"> {
	/** Null for a query that is not stored yet, as for an id that is not stored. */
	readonly saved_query_id: string | null;
	/** Whether a query that is not stored yet will be public. */
	readonly isQueryPublic: boolean;
}

/** Whether the active user `u` sees a check that is not theirs. */
const buildSeesCheck = ({ is_public, isQueryPublic }: SeenCheck): RawBuilder<boolean> =>
	sql<boolean>`(u.is_active and (${isAdministrator("u")} or (${is_public} and (${isQueryPublic} or ${SEES_QUERY}))))`;

/** Those of the users that see a check that is not theirs; its query may not be stored yet. */
export async function listUsersWithSight(db: Db, ids: readonly number[], check: SeenCheck): Promise<number[]> {
	if (ids.length === 0) return [];
	const { rows } = await sql<{ id: number }>`
		select u.id from users u left join saved_queries q on q.id = ${check.saved_query_id}
		where u.id = any(${[...ids]}::integer[]) and ${buildSeesCheck(check)}`.execute(db);
	return rows.map(({ id }) => id);
}

/** By username. */
export async function listSeeingUsers(db: Db, check: SeenCheck, filter: CheckRecipientsQuery): Promise<Page<UserRef>> {
	const term = buildContainsPattern(filter.search ?? "");
	const found = sql`from users u left join saved_queries q on q.id = ${check.saved_query_id}
		where ${buildSeesCheck(check)}
			and (u.username ilike ${term} or u.first_name ilike ${term} or u.last_name ilike ${term})`;
	const counted = await sql<{ count: number }>`select count(*)::integer as count ${found}`.execute(db);
	const { rows } = await sql<UserRef>`select u.id, u.username, u.first_name, u.last_name ${found}
		order by u.username, u.id limit ${filter.page_size} offset ${getOffset(filter)}`.execute(db);
	return { count: counted.rows[0]?.count ?? 0, rows };
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
