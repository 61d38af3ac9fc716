/** SQL of automation requests. */
import type { AutomationRequestList, RequestStatus } from "@weft/contracts";
import { type Insertable, type RawBuilder, type Selectable, sql, type Updateable } from "kysely";
import { type Identity, isAllowed } from "../../../../core/caller.ts";
import { getOffset, type Page } from "../../../../core/http/paging.ts";
import type { Db, Tx } from "../../../../core/ports/store.ts";
import type { AutomationRequestsTable } from "../../tables.ts";
import { assertTransition, HELD_STATES, type JobCauses, listSources, listTargets } from "../rules/states.ts";

export type RequestRow = Selectable<AutomationRequestsTable>;
export interface ShownRequest extends RequestRow {
	/** Whether the viewer is in a group that decides, or every approver does. */
	readonly is_approver: boolean;
	readonly connection_name: string;
	/** Whether the template has a rollback now. */
	readonly has_rollback: boolean;
	/** Whether the template requires a change plan now. */
	readonly requires_change_plan: boolean;
	/** Null once the connection is gone. */
	readonly base_url: string | null;
	readonly api_root: string | null;
}
/** A row of a list: without the template's copy, and without many rows. */
export type ListedRequest = Omit<
	ShownRequest,
	"template_snapshot" | "secrets_sealed" | "input_data" | "change_plan"
> & {
	readonly input_data: unknown;
};

/** Requests with more rows than this are listed without them. */
const LISTED_ROWS = 100;

/** The unique constraint of a user's idempotency keys. */
export const KEY = "automation_requests_key";

const buildApproverCondition = (viewer: Pick<Identity, "userId">): RawBuilder<boolean> =>
	sql<boolean>`(cardinality(r.approver_group_ids) = 0 or exists (select from user_groups m
		where m.user_id = ${viewer.userId} and m.group_id = any(r.approver_group_ids)))`;

/** Own ones, and those that the viewer decides on; admins see all. `r` is the request. */
export function buildSeenByCondition(viewer: Identity): RawBuilder<boolean> {
	if (viewer.isAdmin) return sql<boolean>`true`;
	if (!isAllowed(viewer, "approve_automationrequest")) return sql<boolean>`(r.requested_by_id = ${viewer.userId})`;
	return sql<boolean>`(r.requested_by_id = ${viewer.userId} or (r.requires_approval and ${buildApproverCondition(viewer)}))`;
}

/** All columns except the rows, the secrets and the copy of the template. */
const COLUMNS = [
	"id title description status template_id template_name connection_id target_controller_id",
	"target_controller_name credential_id credential_name row_count row_counts input_source",
	"check_mode scheduled_for held_by_freeze idempotency_key requires_approval approver_group_ids requested_by_id",
	"requested_by requested_at edited_by_id approved_by approved_at approval_comment rejected_by",
	"rejected_at rejection_reason changes_requested version rows_digest watch_query_id rollback_of",
	"change_plan_id change_plan_name change_plan_revision change_window_id rollback_window_id",
	"launch_error warnings prompts executions_total automation_job_id started_at finished_at",
	"created_at updated_at",
].flatMap((line) => line.split(" "));

const selectJoinedRequests = (db: Db) =>
	db
		.selectFrom("automation_requests as r")
		.leftJoin("automation_connections as c", "c.id", "r.connection_id")
		.leftJoin("automation_templates as t", "t.id", "r.template_id");

const selectRequestExtras = (viewer: Identity) =>
	[
		buildApproverCondition(viewer).as("is_approver"),
		sql<string>`coalesce(c.name, r.connection_name)`.as("connection_name"),
		sql<boolean>`coalesce(t.rollback_template_id is not null, false)`.as("has_rollback"),
		sql<boolean>`coalesce(t.requires_change_plan, false)`.as("requires_change_plan"),
		"c.base_url",
		"c.api_root",
	] as const;

export async function listRequestPage(
	db: Db,
	viewer: Identity,
	filter: AutomationRequestList,
): Promise<Page<ListedRequest>> {
	const conditions = [buildSeenByCondition(viewer)];
	if (filter.status) conditions.push(sql`r.status = ${filter.status}`);
	if (filter.template) conditions.push(sql`r.template_id = ${filter.template}`);
	if (filter.automation_connection) conditions.push(sql`r.connection_id = ${filter.automation_connection}`);
	if (filter.requested_by) conditions.push(sql`r.requested_by = ${filter.requested_by}`);
	if (filter.my_requests === true) conditions.push(sql`r.requested_by_id = ${viewer.userId}`);
	if (filter.my_requests === false) conditions.push(sql`r.requested_by_id is distinct from ${viewer.userId}`);
	if (filter.check_mode !== undefined) conditions.push(sql`r.check_mode = ${filter.check_mode}`);
	if (filter.search) {
		conditions.push(sql`position(lower(${filter.search}) in lower(r.title || ' ' || r.description)) > 0`);
	}
	const where = sql<boolean>`${sql.join(conditions, sql` and `)}`;
	const descending = filter.ordering.startsWith("-");
	const field = filter.ordering.replace("-", "");
	const column = sql.ref(`r.${field}`);
	// Where none is null the words would keep the store from reading the list from an index.
	const nulls = field === "scheduled_for" ? sql`nulls last` : sql``;
	const [total, rows] = await Promise.all([
		selectJoinedRequests(db).select(sql<number>`count(*)::int`.as("count")).where(where).executeTakeFirstOrThrow(),
		selectJoinedRequests(db)
			.select(COLUMNS.map((name) => `r.${name}` as "r.id"))
			.select([
				...selectRequestExtras(viewer),
				// Tables of many rows would make a list of many megabytes.
				sql<unknown>`case when r.row_count <= ${LISTED_ROWS} then r.input_data end`.as("input_data"),
			])
			.where(where)
			.orderBy(descending ? sql`${column} desc ${nulls}` : sql`${column} asc ${nulls}`)
			.orderBy("r.id", descending ? "desc" : "asc")
			.limit(filter.page_size)
			.offset(getOffset(filter))
			.execute(),
	]);
	return { count: total.count, rows: rows as unknown as ListedRequest[] };
}

/** The request if the viewer sees it. */
export async function findShownRequest(db: Db, viewer: Identity, id: string): Promise<ShownRequest | undefined> {
	return selectJoinedRequests(db)
		.selectAll("r")
		.select([...selectRequestExtras(viewer)])
		.where("r.id", "=", id)
		.where(buildSeenByCondition(viewer))
		.executeTakeFirst();
}

export async function findRequestIdByKey(db: Db, userId: number, key: string): Promise<string | undefined> {
	const row = await db
		.selectFrom("automation_requests")
		.select("id")
		.where("requested_by_id", "=", userId)
		.where("idempotency_key", "=", key)
		.executeTakeFirst();
	return row?.id;
}

export async function findRequestRow(db: Db, id: string): Promise<RequestRow | undefined> {
	return db.selectFrom("automation_requests").selectAll().where("id", "=", id).executeTakeFirst();
}

/** Fails where the window has asked for the rollback of the request before. */
export async function insertWindowRollback(tx: Tx, requestId: string, windowId: string): Promise<void> {
	await tx.db
		.insertInto("automation_window_rollbacks")
		.values({ request_id: requestId, window_id: windowId })
		.execute();
}

/** The rollback of a request that a change window asked for. */
export async function findWindowRollback(db: Db, requestId: string, windowId: string): Promise<RequestRow | undefined> {
	return db
		.selectFrom("automation_requests")
		.selectAll()
		.where("rollback_of", "=", requestId)
		.where("rollback_window_id", "=", windowId)
		.executeTakeFirst();
}

/** The row, kept from changing until the transaction ends. */
export async function lockRequest(tx: Tx, id: string): Promise<RequestRow | undefined> {
	return tx.db.selectFrom("automation_requests").selectAll().where("id", "=", id).forUpdate().executeTakeFirst();
}

export async function insertRequest(tx: Tx, row: Insertable<AutomationRequestsTable>): Promise<void> {
	await tx.db.insertInto("automation_requests").values(row).execute();
}

/** Columns that change without a change of the status. */
type RequestValues = Omit<Updateable<AutomationRequestsTable>, "status">;

export async function updateRequest(tx: Tx, id: string, values: RequestValues): Promise<void> {
	await tx.db.updateTable("automation_requests").set(values).where("id", "=", id).execute();
}

/** Changes the status of a locked request, and other columns with it. */
export async function setRequestStatus(
	tx: Tx,
	row: Pick<RequestRow, "id" | "status">,
	cause: JobCauses["request"],
	status: RequestStatus,
	values: RequestValues,
): Promise<void> {
	assertTransition("request", row.status, status, cause);
	await tx.db
		.updateTable("automation_requests")
		.set({ ...values, status })
		.where("id", "=", row.id)
		.execute();
}

/** Sets a locked request to running, with one more execution. */
export async function attachExecution(
	tx: Tx,
	row: Pick<RequestRow, "id" | "status">,
	cause: "execute" | "retry" | "relaunch",
	values: RequestValues,
): Promise<void> {
	assertTransition("request", row.status, "running", cause);
	await tx.db
		.updateTable("automation_requests")
		.set((eb) => ({ ...values, status: "running", row_counts: null, executions_total: eb("executions_total", "+", 1) }))
		.where("id", "=", row.id)
		.execute();
}

/** A due request; the fields give its place in the order in which due requests are visited. */
export interface DueRequest {
	readonly id: string;
	readonly scheduled_for: Date;
	readonly requested_by_id: number | null;
}

const buildDueCondition = (now: Date): RawBuilder<boolean> =>
	sql<boolean>`(status in (${sql.join(listSources("request", "execute"))})
		and scheduled_for <= ${now} and held_by_freeze is null)`;

/** Lists requests that are due, except those that a freeze holds: the first ones after `last`. */
export async function listDueRequests(
	db: Db,
	now: Date,
	last: DueRequest | undefined,
	limit: number,
): Promise<DueRequest[]> {
	let query = db
		.selectFrom("automation_requests")
		.select(["id", "scheduled_for", "requested_by_id"])
		.where(buildDueCondition(now));
	if (last !== undefined)
		query = query.where(sql<boolean>`(scheduled_for, id) > (${last.scheduled_for}, ${last.id}::uuid)`);
	return query.orderBy("scheduled_for").orderBy("id").limit(limit).$narrowType<{ scheduled_for: Date }>().execute();
}

/** Locks a request if it is still due and no other process has locked it. */
export async function lockDueRequest(tx: Tx, id: string, now: Date): Promise<RequestRow | undefined> {
	return tx.db
		.selectFrom("automation_requests")
		.selectAll()
		.where("id", "=", id)
		.where(buildDueCondition(now))
		.forUpdate()
		.skipLocked()
		.executeTakeFirst();
}

/** Requests that need no approval and are not launched yet: of one template, or all. */
export async function listPendingRequests(db: Db, templateId: string | null) {
	let query = db
		.selectFrom("automation_requests")
		.select(["id", "connection_id"])
		.select(sql<number>`(template_snapshot ->> 'automation_job_template_id')::int`.as("server_template_id"))
		.where("status", "in", listSources("request", "require_approval"));
	if (templateId !== null) query = query.where("template_id", "=", templateId);
	return query.orderBy("id").execute();
}

export async function countRunningRequests(db: Db, userId: number): Promise<number> {
	const { count } = await db
		.selectFrom("automation_requests")
		.select(sql<number>`count(*)::int`.as("count"))
		.where("requested_by_id", "=", userId)
		.where("status", "=", "running")
		// A launch that waits for its change window has no job.
		.where(
			sql<boolean>`not exists (select from automation_executions e where e.request_id = automation_requests.id
				and e.launch_state in (${sql.join(HELD_STATES)}))`,
		)
		.executeTakeFirstOrThrow();
	return count;
}

/** The newest dry run that has ended, of the same rows by the same requester. */
export async function findDryRun(db: Db, row: RequestRow) {
	if (row.rows_digest === null || row.template_id === null) return undefined;
	const { variable_mappings, prompts } = row.template_snapshot as Readonly<Record<string, unknown>>;
	return db
		.selectFrom("automation_requests as r")
		.innerJoin("automation_executions as e", "e.request_id", "r.id")
		.select(["r.id", "r.title", "r.status", "r.launch_error", "e.finished_at", "e.job_id as automation_job_id"])
		.select(["e.ok_count", "e.changed_count", "e.failed_count", "e.row_counts"])
		.where("r.rows_digest", "=", row.rows_digest)
		.where("r.check_mode", "=", true)
		.where("r.id", "<>", row.id)
		.where("r.template_id", "=", row.template_id)
		.where("r.connection_id", "=", row.connection_id)
		.where(sql<boolean>`r.target_controller_id is not distinct from ${row.target_controller_id}`)
		.where(sql<boolean>`r.requested_by_id is not distinct from ${row.requested_by_id}`)
		.where(
			sql<boolean>`(r.template_snapshot -> 'variable_mappings')::jsonb = ${JSON.stringify(variable_mappings)}::jsonb`,
		)
		.where(
			sql<boolean>`(r.template_snapshot -> 'prompts')::jsonb || r.prompts::jsonb
				= ${JSON.stringify(prompts ?? {})}::jsonb || ${JSON.stringify(row.prompts)}::jsonb`,
		)
		.where("r.status", "in", listTargets("request", "end"))
		.where("e.finished_at", "is not", null)
		.orderBy("e.created_at", "desc")
		.limit(1)
		.executeTakeFirst();
}

/** Counts requests since an instant: the viewer's own, or all for administrators. */
export async function countRequestsSince(
	db: Db,
	viewer: Pick<Identity, "userId" | "isAdmin">,
	since: Date,
): Promise<number> {
	const base = db
		.selectFrom("automation_requests")
		.select(sql<number>`count(*)::int`.as("count"))
		.where("requested_at", ">=", since);
	const mine = viewer.isAdmin ? base : base.where("requested_by_id", "=", viewer.userId);
	return (await mine.executeTakeFirstOrThrow()).count;
}

/** Returns the names of groups in alphabetical order. */
export async function listGroupNames(db: Db, ids: readonly number[]): Promise<string[]> {
	if (ids.length === 0) return [];
	const rows = await db
		.selectFrom("groups")
		.select("name")
		.where("id", "in", [...ids])
		.orderBy("name")
		.execute();
	return rows.map(({ name }) => name);
}

/** Returns the first usernames of some users in alphabetical order. */
export async function listUsernames(db: Db, ids: readonly number[], limit: number): Promise<string[]> {
	if (ids.length === 0) return [];
	const rows = await db
		.selectFrom("users")
		.select("username")
		.where("id", "in", [...ids])
		.orderBy("username")
		.limit(limit)
		.execute();
	return rows.map(({ username }) => username);
}

/**
 * Returns the users who may decide on a request, except its requester: those with the right; if
 * there are none, superusers.
 */
export async function listApprovers(
	db: Db,
	row: Pick<RequestRow, "approver_group_ids" | "requested_by_id">,
): Promise<number[]> {
	const byGroup = sql<boolean>`exists (select from user_groups m where m.user_id = u.id
		and m.group_id = any(${row.approver_group_ids}::integer[]))`;
	const byRight = sql<boolean>`exists (select from permissions p where p.codename = 'approve_automationrequest' and (
		exists (select from user_permissions up where up.user_id = u.id and up.permission_id = p.id)
		or exists (select from user_groups m join group_permissions gp on gp.group_id = m.group_id
			where m.user_id = u.id and gp.permission_id = p.id)))`;
	const condition =
		row.approver_group_ids.length === 0 ? byRight : sql<boolean>`(${byGroup} and (u.is_superuser or ${byRight}))`;
	const users = db
		.selectFrom("users as u")
		.select("u.id")
		.where("u.is_active", "=", true)
		.where(sql<boolean>`u.id is distinct from ${row.requested_by_id}`)
		.orderBy("u.id")
		.limit(200);
	const deciding = await users.where(condition).execute();
	const rows = deciding.length > 0 ? deciding : await users.where("u.is_superuser", "=", true).execute();
	return rows.map(({ id }) => id);
}
