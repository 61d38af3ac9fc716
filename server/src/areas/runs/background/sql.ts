/**
 * SQL of runs of saved queries: who started them and for what, and whether their end is recorded.
 */
import { type Insertable, type Selectable, sql } from "kysely";
import { hasPassed } from "../../../core/deadline-sql.ts";
import type { Db, Tx } from "../../../core/ports/store.ts";
import type { EndedRun, LatestRun } from "./ended-run.ts";
import type { QueryRunsTable } from "./tables.ts";

/** Further ahead than clocks of two processes differ. */
const AHEAD_MS = 5 * 60_000;

export type QueryRunRow = Selectable<QueryRunsTable>;

export async function insertQueryRuns(tx: Tx, runs: readonly Insertable<QueryRunsTable>[]): Promise<void> {
	if (runs.length > 0) await tx.db.insertInto("query_runs").values(runs).execute();
}

/** The run, unless its end is recorded. */
export async function findOpenQueryRun(db: Db, jobId: string): Promise<QueryRunRow | undefined> {
	return db
		.selectFrom("query_runs")
		.selectAll()
		.where("job_id", "=", jobId)
		.where("finished_at", "is", null)
		.executeTakeFirst();
}

/**
 * Returns false if the end is recorded already. Of two concurrent transactions the second waits
 * for the first.
 */
export async function finishQueryRun(tx: Tx, jobId: string, at: Date): Promise<boolean> {
	const { numUpdatedRows } = await tx.db
		.updateTable("query_runs")
		.set({ finished_at: at })
		.where("job_id", "=", jobId)
		.where("finished_at", "is", null)
		.executeTakeFirst();
	return numUpdatedRows > 0n;
}

/**
 * Notes the run as the latest one of its query and connection, unless a later one is noted or
 * either is gone.
 */
export async function upsertLatestRun(tx: Tx, run: EndedRun): Promise<void> {
	await sql`
		insert into latest_query_runs (saved_query_id, connection_id, run_id, ended_at, error)
		select q.id, c.id, ${run.jobId}::uuid, ${run.completedAt}::timestamptz, ${run.errorMessage}::text
		from saved_queries q, controller_connections c
		where q.id = ${run.query.id} and c.id = ${run.connection.id}
		on conflict (saved_query_id, connection_id) do update
		set run_id = excluded.run_id, ended_at = excluded.ended_at, error = excluded.error
		where excluded.ended_at >= latest_query_runs.ended_at
	`.execute(tx.db);
}

/** Newest first. */
export async function listLatestRuns(db: Db, queryId: string): Promise<LatestRun[]> {
	const rows = await db
		.selectFrom("latest_query_runs as l")
		.innerJoin("controller_connections as c", "c.id", "l.connection_id")
		.leftJoin("pipeline_jobs as j", "j.id", "l.run_id")
		.select(["l.run_id", "l.connection_id", "c.name", "l.ended_at", "l.error", "j.owner_id"])
		.where("l.saved_query_id", "=", queryId)
		.orderBy("l.ended_at", "desc")
		.orderBy("l.connection_id")
		.execute();
	return rows.map((row) => ({
		runId: row.run_id,
		connection: { id: row.connection_id, name: row.name },
		endedAt: row.ended_at,
		ownerId: row.owner_id,
		error: row.error,
	}));
}

export async function findValuesDigest(db: Db, jobId: string): Promise<string | null> {
	const row = await db.selectFrom("query_runs").select("values_digest").where("job_id", "=", jobId).executeTakeFirst();
	return row?.values_digest ?? null;
}

/** Counts a failed capture. Returns how many have failed so far. */
export async function countCaptureFailure(db: Db, jobId: string): Promise<number> {
	const row = await db
		.updateTable("query_runs")
		.set((eb) => ({ failures: eb("failures", "+", 1) }))
		.where("job_id", "=", jobId)
		.returning("failures")
		.executeTakeFirst();
	return row?.failures ?? 0;
}

/**
 * Runs that ended before `before` and whose end is not recorded, longest ago first. Those that
 * ended in the future count, too: the clock was wrong then.
 */
export async function listUnrecordedRuns(db: Db, before: Date, limit: number): Promise<string[]> {
	const rows = await db
		.selectFrom("query_runs as q")
		.innerJoin("pipeline_jobs as j", "j.id", "q.job_id")
		.select("q.job_id")
		.where("q.finished_at", "is", null)
		.where(hasPassed("j.completed_at", before, AHEAD_MS))
		.orderBy("j.completed_at")
		.limit(limit)
		.execute();
	return rows.map(({ job_id }) => job_id);
}
