/** SQL of result rows, which are stored in chunks. */
import { sql } from "kysely";
import { LeaseLost } from "../../../../core/lease.ts";
import type { Db, Tx } from "../../../../core/ports/store.ts";
import { type Chunk, type Hold, isHeldBy } from "./run.ts";

/**
 * One statement: another worker's claim waits for its end, or the statement finds the lease
 * lost. @throws LeaseLost
 */
export async function insertChunks(db: Db, hold: Hold, stage: number, chunks: readonly Chunk[]): Promise<void> {
	const values = chunks.map(
		(chunk) => sql`(${chunk.first_row}::integer, ${chunk.row_count}::integer, ${chunk.payload}::bytea)`,
	);
	const { numAffectedRows = 0n } = await sql`
		with run as (
			select id from pipeline_jobs where ${isHeldBy(hold)} for share
		)
		insert into pipeline_result_chunks (job_id, stage_index, first_row, row_count, payload)
		select run.id, ${stage}::integer, chunk.* from run, (values ${sql.join(values)}) as chunk
	`.execute(db);
	if (numAffectedRows === 0n) throw new LeaseLost();
}

/** Removes the rows of a stage, if the lease still holds. */
export async function deleteChunks(db: Db, hold: Hold, stage: number): Promise<void> {
	await sql`
		with run as (
			select id from pipeline_jobs where ${isHeldBy(hold)} for share
		)
		delete from pipeline_result_chunks c using run where c.job_id = run.id and c.stage_index = ${stage}::integer
	`.execute(db);
}

/** The chunks with rows from `from` up to but not including `to`, in order. */
export async function listChunks(
	db: Db,
	jobId: string,
	stage: number,
	from: number,
	to: number,
	limit: number,
): Promise<Chunk[]> {
	const { rows } = await sql<Chunk>`
		select first_row, row_count, payload from pipeline_result_chunks
		where job_id = ${jobId} and stage_index = ${stage} and first_row < ${to}
			and first_row >= coalesce((
				select max(first_row) from pipeline_result_chunks
				where job_id = ${jobId} and stage_index = ${stage} and first_row <= ${from}
			), 0)
		order by first_row limit ${limit}
	`.execute(db);
	return rows;
}

/**
 * Removes rows, values and program of runs that ended before `before`. Returns how many; the
 * runs themselves stay.
 */
export async function deleteOldResults(tx: Tx, before: Date, now: Date, limit: number): Promise<number> {
	const { rows } = await sql<{ id: string }>`
		update pipeline_jobs set results_purged_at = ${now}, program = null where id in (
			select id from pipeline_jobs where results_purged_at is null and completed_at < ${before}
			order by completed_at limit ${limit} for update skip locked
		) returning id
	`.execute(tx.db);
	if (rows.length === 0) return 0;
	const ids = rows.map(({ id }) => id);
	await tx.db.deleteFrom("pipeline_result_chunks").where("job_id", "in", ids).execute();
	await tx.db.updateTable("pipeline_stages").set({ feeds: null }).where("job_id", "in", ids).execute();
	await tx.db
		.deleteFrom("pipeline_frames")
		.where("job_id", "in", ids)
		.where("type", "not in", ["execution_complete", "execution_failed"])
		.execute();
	return ids.length;
}
