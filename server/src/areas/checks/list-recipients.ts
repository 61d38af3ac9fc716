/** People whom a check can name as recipients. */
import type { CheckRecipientsQuery } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Caller } from "../../core/caller.ts";
import { buildFieldError } from "../../core/errors.ts";
import { paginateRows } from "../../core/http/paging.ts";
import { isQueryVisible } from "../queries/saved/visible-query.ts";
import { listSeeingUsers } from "./sql/recipients.ts";

/** @throws 400 for a query that the caller does not see */
export async function listRecipients(ctx: Context, caller: Caller, filter: CheckRecipientsQuery, url: string) {
	const { saved_query, is_public } = filter;
	if (saved_query !== undefined && !(await isQueryVisible(ctx.store.db, caller, saved_query))) {
		throw buildFieldError("saved_query", "There is no such query that you can see.");
	}
	const check = { is_public, saved_query_id: saved_query ?? null, isQueryPublic: saved_query === undefined };
	return paginateRows(url, filter, await listSeeingUsers(ctx.store.db, check, filter), (user) => user);
}
