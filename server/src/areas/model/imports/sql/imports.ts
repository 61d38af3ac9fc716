/** SQL of the list and the control of imports. */
import type { JobState, RunState } from "@weft/contracts";
import { type Insertable, type Selectable, sql, type Updateable } from "kysely";
import { hasPassed } from "../../../../core/deadline-sql.ts";
import type { Db, Tx } from "../../../../core/ports/store.ts";
import type { ModelImportJobsTable, ModelImportRunsTable } from "../tables.ts";

/**
 * Upper bound of a lease, in milliseconds, including the difference between the clocks of two
 * processes.
 */
export const LEASE_LONGEST_MS = 60_000;

export type RunRow = Selectable<ModelImportRunsTable>;
export type JobRow = Selectable<ModelImportJobsTable>;

const ACTIVE: readonly RunState[] = ["pending", "running", "cancelling"];
export const isActive = (state: RunState): boolean => ACTIVE.includes(state);

/** Rejects on the unique index `model_import_runs_one` while another import is active. */
export async function insertImportRun(tx: Tx, row: Insertable<ModelImportRunsTable>): Promise<void> {
	await tx.db.insertInto("model_import_runs").values(row).execute();
}

export async function findImportRun(db: Db, id: string): Promise<RunRow | undefined> {
	return db.selectFrom("model_import_runs").selectAll().where("id", "=", id).executeTakeFirst();
}

export async function lockImportRun(tx: Tx, id: string): Promise<RunRow | undefined> {
	return tx.db.selectFrom("model_import_runs").selectAll().where("id", "=", id).forUpdate().executeTakeFirst();
}

export async function findActiveImport(db: Db): Promise<RunRow | undefined> {
	return db.selectFrom("model_import_runs").selectAll().where("state", "in", ACTIVE).executeTakeFirst();
}

export async function updateImportRun(tx: Tx, id: string, values: Updateable<ModelImportRunsTable>): Promise<void> {
	await tx.db.updateTable("model_import_runs").set(values).where("id", "=", id).execute();
}

/** The newest first. */
export async function listFailedFetches(db: Db, runId: string, limit: number): Promise<JobRow[]> {
	return db
		.selectFrom("model_import_jobs")
		.selectAll()
		.where("run_id", "=", runId)
		.where("state", "=", "failed")
		.orderBy("updated_at", "desc")
		.orderBy("id", "desc")
		.limit(limit)
		.execute();
}

/** Puts jobs of these states back to where they are still to be done. */
export async function revertClassFetches(tx: Tx, runId: string, states: readonly JobState[]): Promise<void> {
	await tx.db
		.updateTable("model_import_jobs")
		.set({ state: "pending" })
		.where("run_id", "=", runId)
		.where("state", "in", states)
		.execute();
}

/** Forgets what imports brought that came to nothing and ended before this. */
export async function purgeEndedImports(tx: Tx, before: Date): Promise<void> {
	const runs = tx.db
		.selectFrom("model_import_runs")
		.select("id")
		.where("state", "in", ["cancelled", "failed"])
		.where("finished_at", "<", before);
	await tx.db.deleteFrom("model_records").where("run_id", "in", runs).execute();
	await tx.db.deleteFrom("model_images").where("run_id", "in", runs).execute();
	await tx.db.deleteFrom("model_import_jobs").where("run_id", "in", runs).execute();
}

/**
 * Imports that wait for a worker although nobody seems to be about to take them; marked as put
 * into the queue now.
 */
export async function claimStrandedImports(tx: Tx, now: Date, settled: Date): Promise<string[]> {
	const { rows } = await sql<{ id: string }>`
		update model_import_runs set enqueued_at = ${now} where id in (
			select id from model_import_runs
			where state in ('pending', 'running', 'cancelling') and ${hasPassed("enqueued_at", settled, LEASE_LONGEST_MS)}
				and (lease_token is null or ${hasPassed("lease_expires_at", now, LEASE_LONGEST_MS)})
			for update skip locked
		) returning id
	`.execute(tx.db);
	return rows.map(({ id }) => id);
}
