/** SQL of executions: lists, one, its rows, nodes and output. */
import type { AutomationExecutionList, AutomationExecutionStatus } from "@weft/contracts";
import { type Insertable, type RawBuilder, type Selectable, sql, type Updateable } from "kysely";
import { getOffset, type Page } from "../../../../core/http/paging.ts";
import type { Db, Tx } from "../../../../core/ports/store.ts";
import type { AutomationExecutionsTable, AutomationNodesTable } from "../../tables.ts";
import { assertTransition, deriveEndedLaunch, HELD_STATES, type JobCauses } from "../rules/states.ts";
import type { SnapshotRow } from "./job-snapshots.ts";

export type ExecutionRow = Selectable<AutomationExecutionsTable>;
export type NodeRow = Selectable<AutomationNodesTable>;
/** With the display fields of its request and connection. */
export interface ShownExecution extends ExecutionRow {
	readonly request_title: string;
	readonly template_name: string;
	readonly connection_name: string;
	/** Null once the connection is gone. */
	readonly base_url: string | null;
	/** Snapshots around the job, where there are to be some. */
	readonly snapshots: readonly Omit<SnapshotRow, "execution_id" | "tries">[];
	readonly api_root: string | null;
}

/** The visibility to a caller, as an SQL condition on the request `r`. */
export type Visible = RawBuilder<boolean>;

const NULLABLE = new Set(["started_at", "finished_at"]);

const selectJoinedExecutions = (db: Db) =>
	db
		.selectFrom("automation_executions as e")
		.innerJoin("automation_requests as r", "r.id", "e.request_id")
		.leftJoin("automation_connections as c", "c.id", "e.connection_id");

const selectShownExecutions = (db: Db) =>
	selectJoinedExecutions(db)
		.selectAll("e")
		.select([
			"r.title as request_title",
			"r.template_name",
			sql<string>`coalesce(c.name, r.connection_name)`.as("connection_name"),
			"c.base_url",
			"c.api_root",
			sql<ShownExecution["snapshots"]>`(select coalesce(jsonb_agg(w), '[]') from automation_watches w
				where w.execution_id = e.id)`.as("snapshots"),
		]);

export async function listExecutions(
	db: Db,
	visible: Visible,
	filter: AutomationExecutionList,
): Promise<Page<ShownExecution>> {
	const conditions = [visible];
	if (filter.automation_request) conditions.push(sql`e.request_id = ${filter.automation_request}`);
	if (filter.automation_connection) conditions.push(sql`e.connection_id = ${filter.automation_connection}`);
	if (filter.status) conditions.push(sql`e.status = ${filter.status}`);
	const where = sql<boolean>`${sql.join(conditions, sql` and `)}`;
	const descending = filter.ordering.startsWith("-");
	const field = filter.ordering.replace("-", "");
	const column = sql.ref(`e.${field}`);
	// Where none is null the words would keep the store from reading the list from an index.
	const nulls = NULLABLE.has(field) ? sql`nulls last` : sql``;
	const [total, rows] = await Promise.all([
		selectJoinedExecutions(db).select(sql<number>`count(*)::int`.as("count")).where(where).executeTakeFirstOrThrow(),
		selectShownExecutions(db)
			.where(where)
			.orderBy(descending ? sql`${column} desc ${nulls}` : sql`${column} asc ${nulls}`)
			.orderBy("e.id", descending ? "desc" : "asc")
			.limit(filter.page_size)
			.offset(getOffset(filter))
			.execute(),
	]);
	return { count: total.count, rows };
}

export async function findShownExecution(db: Db, visible: Visible, id: string): Promise<ShownExecution | undefined> {
	return selectShownExecutions(db).where("e.id", "=", id).where(visible).executeTakeFirst();
}

export async function findExecutionRow(db: Db, id: string): Promise<ExecutionRow | undefined> {
	return db.selectFrom("automation_executions").selectAll().where("id", "=", id).executeTakeFirst();
}

export async function listRequestExecutions(db: Db, requestId: string): Promise<ExecutionRow[]> {
	return db
		.selectFrom("automation_executions")
		.selectAll()
		.where("request_id", "=", requestId)
		.orderBy("created_at")
		.orderBy("id")
		.execute();
}

/** The open executions of a request, kept from changing until the transaction ends. */
export async function lockOpenExecutions(tx: Tx, requestId: string): Promise<ExecutionRow[]> {
	return tx.db
		.selectFrom("automation_executions")
		.selectAll()
		.where("request_id", "=", requestId)
		.where("finished_at", "is", null)
		.orderBy("created_at")
		.orderBy("id")
		.forUpdate()
		.execute();
}

/** The worst rank of each row with a result. */
export async function listRowRanks(
	db: Db,
	executionId: string,
): Promise<{ sheet: string; row_index: number; rank: number }[]> {
	return db
		.selectFrom("automation_row_results")
		.select(["sheet", "row_index", sql<number>`max(rank)::int`.as("rank")])
		.where("execution_id", "=", executionId)
		.groupBy(["sheet", "row_index"])
		.execute();
}

/** The row, kept from changing until the transaction ends. */
export async function lockExecution(tx: Tx, id: string): Promise<ExecutionRow | undefined> {
	return tx.db.selectFrom("automation_executions").selectAll().where("id", "=", id).forUpdate().executeTakeFirst();
}

export async function insertExecution(tx: Tx, row: Insertable<AutomationExecutionsTable>): Promise<void> {
	await tx.db.insertInto("automation_executions").values(row).execute();
}

/** Columns that change without a change of a state. */
export type ExecutionValues = Omit<Updateable<AutomationExecutionsTable>, "status" | "launch_state">;

export async function updateExecutionRow(tx: Tx, id: string, values: ExecutionValues): Promise<void> {
	await tx.db.updateTable("automation_executions").set(values).where("id", "=", id).execute();
}

/**
 * Changes the status of a locked execution that is not over, and other columns with it. Its end is
 * the end of its launch, too.
 */
export async function setExecutionStatus(
	tx: Tx,
	row: Pick<ExecutionRow, "id" | "status" | "launch_state">,
	cause: JobCauses["execution"],
	status: AutomationExecutionStatus,
	values: ExecutionValues,
): Promise<void> {
	assertTransition("execution", row.status, status, cause);
	await tx.db
		.updateTable("automation_executions")
		.set({ ...values, status, ...(cause === "end" ? { launch_state: deriveEndedLaunch(row.launch_state) } : {}) })
		.where("id", "=", row.id)
		.execute();
}

/** Jobs that are launched or about to be, and not over; not those that wait for a change window. */
export async function countOpenExecutions(db: Db): Promise<number> {
	const { count } = await db
		.selectFrom("automation_executions")
		.select(sql<number>`count(*)::int`.as("count"))
		.where("finished_at", "is", null)
		.where("launch_state", "not in", HELD_STATES)
		.executeTakeFirstOrThrow();
	return count;
}

export async function hasOpenExecutions(db: Db, connectionId: string): Promise<boolean> {
	const found = await db
		.selectFrom("automation_executions")
		.select("id")
		.where("connection_id", "=", connectionId)
		.where("finished_at", "is", null)
		.limit(1)
		.executeTakeFirst();
	return found !== undefined;
}

/** Tasks that the last good job of a template of the server had. */
export async function findLastTaskCount(db: Db, connectionId: string, templateId: number): Promise<number | null> {
	const row = await db
		.selectFrom("automation_executions")
		.select("tasks_seen")
		.where("connection_id", "=", connectionId)
		.where("server_template_id", "=", templateId)
		.where("status", "=", "successful")
		.where("tasks_seen", ">", 0)
		.orderBy("finished_at", "desc")
		.limit(1)
		.executeTakeFirst();
	return row?.tasks_seen ?? null;
}

export async function listWorkflowNodes(db: Db, executionId: string): Promise<NodeRow[]> {
	return db
		.selectFrom("automation_nodes")
		.selectAll()
		.where("execution_id", "=", executionId)
		.orderBy("node_id")
		.execute();
}

/** Executions that a job belongs to, by itself or as a node of their workflow. */
export async function listExecutionsByJob(
	db: Db,
	jobId: number,
	connectionIds: readonly string[] | null,
): Promise<ExecutionRow[]> {
	const own = sql<boolean>`(e.job_id = ${jobId} or exists (select from automation_nodes n
		where n.execution_id = e.id and n.job_id = ${jobId}))`;
	const base = db
		.selectFrom("automation_executions as e")
		.selectAll("e")
		.where("e.finished_at", "is", null)
		.where(own)
		.limit(100);
	return (connectionIds === null ? base : base.where("e.connection_id", "in", [...connectionIds, NOBODY])).execute();
}

/** An id that no connection has, for lists that may be empty. */
const NOBODY = "00000000-0000-0000-0000-000000000000";
