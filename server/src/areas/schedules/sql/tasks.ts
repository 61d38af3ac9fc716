/** SQL of scheduled tasks and their settings. */
import type { RunOutcome, TaskList, TaskStatus, UserRef } from "@weft/contracts";
import { type Insertable, type RawBuilder, type Selectable, sql, type Updateable } from "kysely";
import type { Identity } from "../../../core/caller.ts";
import { getOffset, type Page } from "../../../core/http/paging.ts";
import { buildContainsPattern } from "../../../core/like.ts";
import type { Db, Tx } from "../../../core/ports/store.ts";
import { visibleTo } from "../../queries/saved/index.ts";
import type { ScheduledTasksTable, TaskSettingsTable } from "../tables.ts";

export type TaskRow = Selectable<ScheduledTasksTable>;
/** As shown: with its owner, and its query's name as it is now. */
export interface ShownTask extends TaskRow {
	readonly owner: UserRef;
}
export type SettingsRow = Selectable<TaskSettingsTable>;
export type Viewer = Pick<Identity, "userId" | "isAdmin">;

export interface TaskStats {
	readonly total: number;
	readonly active: number;
	readonly paused: number;
	readonly disabled: number;
	readonly total_executions: number;
	readonly successful: number;
	readonly failed: number;
	readonly running: number;
}

/** Of one owner. */
export interface TaskCounts {
	readonly all: number;
	readonly active: number;
	/** Active ones whose last run failed. */
	readonly failing: number;
}

/** What a due task becomes. */
export interface Move {
	readonly id: string;
	readonly next_run_at: Date | null;
	readonly status: TaskStatus;
	/** Null leaves the last run and the counter as they are. */
	readonly run: { readonly at: Date; readonly executions: number } | null;
	/** The run before still ran: none was started. */
	readonly isSkipped: boolean;
}

/**
 * Own tasks, and those on queries that the viewer sees; admins see all. `t` is the task, `q` its
 * query where there still is one.
 */
export function buildSeenByCondition(viewer: Viewer): RawBuilder<boolean> {
	if (viewer.isAdmin) return sql<boolean>`true`;
	return sql<boolean>`(t.owner_id = ${viewer.userId} or (q.id is not null and ${visibleTo(viewer, "q")}))`;
}

const selectJoinedTasks = (db: Db) =>
	db
		.selectFrom("scheduled_tasks as t")
		.innerJoin("users as u", "u.id", "t.owner_id")
		.leftJoin("saved_queries as q", "q.id", "t.saved_query_id");

const selectShownTasks = (db: Db) =>
	selectJoinedTasks(db)
		.selectAll("t")
		.select([
			sql<string>`coalesce(q.name, t.query_name)`.as("query_name"),
			sql<UserRef>`jsonb_build_object('id', u.id, 'username', u.username, 'first_name', u.first_name, 'last_name', u.last_name)`.as(
				"owner",
			),
		]);

export async function listTaskPage(db: Db, viewer: Viewer, filter: TaskList): Promise<Page<ShownTask>> {
	const conditions = [buildSeenByCondition(viewer)];
	if (filter.status !== undefined) conditions.push(sql`t.status = ${filter.status}`);
	if (filter.frequency !== undefined) conditions.push(sql`t.frequency = ${filter.frequency}`);
	if (filter.saved_query !== undefined) conditions.push(sql`t.saved_query_id = ${filter.saved_query}`);
	if (filter.my_tasks === true) conditions.push(sql`t.owner_id = ${viewer.userId}`);
	if (filter.my_tasks === false) conditions.push(sql`t.owner_id <> ${viewer.userId}`);
	if (filter.search !== undefined) {
		const term = buildContainsPattern(filter.search);
		conditions.push(sql`(t.name ilike ${term} or t.description ilike ${term})`);
	}
	const where = sql<boolean>`${sql.join(conditions, sql` and `)}`;
	const descending = filter.ordering.startsWith("-");
	const column = sql.ref(`t.${filter.ordering.replace("-", "")}`);
	const [total, rows] = await Promise.all([
		selectJoinedTasks(db).select(sql<number>`count(*)`.as("count")).where(where).executeTakeFirstOrThrow(),
		selectShownTasks(db)
			.where(where)
			.orderBy(descending ? sql`${column} desc nulls last` : sql`${column} asc nulls last`)
			.orderBy("t.id", descending ? "desc" : "asc")
			.limit(filter.page_size)
			.offset(getOffset(filter))
			.execute(),
	]);
	return { count: total.count, rows };
}

export async function listUpcomingTasks(db: Db, viewer: Viewer, limit: number): Promise<ShownTask[]> {
	return selectShownTasks(db)
		.where(buildSeenByCondition(viewer))
		.where("t.status", "=", "active")
		.where("t.next_run_at", "is not", null)
		.orderBy("t.next_run_at")
		.orderBy("t.id")
		.limit(limit)
		.execute();
}

export async function countTaskStats(db: Db, viewer: Viewer): Promise<TaskStats> {
	const count = (status: TaskStatus) => sql<number>`count(*) filter (where t.status = ${status})`.as(status);
	const sum = (column: string) => sql<number>`coalesce(sum(${sql.ref(`t.${column}`)}), 0)::int`;
	const tasks = selectJoinedTasks(db)
		.select([
			sql<number>`count(*)`.as("total"),
			count("active"),
			count("paused"),
			count("disabled"),
			sum("execution_count").as("total_executions"),
			sum("success_count").as("successful"),
			sum("failure_count").as("failed"),
		])
		.where(buildSeenByCondition(viewer));
	const open = selectJoinedTasks(db)
		.innerJoin("scheduled_executions as e", "e.task_id", "t.id")
		.select(sql<number>`count(*)`.as("running"))
		.where("e.status", "in", ["pending", "running"])
		.where(buildSeenByCondition(viewer));
	const [counts, { running }] = await Promise.all([tasks.executeTakeFirstOrThrow(), open.executeTakeFirstOrThrow()]);
	return { ...counts, running };
}

/** The task if the viewer sees it. */
export async function findShownTask(db: Db, viewer: Viewer, id: string): Promise<ShownTask | undefined> {
	return selectShownTasks(db).where("t.id", "=", id).where(buildSeenByCondition(viewer)).executeTakeFirst();
}

/** The owner's tasks by id, with the present names of queries and connections. */
export async function listOwnTasks(db: Db, ownerId: number): Promise<TaskRow[]> {
	return selectJoinedTasks(db)
		.selectAll("t")
		.select([
			sql<string>`coalesce(q.name, t.query_name)`.as("query_name"),
			sql<string[]>`array(select coalesce(c.name, known.name)
				from unnest(t.connection_ids, t.connection_names) with ordinality as known(id, name, place)
				left join controller_connections c on c.id = known.id order by known.place)`.as("connection_names"),
			sql<string>`coalesce((select g.name from connection_groups g where g.id = t.connection_group_id),
				t.connection_group_name)`.as("connection_group_name"),
		])
		.where("t.owner_id", "=", ownerId)
		.orderBy("t.id")
		.execute();
}

/** Locks tasks of the owner. */
export async function lockOwnTasks(tx: Tx, ownerId: number, ids: readonly string[]): Promise<TaskRow[]> {
	return tx.db
		.selectFrom("scheduled_tasks")
		.selectAll()
		.where("owner_id", "=", ownerId)
		.where(sql<boolean>`id = any(${ids}::uuid[])`)
		.orderBy("id")
		.forUpdate()
		.execute();
}

export async function findTasksByIds(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, TaskRow>> {
	if (ids.length === 0) return new Map();
	const rows = await db
		.selectFrom("scheduled_tasks")
		.selectAll()
		.where("id", "in", [...new Set(ids)])
		.execute();
	return new Map(rows.map((row) => [row.id, row]));
}

export async function countOwnTasks(db: Db, ownerId: number): Promise<TaskCounts> {
	return db
		.selectFrom("scheduled_tasks")
		.select([
			sql<number>`count(*)`.as("all"),
			sql<number>`count(*) filter (where status = 'active')`.as("active"),
			sql<number>`count(*) filter (where status = 'active' and last_run_status = 'failed')`.as("failing"),
		])
		.where("owner_id", "=", ownerId)
		.executeTakeFirstOrThrow();
}

/**
 * The task, kept from changing until the transaction ends. Whatever changes a task, its runs or
 * the outcome of its executions takes this lock first.
 */
export async function lockTaskRow(tx: Tx, id: string): Promise<TaskRow | undefined> {
	return tx.db.selectFrom("scheduled_tasks").selectAll().where("id", "=", id).forUpdate().executeTakeFirst();
}

export async function insertScheduledTask(tx: Tx, row: Insertable<ScheduledTasksTable>): Promise<void> {
	await tx.db.insertInto("scheduled_tasks").values(row).execute();
}

export async function updateTaskRow(tx: Tx, id: string, values: Updateable<ScheduledTasksTable>): Promise<void> {
	await tx.db.updateTable("scheduled_tasks").set(values).where("id", "=", id).execute();
}

export async function removeTaskRow(tx: Tx, id: string): Promise<void> {
	await tx.db.deleteFrom("scheduled_tasks").where("id", "=", id).execute();
}

/**
 * Tasks whose time has come, the longest waiting first, but for those that another process is
 * at.
 */
export async function lockDueTasks(tx: Tx, now: Date, limit: number): Promise<TaskRow[]> {
	return tx.db
		.selectFrom("scheduled_tasks")
		.selectAll()
		.where("status", "=", "active")
		.where("next_run_at", "<=", now)
		.orderBy("next_run_at")
		.limit(limit)
		.forUpdate()
		.skipLocked()
		.execute();
}

export async function moveTasks(tx: Tx, moves: readonly Move[]): Promise<void> {
	const rows = moves.map(({ run, isSkipped, ...move }) => ({
		...move,
		skipped: isSkipped ? 1 : 0,
		at: run?.at ?? null,
		executions: run?.executions ?? 0,
	}));
	await sql`update scheduled_tasks t set next_run_at = m.next_run_at, status = m.status,
			last_run_at = coalesce(m.at, t.last_run_at), execution_count = t.execution_count + m.executions,
			skipped_count = t.skipped_count + m.skipped
		from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
			as m(id uuid, next_run_at timestamptz, status text, at timestamptz, executions integer, skipped integer)
		where t.id = m.id`.execute(tx.db);
}

export async function countTaskRun(
	tx: Tx,
	id: string,
	added: { executions?: number; successes?: number; failures?: number; last_run_status?: RunOutcome },
): Promise<void> {
	const { executions = 0, successes = 0, failures = 0, ...values } = added;
	await tx.db
		.updateTable("scheduled_tasks")
		.set((eb) => ({
			...values,
			execution_count: eb("execution_count", "+", executions),
			success_count: eb("success_count", "+", successes),
			failure_count: eb("failure_count", "+", failures),
		}))
		.where("id", "=", id)
		.execute();
}

export async function findTaskSettings(db: Db): Promise<SettingsRow> {
	return db.selectFrom("task_settings").selectAll().executeTakeFirstOrThrow();
}

export async function updateTaskSettings(tx: Tx, values: Updateable<TaskSettingsTable>): Promise<SettingsRow> {
	return tx.db.updateTable("task_settings").set(values).returningAll().executeTakeFirstOrThrow();
}
