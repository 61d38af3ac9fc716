/** SQL of the execution log. */
import type { ExecutionLogList } from "@weft/contracts";
import { type Insertable, type RawBuilder, type Selectable, sql } from "kysely";
import { getOffset, type Page } from "../../../../core/http/paging.ts";
import type { Db, Tx } from "../../../../core/ports/store.ts";
import type { Viewer } from "../policy.ts";
import type { ExecutionLogsTable } from "../tables.ts";
import { buildVisibleCondition } from "./visible.ts";

/** `query_name` is the query's current name, or its last name after it was deleted. */
export type LogRow = Selectable<ExecutionLogsTable>;

/** The number of entries `l` of the log. Triggers keep the numbers by query, user and success. */
async function countEntries(db: Db, where: RawBuilder<boolean>): Promise<number> {
	const { count } = await db
		.selectFrom("execution_log_counts as l")
		.select(sql<number>`coalesce(sum(l.entries), 0)::bigint`.as("count"))
		.where(where)
		.executeTakeFirstOrThrow();
	return count;
}

export async function insertExecutionLog(tx: Tx, row: Insertable<ExecutionLogsTable>): Promise<void> {
	await tx.db.insertInto("execution_logs").values(row).execute();
}

/** How many executions a user has in the log. */
export async function countExecutionLogs(db: Db, userId: number): Promise<number> {
	return countEntries(db, sql<boolean>`l.user_id = ${userId}`);
}

/** Executions of visible queries, and the viewer's own of any query. */
export async function listExecutionLogs(db: Db, viewer: Viewer, filter: ExecutionLogList): Promise<Page<LogRow>> {
	const conditions = [sql`true`];
	if (!viewer.isAdmin) {
		conditions.push(sql`(l.user_id = ${viewer.userId} or l.query_id in (
			select q.id from saved_queries q where ${buildVisibleCondition(viewer, "q")}))`);
	}
	if (filter.query !== undefined) conditions.push(sql`l.query_id = ${filter.query}`);
	if (filter.success !== undefined) conditions.push(sql`l.success = ${filter.success}`);
	const where = sql<boolean>`${sql.join(conditions, sql` and `)}`;
	const count = await countEntries(db, where);
	// A page after the last one would read the whole log to find no entry.
	if (count <= getOffset(filter)) return { count, rows: [] };
	const direction = filter.ordering.startsWith("-") ? "desc" : "asc";
	const field = filter.ordering.replace("-", "") as "executed_at" | "execution_time_ms";
	const page = db
		.selectFrom("execution_logs as l")
		.where(where)
		.selectAll("l")
		.orderBy(`l.${field}`, direction)
		.orderBy("l.id", direction)
		.limit(filter.page_size)
		.offset(getOffset(filter));
	const rows = await db
		.selectFrom(page.as("l"))
		.leftJoin("saved_queries as q", "q.id", "l.query_id")
		.selectAll("l")
		.select(sql<string>`coalesce(q.name, l.query_name)`.as("query_name"))
		.orderBy(`l.${field}`, direction)
		.orderBy("l.id", direction)
		.execute();
	return { count, rows };
}
