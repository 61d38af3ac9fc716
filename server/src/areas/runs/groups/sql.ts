/** SQL of group executions and of the runs that belong to them. */
import type { GroupExecutionList, GroupRunStatus, PipelineStatus } from "@weft/contracts";
import { type Insertable, type Selectable, sql, type Updateable } from "kysely";
import { getOffset, type Page } from "../../../core/http/paging.ts";
import { buildContainsPattern } from "../../../core/like.ts";
import type { Db, Tx } from "../../../core/ports/store.ts";
import { isRecording } from "../pipelines/sql/runs.ts";
import type { GroupExecutionRunsTable, GroupExecutionsTable } from "./tables.ts";

export type GroupRow = Selectable<GroupExecutionsTable>;

/** A member and its latest run. */
export interface GroupRunRow extends Selectable<GroupExecutionRunsTable> {
	readonly status: GroupRunStatus;
	readonly total_rows: number | null;
	readonly errors: readonly { readonly message: string }[];
}

/** Rejects an id that exists (unique violation). */
export async function insertGroupExecution(tx: Tx, group: Insertable<GroupExecutionsTable>): Promise<void> {
	await tx.db.insertInto("group_executions").values(group).execute();
}

export async function insertGroupRuns(tx: Tx, runs: readonly Insertable<GroupExecutionRunsTable>[]): Promise<void> {
	await tx.db
		.insertInto("group_execution_runs")
		.values([...runs])
		.execute();
}

export async function replaceGroupRun(tx: Tx, id: string, connectionId: string, jobId: string): Promise<void> {
	await tx.db
		.updateTable("group_execution_runs")
		.set({ job_id: jobId })
		.where("group_execution_id", "=", id)
		.where("connection_id", "=", connectionId)
		.execute();
}

export async function updateGroupExecution(
	tx: Tx,
	id: string,
	values: Updateable<GroupExecutionsTable>,
): Promise<void> {
	await tx.db.updateTable("group_executions").set(values).where("id", "=", id).execute();
}

export async function findGroupExecution(db: Db, id: string): Promise<GroupRow | undefined> {
	return db.selectFrom("group_executions").selectAll().where("id", "=", id).executeTakeFirst();
}

/** Locks the row until the transaction ends. */
export async function lockGroupExecution(tx: Tx, id: string): Promise<GroupRow | undefined> {
	return tx.db.selectFrom("group_executions").selectAll().where("id", "=", id).forUpdate().executeTakeFirst();
}

/** Locks the group execution that a run belongs to. Undefined for every other run. */
export async function lockGroupByRun(tx: Tx, jobId: string): Promise<GroupRow | undefined> {
	return tx.db
		.selectFrom("group_executions as g")
		.innerJoin("group_execution_runs as r", "r.group_execution_id", "g.id")
		.selectAll("g")
		.where("r.job_id", "=", jobId)
		.forUpdate("g")
		.executeTakeFirst();
}

/** The members of group executions in order, by the id of the execution. */
export async function listGroupRuns(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, GroupRunRow[]>> {
	const byGroup = new Map<string, GroupRunRow[]>(ids.map((id) => [id, []]));
	if (ids.length === 0) return byGroup;
	const rows = await db
		.selectFrom("group_execution_runs as r")
		.innerJoin("pipeline_jobs as j", "j.id", "r.job_id")
		.selectAll("r")
		.select(["j.status", "j.total_rows", "j.errors", "j.class_unknown", isRecording("j").as("is_recording")])
		.where("r.group_execution_id", "in", [...ids])
		.orderBy("r.position")
		.execute();
	for (const { class_unknown, is_recording, ...row } of rows) {
		const shown = is_recording
			? { status: "running" as const, total_rows: null, errors: [] }
			: { status: getStatus(row.status, class_unknown) };
		byGroup.get(row.group_execution_id)?.push({ ...row, ...shown });
	}
	return byGroup;
}

export async function listGroupExecutions(
	db: Db,
	ownerId: number,
	filter: GroupExecutionList,
): Promise<Page<GroupRow>> {
	const { status, search, saved_query_id, connection_group, created_after, created_before } = filter;
	const query = db
		.selectFrom("group_executions")
		.where("owner_id", "=", ownerId)
		.where(({ eb, and }) =>
			and([
				...(status === undefined ? [] : [eb("status", "=", status)]),
				...(search === undefined ? [] : [eb("query_name", "ilike", buildContainsPattern(search))]),
				...(saved_query_id === undefined ? [] : [eb("saved_query_id", "=", saved_query_id)]),
				...(connection_group === undefined ? [] : [eb("connection_group_id", "=", connection_group)]),
				...(created_after === undefined ? [] : [eb("created_at", ">=", new Date(created_after))]),
				...(created_before === undefined ? [] : [eb("created_at", "<", new Date(created_before))]),
			]),
		);
	const [{ count }, rows] = await Promise.all([
		query.select(sql<number>`count(*)::int`.as("count")).executeTakeFirstOrThrow(),
		query
			.selectAll()
			.orderBy("created_at", "desc")
			.orderBy("id", "desc")
			.offset(getOffset(filter))
			.limit(filter.page_size)
			.execute(),
	]);
	return { count, rows };
}

const getStatus = (status: PipelineStatus, isClassUnknown: boolean): GroupRunStatus =>
	status === "failed" && isClassUnknown ? "unsupported" : status;
