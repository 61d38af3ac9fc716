/** SQL of results that name a row only if their whole loop turns out to go over one column. */
import { sql } from "kysely";
import type { Tx } from "../../../../core/ports/store.ts";
import type { ColumnResult, ItemResults } from "../rules/rows.ts";
import type { StreamRow } from "./streams.ts";

type Job = Pick<StreamRow, "execution_id" | "job_id">;

export async function storeColumnResults(tx: Tx, job: Job, results: readonly ColumnResult[]): Promise<void> {
	if (results.length === 0) return;
	await sql`insert into automation_column_results (execution_id, job_id, loop_first, row_index, host, rank, message)
		select ${job.execution_id}::uuid, ${job.job_id}::integer, x.loop_first, x.row_index, x.host, x.rank, x.message
		from jsonb_to_recordset(${JSON.stringify(results)}::jsonb)
			as x(loop_first integer, row_index integer, host text, rank smallint, message text)`.execute(tx.db);
}

/** Results of loops over a column become those of their rows; others are dropped. */
export async function endColumnLoops(tx: Tx, job: Job, loops: ItemResults["endedLoops"]): Promise<void> {
	if (loops.length === 0) return;
	await sql`with ended as (
			delete from automation_column_results r
			using jsonb_to_recordset(${JSON.stringify(loops)}::jsonb) as x(loop_first integer, sheet text)
			where r.execution_id = ${job.execution_id} and r.job_id = ${job.job_id} and r.loop_first = x.loop_first
			returning x.sheet, r.row_index, r.host, r.rank, r.message
		)
		insert into automation_row_results (execution_id, sheet, row_index, host, rank, message)
		select distinct on (sheet, row_index, host) ${job.execution_id}::uuid, sheet, row_index, host, rank, message
		from ended where sheet is not null order by sheet, row_index, host, rank desc
		on conflict (execution_id, sheet, row_index, host) do update
			set rank = excluded.rank, message = excluded.message
			where automation_row_results.rank < excluded.rank`.execute(tx.db);
}

/** Drops the results of loops that did not end before their execution. */
export async function dropColumnResults(tx: Tx, executionId: string): Promise<void> {
	await tx.db.deleteFrom("automation_column_results").where("execution_id", "=", executionId).execute();
}
