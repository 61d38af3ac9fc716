/** SQL of the attempts to sign in, as administrators read them. */
import type { AttemptList } from "@weft/contracts";
import { type Selectable, sql } from "kysely";
import { getOffset, type Page } from "../../../core/http/paging.ts";
import type { Schema } from "../../../core/ports/schema.ts";
import type { Db } from "../../../core/ports/store.ts";

const COLUMNS = [
	"id",
	"username",
	"success",
	"failure_reason",
	"ip_address",
	"user_agent",
	"attempted_at",
] as const satisfies (keyof Schema["login_attempts"])[];
export type AttemptRow = Pick<Selectable<Schema["login_attempts"]>, (typeof COLUMNS)[number]>;

/** @param usernameKey the username that is asked for, as names are compared */
export async function listAttempts(db: Db, filter: AttemptList, usernameKey: string | null): Promise<Page<AttemptRow>> {
	let matching = db.selectFrom("login_attempts");
	if (usernameKey !== null) matching = matching.where("username_key", "=", usernameKey);
	if (filter.success !== undefined) matching = matching.where("success", "=", filter.success);
	if (filter.ip) matching = matching.where("ip_address", "=", filter.ip);
	if (filter.created_after) matching = matching.where("attempted_at", ">=", new Date(filter.created_after));
	if (filter.created_before) matching = matching.where("attempted_at", "<=", new Date(filter.created_before));
	const { count } = await matching.select(sql<number>`count(*)`.as("count")).executeTakeFirstOrThrow();
	const direction = filter.ordering === "attempted_at" ? "asc" : "desc";
	const rows = await matching
		.select(COLUMNS)
		.orderBy("attempted_at", direction)
		.orderBy("id", direction)
		.limit(filter.page_size)
		.offset(getOffset(filter))
		.execute();
	return { count, rows };
}

export async function listFailuresSince(db: Db, since: Date): Promise<number> {
	const { count } = await db
		.selectFrom("login_attempts")
		.select(sql<number>`count(*)`.as("count"))
		.where("success", "=", false)
		.where("attempted_at", ">=", since)
		.executeTakeFirstOrThrow();
	return count;
}

export async function removeAttemptsBefore(db: Db, before: Date): Promise<void> {
	await db.deleteFrom("login_attempts").where("attempted_at", "<", before).execute();
}
