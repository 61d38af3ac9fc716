/** SQL of output: streams, the pieces of their text, results by row, nodes. */
import { type Selectable, sql, type Updateable } from "kysely";
import type { Db, Tx } from "../../../../core/ports/store.ts";
import type { AutomationStreamsTable } from "../../tables.ts";
import type { JobEnd } from "../rules/outcome.ts";
import { FAILED_FROM, type RowResult } from "../rules/rows.ts";
import type { NodeRow } from "./executions.ts";

export type StreamRow = Selectable<AutomationStreamsTable>;

export interface Piece {
	readonly start: number;
	readonly length: number;
	readonly text: string;
}

/** Rows with a result, failed ones among them, rows only passed on, and hidden items. */
export type RowTotals = Pick<JobEnd, "known" | "failed" | "passedOn" | "hidden">;

export async function ensureStream(tx: Tx, executionId: string, jobId: number, jobType: string): Promise<void> {
	await tx.db
		.insertInto("automation_streams")
		.values({
			execution_id: executionId,
			job_id: jobId,
			job_type: jobType,
			gap_since: null,
			final_seen_at: null,
		})
		.onConflict((conflict) => conflict.doNothing())
		.execute();
}

export async function listStreams(db: Db, executionIds: readonly string[]): Promise<StreamRow[]> {
	if (executionIds.length === 0) return [];
	return db
		.selectFrom("automation_streams")
		.selectAll()
		.where("execution_id", "in", [...executionIds])
		.execute();
}

export async function findStream(db: Db, executionId: string, jobId: number): Promise<StreamRow | undefined> {
	return db
		.selectFrom("automation_streams")
		.selectAll()
		.where("execution_id", "=", executionId)
		.where("job_id", "=", jobId)
		.executeTakeFirst();
}

/** Moves on from `after`; false when another process has, and nothing of this is to be kept. */
export async function advanceStream(
	tx: Tx,
	stream: StreamRow,
	values: Updateable<AutomationStreamsTable>,
): Promise<boolean> {
	const { numUpdatedRows } = await tx.db
		.updateTable("automation_streams")
		.set(values)
		.where("execution_id", "=", stream.execution_id)
		.where("job_id", "=", stream.job_id)
		.where("last_counter", "=", stream.last_counter)
		.where("length", "=", stream.length)
		.where("done", "=", false)
		.executeTakeFirst();
	return numUpdatedRows > 0n;
}

export async function writeStreamPieces(tx: Tx, stream: StreamRow, pieces: readonly Piece[]): Promise<void> {
	if (pieces.length === 0) return;
	const { execution_id, job_id } = stream;
	await tx.db
		.insertInto("automation_output")
		.values(pieces.map((piece) => ({ execution_id, job_id, ...piece })))
		.execute();
}

/** The pieces that hold a part of the text, in order. */
export async function listStreamPieces(
	db: Db,
	executionId: string,
	jobId: number,
	from: number,
	to: number,
): Promise<Piece[]> {
	return db
		.selectFrom("automation_output")
		.select(["start", "length", "text"])
		.where("execution_id", "=", executionId)
		.where("job_id", "=", jobId)
		.where("start", "<", to)
		.where(sql<boolean>`start + length > ${from}`)
		.orderBy("start")
		.execute();
}

/** Keeps the worst result of each row on each host. */
export async function mergeRowResults(tx: Tx, executionId: string, results: readonly RowResult[]): Promise<void> {
	if (results.length === 0) return;
	await sql`insert into automation_row_results (execution_id, sheet, row_index, host, rank, message)
		select ${executionId}::uuid, x.sheet, x.row_index, x.host, x.rank, x.message
		from jsonb_to_recordset(${JSON.stringify(results)}::jsonb)
			as x(sheet text, row_index integer, host text, rank smallint, message text)
		on conflict (execution_id, sheet, row_index, host) do update
			set rank = excluded.rank, message = excluded.message
			where automation_row_results.rank < excluded.rank`.execute(tx.db);
}

/** Replaces results of loops by those that the job published itself. */
export async function replaceRowResults(tx: Tx, executionId: string, results: readonly RowResult[]): Promise<void> {
	if (results.length === 0) return;
	await sql`delete from automation_row_results r
		using jsonb_to_recordset(${JSON.stringify(results)}::jsonb) as x(sheet text, row_index integer)
		where r.execution_id = ${executionId} and r.sheet = x.sheet and r.row_index = x.row_index`.execute(tx.db);
	await mergeRowResults(tx, executionId, results);
}

export async function listRowResults(db: Db, executionId: string): Promise<RowResult[]> {
	return db
		.selectFrom("automation_row_results")
		.select(["sheet", "row_index", "host", "rank", "message"])
		.where("execution_id", "=", executionId)
		.orderBy("sheet")
		.orderBy("row_index")
		.orderBy("host")
		.execute();
}

/** Rows with a result on at least one host. */
export async function countRowsDone(db: Db, executionId: string): Promise<number> {
	const { count } = await db
		.selectFrom("automation_row_results")
		.select(sql<number>`count(distinct (sheet, row_index))::int`.as("count"))
		.where("execution_id", "=", executionId)
		.where("rank", ">=", 0)
		.executeTakeFirstOrThrow();
	return count;
}

export async function countRowTotals(db: Db, executionId: string): Promise<RowTotals> {
	const { rows } = await sql<RowTotals>`
		select count(*) filter (where worst >= 0)::int as known, count(*) filter (where worst < 0)::int as "passedOn",
			count(*) filter (where worst >= ${FAILED_FROM})::int as failed,
			(select coalesce(sum(hidden_items), 0)::int from automation_streams where execution_id = ${executionId}) as hidden
		from (select max(rank) as worst from automation_row_results where execution_id = ${executionId}
			group by sheet, row_index) r`.execute(db);
	return rows[0] ?? { known: 0, failed: 0, passedOn: 0, hidden: 0 };
}

/** Counts rows that have a result or were passed on, by their worst rank. */
export async function countRowsByRank(
	db: Db,
	executionId: string,
): Promise<readonly { readonly rank: number; readonly count: number }[]> {
	const { rows } = await sql<{ rank: number; count: number }>`
		select worst::int as rank, count(*)::int as count
		from (select max(rank) as worst from automation_row_results where execution_id = ${executionId}
			group by sheet, row_index) r group by worst`.execute(db);
	return rows;
}

export async function setWorkflowNodes(
	tx: Tx,
	executionId: string,
	nodes: readonly Omit<NodeRow, "execution_id">[],
): Promise<void> {
	if (nodes.length === 0) return;
	await sql`insert into automation_nodes
		(execution_id, node_id, identifier, job_id, job_type, name, status, elapsed, depends_on, parent_id)
		select ${executionId}::uuid, x.node_id, x.identifier, x.job_id, x.job_type, x.name, x.status, x.elapsed,
			array(select jsonb_array_elements_text(x.depends_on)::integer), x.parent_id
		from jsonb_to_recordset(${JSON.stringify(nodes)}::jsonb) as x(node_id integer, identifier text, job_id integer,
			job_type text, name text, status text, elapsed double precision, depends_on jsonb, parent_id integer)
		on conflict (execution_id, node_id) do update set
			-- A job that the server has forgotten meanwhile is not forgotten here.
			job_id = coalesce(excluded.job_id, automation_nodes.job_id),
			job_type = coalesce(excluded.job_type, automation_nodes.job_type),
			name = excluded.name, elapsed = greatest(excluded.elapsed, automation_nodes.elapsed),
			status = case when excluded.job_id is null and automation_nodes.job_id is not null
				then automation_nodes.status else excluded.status end`.execute(tx.db);
}
