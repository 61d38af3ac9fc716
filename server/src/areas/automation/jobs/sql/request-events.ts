/** SQL of the history of requests. */
import type { RequestAction, RequestChange } from "@weft/contracts";
import { type Selectable, sql } from "kysely";
import { getOffset, type Page, type PageQuery } from "../../../../core/http/paging.ts";
import type { Db, Tx } from "../../../../core/ports/store.ts";
import type { AutomationRequestEventsTable } from "../../tables.ts";

export type RequestEventRow = Omit<Selectable<AutomationRequestEventsTable>, "id" | "request_id" | "superseded">;

export interface NewEvent {
	readonly requestId: string;
	readonly at: Date;
	readonly username: string;
	readonly action: RequestAction;
	readonly version: number;
	readonly digest: string | null;
	readonly comment?: string;
	readonly changes?: { readonly changes: readonly RequestChange[]; readonly total: number };
	/** The version before a change, as JSON; null where it is too large. */
	readonly superseded?: string | null;
}

const SHOWN = ["at", "username", "action", "version", "changes", "changes_total", "comment", "digest"] as const;

export async function insertRequestEvent(tx: Tx, event: NewEvent): Promise<RequestEventRow> {
	return tx.db
		.insertInto("automation_request_events")
		.values({
			request_id: event.requestId,
			at: event.at,
			username: event.username,
			action: event.action,
			version: event.version,
			digest: event.digest,
			comment: event.comment ?? "",
			changes: JSON.stringify(event.changes?.changes ?? []),
			changes_total: event.changes?.total ?? 0,
			superseded: event.superseded ?? null,
		})
		.returning(SHOWN)
		.executeTakeFirstOrThrow();
}

export async function listRequestEvents(db: Db, requestId: string, query: PageQuery): Promise<Page<RequestEventRow>> {
	const base = db.selectFrom("automation_request_events").where("request_id", "=", requestId);
	const [{ count }, rows] = await Promise.all([
		base.select(sql<number>`count(*)::int`.as("count")).executeTakeFirstOrThrow(),
		base.select(SHOWN).orderBy("id").limit(query.page_size).offset(getOffset(query)).execute(),
	]);
	return { count, rows };
}

/** The version that a change replaced; undefined: there is none, null: it was too large. */
export async function findSupersededVersion(db: Db, requestId: string, version: number): Promise<unknown> {
	const row = await db
		.selectFrom("automation_request_events")
		.select("superseded")
		.where("request_id", "=", requestId)
		.where("action", "=", "changed")
		.where("version", "=", version + 1)
		.executeTakeFirst();
	return row === undefined ? undefined : row.superseded;
}

export async function countRequestComments(db: Db, requestId: string): Promise<number> {
	const { count } = await db
		.selectFrom("automation_request_events")
		.select(sql<number>`count(*)::int`.as("count"))
		.where("request_id", "=", requestId)
		.where("action", "=", "commented")
		.executeTakeFirstOrThrow();
	return count;
}

/** Active users who decided or commented on the request, except one. */
export async function listParticipants(db: Db, requestId: string, exceptUserId: number): Promise<number[]> {
	const rows = await db
		.selectFrom("automation_request_events as e")
		.innerJoin("users as u", "u.username", "e.username")
		.select("u.id")
		.distinct()
		.where("e.request_id", "=", requestId)
		.where("e.action", "in", ["approved", "rejected", "changes_requested", "commented"])
		.where("u.is_active", "=", true)
		.where("u.id", "<>", exceptUserId)
		.orderBy("u.id")
		.execute();
	return rows.map(({ id }) => id);
}
