/** SQL of the history of requests. */
import type { RequestAction, RequestChange, RequestHistoryEntry } from "@weft/contracts";
import { type Selectable, sql } from "kysely";
import type { Identity } from "../../../../core/caller.ts";
import { getOffset, type Page, type PageQuery } from "../../../../core/http/paging.ts";
import type { Db, Tx } from "../../../../core/ports/store.ts";
import type { AutomationRequestEventsTable } from "../../tables.ts";
import { buildSeenByCondition } from "./requests.ts";

const SHOWN = ["at", "username", "action", "version", "changes", "changes_total", "comment", "digest"] as const;

type EventColumns = Pick<Selectable<AutomationRequestEventsTable>, (typeof SHOWN)[number]>;
export type RequestEventRow = EventColumns & Pick<RequestHistoryEntry, "execution" | "request">;

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
	/** The job of a launch or of its end. */
	readonly executionId?: string;
	/** The other request of a copy or a rollback. */
	readonly relatedId?: string | null;
}

/** Returns the entry without its job and the other request. */
export async function insertRequestEvent(tx: Tx, event: NewEvent): Promise<RequestEventRow> {
	const row = await tx.db
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
			execution_id: event.executionId ?? null,
			related_id: event.relatedId ?? null,
		})
		.returning(SHOWN)
		.executeTakeFirstOrThrow();
	return { ...row, execution: null, request: null };
}

/** The history of a request, with those other requests that the viewer sees. */
export async function listRequestEvents(
	db: Db,
	viewer: Identity,
	requestId: string,
	query: PageQuery,
): Promise<Page<RequestEventRow>> {
	const base = db.selectFrom("automation_request_events as h").where("h.request_id", "=", requestId);
	const [{ count }, rows] = await Promise.all([
		base.select(sql<number>`count(*)::int`.as("count")).executeTakeFirstOrThrow(),
		base
			.leftJoin("automation_executions as e", "e.id", "h.execution_id")
			.leftJoin("automation_requests as r", (join) =>
				join.onRef("r.id", "=", "h.related_id").on(buildSeenByCondition(viewer)),
			)
			.select(SHOWN.map((name) => `h.${name}` as const))
			.select([
				sql<RequestEventRow["execution"]>`case when e.id is null then null else jsonb_build_object(
					'id', e.id, 'automation_job_id', e.job_id, 'status', e.status, 'row_counts', e.row_counts) end`.as(
					"execution",
				),
				sql<RequestEventRow["request"]>`case when r.id is null then null
					else jsonb_build_object('id', r.id, 'title', r.title) end`.as("request"),
			])
			.orderBy("h.id")
			.limit(query.page_size)
			.offset(getOffset(query))
			.execute(),
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
