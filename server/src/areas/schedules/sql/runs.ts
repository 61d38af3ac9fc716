/** SQL of runs and of the executions they consist of. */
import type { ExecutionList } from "@weft/contracts";
import { type Insertable, type RawBuilder, type Selectable, sql, type Updateable } from "kysely";
import { hasPassed } from "../../../core/deadline-sql.ts";
import { getOffset, type Page } from "../../../core/http/paging.ts";
import type { Db, Tx } from "../../../core/ports/store.ts";
import type { ScheduledExecutionsTable, ScheduledRunsTable } from "../tables.ts";
import { buildSeenByCondition, type Viewer } from "./tasks.ts";

export type RunRow = Selectable<ScheduledRunsTable>;
export type ExecutionRow = Selectable<ScheduledExecutionsTable>;
export interface ShownExecution extends ExecutionRow {
	readonly task_name: string;
}

/** Rows per statement, well below the number of parameters that one may have. */
const INSERTED_AT_ONCE = 1_000;
/** Further ahead than clocks of two processes differ. */
const AHEAD_MS = 5 * 60_000;
const OPEN = ["pending", "running"] as const;

/**
 * How many executions `e` there are: the store keeps the numbers of those that have ended, and
 * the others are few.
 */
async function countExecutions(db: Db, where: RawBuilder<boolean>): Promise<number> {
	const { rows } = await sql<{ count: number }>`select coalesce(sum(e.entries), 0)::bigint as count from (
			select task_id, connection_id, status, entries from scheduled_execution_counts
			union all
			select task_id, connection_id, status, 1 from scheduled_executions where status in ('pending', 'running')
		) e
		join scheduled_tasks t on t.id = e.task_id
		left join saved_queries q on q.id = t.saved_query_id
		where ${where}`.execute(db);
	return rows[0]?.count ?? 0;
}

/** The ids of those that were made: a run of an instant that has one already is left out. */
export async function insertScheduledRuns(
	tx: Tx,
	runs: Insertable<ScheduledRunsTable>[],
): Promise<ReadonlySet<string>> {
	if (runs.length === 0) return new Set();
	const made = await tx.db
		.insertInto("scheduled_runs")
		.values(runs)
		.onConflict((conflict) => conflict.constraint("scheduled_runs_instant").doNothing())
		.returning("id")
		.execute();
	return new Set(made.map(({ id }) => id));
}

export async function insertTaskExecutions(
	tx: Tx,
	rows: readonly Insertable<ScheduledExecutionsTable>[],
): Promise<void> {
	for (let at = 0; at < rows.length; at += INSERTED_AT_ONCE) {
		await tx.db
			.insertInto("scheduled_executions")
			.values(rows.slice(at, at + INSERTED_AT_ONCE))
			.execute();
	}
}

export async function findScheduledRun(tx: Tx, id: string): Promise<RunRow> {
	return tx.db.selectFrom("scheduled_runs").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
}

export async function updateScheduledRun(tx: Tx, id: string, values: Updateable<ScheduledRunsTable>): Promise<void> {
	await tx.db.updateTable("scheduled_runs").set(values).where("id", "=", id).execute();
}

/** Runs of a task that wait for their next retry; the task is locked. */
export async function listWaitingRuns(tx: Tx, taskId: string): Promise<RunRow[]> {
	return tx.db
		.selectFrom("scheduled_runs")
		.selectAll()
		.where("task_id", "=", taskId)
		.where("state", "=", "waiting")
		.execute();
}

/** Those of the tasks that have a run with executions that have not ended; the tasks are locked. */
export async function listRunningTasks(tx: Tx, taskIds: readonly string[]): Promise<ReadonlySet<string>> {
	if (taskIds.length === 0) return new Set();
	const rows = await tx.db
		.selectFrom("scheduled_runs")
		.select("task_id")
		.distinct()
		.where(sql<boolean>`task_id = any(${[...taskIds]}::uuid[])`)
		.where("state", "=", "running")
		.execute();
	return new Set(rows.map(({ task_id }) => task_id));
}

/**
 * Runs whose next retry is due, with their tasks locked, but for those that another process is
 * at.
 */
export async function lockDueRetries(tx: Tx, now: Date, limit: number): Promise<RunRow[]> {
	return tx.db
		.selectFrom("scheduled_runs as r")
		.innerJoin("scheduled_tasks as t", "t.id", "r.task_id")
		.selectAll("r")
		.where("r.state", "=", "waiting")
		.where("r.retry_at", "<=", now)
		.orderBy("r.retry_at")
		.limit(limit)
		.forUpdate()
		.skipLocked()
		.execute();
}

/** Whether a task or a retry is due: what an idle process asks every second. */
export async function hasDueTasks(db: Db, now: Date): Promise<boolean> {
	const { rows } = await sql<{ due: boolean }>`select
		exists(select from scheduled_tasks where status = 'active' and next_run_at <= ${now})
		or exists(select from scheduled_runs where state = 'waiting' and retry_at <= ${now}) as due`.execute(db);
	return rows[0]?.due === true;
}

export async function listTaskExecutions(db: Db, viewer: Viewer, filter: ExecutionList): Promise<Page<ShownExecution>> {
	const conditions = [buildSeenByCondition(viewer)];
	if (filter.task_id !== undefined) conditions.push(sql`e.task_id = ${filter.task_id}`);
	if (filter.status !== undefined) conditions.push(sql`e.status = ${filter.status}`);
	if (filter.connection_id !== undefined) conditions.push(sql`e.connection_id = ${filter.connection_id}`);
	const where = sql<boolean>`${sql.join(conditions, sql` and `)}`;
	const count = await countExecutions(db, where);
	// Nobody walks through millions of executions to find none.
	if (count <= getOffset(filter)) return { count, rows: [] };
	const rows = await db
		.selectFrom("scheduled_executions as e")
		.innerJoin("scheduled_tasks as t", "t.id", "e.task_id")
		.leftJoin("saved_queries as q", "q.id", "t.saved_query_id")
		.where(where)
		.selectAll("e")
		.select("t.name as task_name")
		.orderBy("e.created_at", "desc")
		.orderBy("e.id", "desc")
		.limit(filter.page_size)
		.offset(getOffset(filter))
		.execute();
	return { count, rows };
}

export async function findTaskExecution(db: Db, id: string): Promise<ExecutionRow | undefined> {
	return db.selectFrom("scheduled_executions").selectAll().where("id", "=", id).executeTakeFirst();
}

/** Executions that wait for their start, in any order. */
export async function listPendingExecutions(db: Db, ids: readonly string[]): Promise<ExecutionRow[]> {
	if (ids.length === 0) return [];
	return db
		.selectFrom("scheduled_executions")
		.selectAll()
		.where("id", "in", [...ids])
		.where("status", "=", "pending")
		.execute();
}

/**
 * The ids of those that still wait for their start, held by this transaction; others have been
 * started.
 */
export async function holdPendingExecutions(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> {
	const rows = await tx.db
		.selectFrom("scheduled_executions")
		.select("id")
		.where("id", "in", [...ids])
		.where("status", "=", "pending")
		.orderBy("id")
		.forUpdate()
		.execute();
	return new Set(rows.map(({ id }) => id));
}

/** Notes that executions run now, and as what. */
export async function beginTaskExecutions(
	tx: Tx,
	at: Date,
	begun: readonly { id: string; job: string; connection_name: string }[],
): Promise<void> {
	if (begun.length === 0) return;
	await sql`update scheduled_executions e set status = 'running', pipeline_job_id = b.job,
			connection_name = b.connection_name, started_at = ${at}, watched_at = ${at}
		from jsonb_to_recordset(${JSON.stringify(begun)}::jsonb) as b(id uuid, job uuid, connection_name text)
		where e.id = b.id`.execute(tx.db);
}

/** Ends an execution that is open; false when it had ended. */
export async function endTaskExecution(
	tx: Tx,
	id: string,
	values: Updateable<ScheduledExecutionsTable>,
): Promise<boolean> {
	const result = await tx.db
		.updateTable("scheduled_executions")
		.set(values)
		.where("id", "=", id)
		.where("status", "in", OPEN)
		.executeTakeFirst();
	return result.numUpdatedRows > 0n;
}

/** All executions of a run, retries included: connections times attempts at most. */
export async function listRunExecutions(tx: Tx, runId: string): Promise<ExecutionRow[]> {
	return tx.db.selectFrom("scheduled_executions").selectAll().where("run_id", "=", runId).orderBy("id").execute();
}

/**
 * Takes executions that have waited to be started since `before`, and marks them as looked at
 * `now`. Returns their ids.
 */
export async function claimLostExecutions(tx: Tx, before: Date, now: Date, limit: number): Promise<string[]> {
	const lost = tx.db
		.selectFrom("scheduled_executions")
		.select("id")
		.where("status", "=", "pending")
		.where(hasPassed("watched_at", before, now.getTime() - before.getTime() + AHEAD_MS))
		.orderBy("watched_at")
		.limit(limit)
		.forUpdate()
		.skipLocked();
	const rows = await tx.db
		.updateTable("scheduled_executions")
		.set({ watched_at: now })
		.where("id", "in", lost)
		.returning("id")
		.execute();
	return rows.map(({ id }) => id);
}

/** Removes finished runs, with their executions, that are older than their task keeps them. */
export async function purgeScheduledRuns(db: Db, now: Date, limit: number): Promise<number> {
	const result = await sql`delete from scheduled_runs where id in (
		select r.id from scheduled_runs r join scheduled_tasks t on t.id = r.task_id
		where r.state = 'finished' and r.created_at < ${now}::timestamptz - interval '1 day'
			and r.created_at < ${now}::timestamptz - t.log_retention_days * interval '1 day'
		limit ${limit} for update of r skip locked)`.execute(db);
	return Number(result.numAffectedRows ?? 0);
}
