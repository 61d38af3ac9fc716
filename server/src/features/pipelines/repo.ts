/** SQL of runs as their owners see them: jobs, stages, frames. */
import type { Insertable, Selectable } from "kysely";
import type { Page } from "../../platform/http/paging.ts";
import type { PipelineFramesTable, PipelineJobsTable, PipelineStagesTable } from "../../ports/schema.ts";
import type { Db, Tx } from "../../ports/store.ts";

/** Everything but the canvas, which may be large. */
export const JOB_COLUMNS = [
	"id",
	"owner_id",
	"status",
	"controller_connection_id",
	"controller_connection_name",
	"saved_query_id",
	"query_name",
	"query_version",
	"query_version_hash",
	"result_stages",
	"total_stages",
	"completed_stages",
	"failed_stages",
	"current_stage_index",
	"progress",
	"errors",
	"total_rows",
	"created_at",
	"started_at",
	"completed_at",
	"results_purged_at",
	"attempts",
	"last_frame",
	"awaited",
] as const;
const STAGE_COLUMNS = [
	"index",
	"node_ids",
	"class_name",
	"status",
	"inject_mode",
	"source_stages",
	"value_count",
	"value_sample",
	"result_count",
	"result_sample",
	"request_count",
	"queries",
	"started_at",
	"completed_at",
	"error",
] as const;

export type JobRow = Pick<Selectable<PipelineJobsTable>, (typeof JOB_COLUMNS)[number]>;
export type StageRow = Pick<Selectable<PipelineStagesTable>, (typeof STAGE_COLUMNS)[number]>;
export type FrameRow = Selectable<PipelineFramesTable>;

/** A frame to be written, in its place. */
export interface NewFrame {
	readonly type: string;
	readonly data: Record<string, unknown>;
}

export function createPipelineRepo() {
	return {
		async insert(
			tx: Tx,
			jobs: readonly Insertable<PipelineJobsTable>[],
			stages: readonly Insertable<PipelineStagesTable>[],
		): Promise<ReadonlyMap<string, JobRow>> {
			// In one statement; the stages' reference to their job is checked at its end.
			const rows = await tx.db
				.with("jobs", (db) =>
					db
						.insertInto("pipeline_jobs")
						.values([...jobs])
						.returning(JOB_COLUMNS),
				)
				.with("stages", (db) => db.insertInto("pipeline_stages").values([...stages]))
				.selectFrom("jobs")
				.selectAll()
				.execute();
			return new Map(rows.map((row) => [row.id, row]));
		},

		async find(db: Db, id: string): Promise<JobRow | undefined> {
			return db.selectFrom("pipeline_jobs").select(JOB_COLUMNS).where("id", "=", id).executeTakeFirst();
		},

		async list(
			db: Db,
			ownerId: number,
			filter: { status: JobRow["status"] | undefined; offset: number; limit: number },
		): Promise<Page<JobRow>> {
			let query = db.selectFrom("pipeline_jobs").where("owner_id", "=", ownerId);
			if (filter.status !== undefined) query = query.where("status", "=", filter.status);
			const [{ count }, rows] = await Promise.all([
				query.select((eb) => eb.fn.countAll<number>().as("count")).executeTakeFirstOrThrow(),
				query
					.select(JOB_COLUMNS)
					.orderBy("created_at", "desc")
					.orderBy("id", "desc")
					.offset(filter.offset)
					.limit(filter.limit)
					.execute(),
			]);
			return { count, rows };
		},

		async stages(db: Db, jobId: string): Promise<StageRow[]> {
			return db
				.selectFrom("pipeline_stages")
				.select(STAGE_COLUMNS)
				.where("job_id", "=", jobId)
				.orderBy("index")
				.execute();
		},

		/** Ends a run that has not ended, whoever works on it: the lease goes with it. Undefined when it had ended. */
		async cancel(tx: Tx, id: string, now: Date): Promise<JobRow | undefined> {
			const job = await tx.db
				.updateTable("pipeline_jobs")
				.set((eb) => ({
					status: "cancelled",
					completed_at: now,
					lease_token: null,
					lease_expires_at: null,
					last_frame: eb("last_frame", "+", 1),
				}))
				.where("id", "=", id)
				.where("status", "in", ["pending", "running"])
				.returning(JOB_COLUMNS)
				.executeTakeFirst();
			if (job === undefined) return undefined;
			await tx.db
				.updateTable("pipeline_stages")
				.set({ status: "cancelled", completed_at: now })
				.where("job_id", "=", id)
				.where("status", "in", ["pending", "running"])
				.execute();
			const frame = { type: "execution_failed", data: { error: "cancelled", failed_node: null } };
			await insertFrames(tx, id, job.last_frame, [frame], now);
			return job;
		},

		async frames(db: Db, jobId: string, after: number): Promise<FrameRow[]> {
			return db
				.selectFrom("pipeline_frames")
				.selectAll()
				.where("job_id", "=", jobId)
				.where("seq", ">", after)
				.orderBy("seq")
				.execute();
		},
	};
}
export type PipelineRepo = ReturnType<typeof createPipelineRepo>;

/** `last` is the number of the last of these frames; the job's row is locked by whoever moved it there. */
async function insertFrames(
	tx: Tx,
	jobId: string,
	last: number,
	frames: readonly NewFrame[],
	now: Date,
): Promise<void> {
	if (frames.length === 0) return;
	await tx.db
		.insertInto("pipeline_frames")
		.values(
			frames.map(({ type, data }, i) => ({
				job_id: jobId,
				seq: last - frames.length + 1 + i,
				type,
				data: JSON.stringify(data),
				created_at: now,
			})),
		)
		.execute();
}
