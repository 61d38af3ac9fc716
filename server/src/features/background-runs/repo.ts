/** SQL of background runs: what is to be recorded at the end of a job, and whether it was. */
import type { Insertable, Selectable } from "kysely";
import type { BackgroundRunsTable } from "../../ports/schema.ts";
import type { Db, Tx } from "../../ports/store.ts";

export type RunRow = Selectable<BackgroundRunsTable>;

export function createBackgroundRunRepo() {
	return {
		async insert(tx: Tx, run: Insertable<BackgroundRunsTable>): Promise<void> {
			await tx.db.insertInto("background_runs").values(run).execute();
		},

		async exists(tx: Tx, jobId: string): Promise<boolean> {
			const row = await tx.db
				.selectFrom("background_runs")
				.select("job_id")
				.where("job_id", "=", jobId)
				.executeTakeFirst();
			return row !== undefined;
		},

		async find(db: Db, jobId: string): Promise<RunRow | undefined> {
			return db.selectFrom("background_runs").selectAll().where("job_id", "=", jobId).executeTakeFirst();
		},

		/** False when the end was recorded before; of two at once the second waits for the first. */
		async finish(tx: Tx, jobId: string, at: Date, snapshotId: string | null): Promise<boolean> {
			const { numUpdatedRows } = await tx.db
				.updateTable("background_runs")
				.set({ finished_at: at, snapshot_id: snapshotId })
				.where("job_id", "=", jobId)
				.where("finished_at", "is", null)
				.executeTakeFirst();
			return numUpdatedRows > 0n;
		},

		/** Counts a capture that went wrong; answers how many there were. */
		async countFailure(db: Db, jobId: string): Promise<number> {
			const row = await db
				.updateTable("background_runs")
				.set((eb) => ({ failures: eb("failures", "+", 1) }))
				.where("job_id", "=", jobId)
				.returning("failures")
				.executeTakeFirst();
			return row?.failures ?? 0;
		},
	};
}
export type BackgroundRunRepo = ReturnType<typeof createBackgroundRunRepo>;
