/**
 * SQL of whoever carries out a run. A run is held by a lease with a token; every write here names the token and changes
 * nothing once another one holds the run, or it was cancelled.
 */
import { type QueryCreator, type Selectable, sql, type Updateable } from "kysely";
import { hasPassed } from "../../platform/passed.ts";
import type { PipelineJobsTable, PipelineStagesTable, Schema } from "../../ports/schema.ts";
import type { Db, Tx } from "../../ports/store.ts";
import type { StageState } from "./domain/state.ts";
import { JOB_COLUMNS, type JobRow, type NewFrame } from "./repo.ts";

/** The run is another worker's by now, or has ended. */
export class LeaseLost extends Error {
	override readonly name = "LeaseLost";
	constructor() {
		super("The run is held by another worker, or has ended.");
	}
}

/** Which run, and the token it is held with. */
export interface Hold {
	readonly jobId: string;
	readonly token: string;
}

/** What an earlier worker left of a stage. */
export type StageRecord = Pick<Selectable<PipelineStagesTable>, "index" | "status" | "result_count" | "feeds">;
/** What is to be stored of a stage beside its state. */
export type StageChange = Updateable<PipelineStagesTable>;
export type StageStep = StageState & { readonly change: StageChange };

export interface Claimed extends JobRow {
	readonly program: unknown;
}

/** Rows of a stage, packed. */
export interface Chunk {
	readonly first_row: number;
	readonly row_count: number;
	readonly payload: Buffer;
}

/** What one transition of the state machine changes. */
interface Step {
	readonly values: Updateable<PipelineJobsTable>;
	readonly stages: readonly StageStep[];
	readonly frames: readonly NewFrame[];
	/** The last rows of a stage; at most one. */
	readonly chunks: readonly (Chunk & { readonly stage: number })[];
}

/** A statement of several parts, each of which sees the tables as they were before it. */
type Parts = QueryCreator<Schema>;

export function createRunRepo() {
	/** Stores one step of a run in one statement: the job's row first, which also proves that the run is still ours; then stages and frames. */
	async function advance(db: Db, { jobId, token }: Hold, now: Date, step: Step): Promise<void> {
		const goesOn = step.stages.some(({ status }) => status === "completed");
		let parts: Parts = db.with("held", (query) =>
			query
				.updateTable("pipeline_jobs")
				.set((eb) => ({
					...step.values,
					...(goesOn ? { attempts: 1 } : {}),
					last_frame: eb("last_frame", "+", step.frames.length),
				}))
				.where("id", "=", jobId)
				.where("lease_token", "=", token)
				.where("status", "=", "running")
				.returning(["id", "last_frame"]),
		) as unknown as Parts;
		for (const { index, status, startedAt, completedAt, resultCount, error, change } of step.stages) {
			const values = {
				status,
				error,
				...(startedAt === null ? {} : { started_at: new Date(startedAt) }),
				...(completedAt === null ? {} : { completed_at: new Date(completedAt) }),
				...(resultCount === null ? {} : { result_count: resultCount }),
				...change,
			};
			parts = parts.with(`stage_${index}`, (query) =>
				query
					.updateTable("pipeline_stages")
					.set(values)
					.where(sql<boolean>`job_id = (select id from held)`)
					.where("index", "=", index),
			) as unknown as Parts;
		}
		if (step.frames.length > 0) {
			parts = parts.with("told", (query) => framesOf(query, step.frames, now)) as unknown as Parts;
		}
		for (const chunk of step.chunks) parts = parts.with("chunk", (query) => chunkOf(query, chunk)) as unknown as Parts;
		const row = await parts.selectFrom(sql<{ id: string }>`held`.as("held")).select("held.id").executeTakeFirst();
		if (row === undefined) throw new LeaseLost();
	}

	return {
		advance,

		/** Takes a run that nobody holds. Undefined when it has ended or is held. */
		async claim(db: Db, { jobId, token }: Hold, now: Date, expires: Date): Promise<Claimed | undefined> {
			return db
				.updateTable("pipeline_jobs")
				.set((eb) => ({
					status: "running",
					lease_token: token,
					lease_expires_at: expires,
					started_at: eb.fn.coalesce("started_at", sql<Date>`${now}`),
					attempts: eb("attempts", "+", 1),
				}))
				.where("id", "=", jobId)
				.where("status", "in", ["pending", "running"])
				.where((eb) => eb.or([eb("lease_token", "is", null), hasPassed("lease_expires_at", now, LEASE_LONGEST_MS)]))
				.returning([...JOB_COLUMNS, "program"])
				.executeTakeFirst();
		},

		/** Clears away what an interrupted stage left. @throws LeaseLost */
		async clear(tx: Tx, { jobId, token }: Hold): Promise<void> {
			const held = await tx.db
				.selectFrom("pipeline_jobs")
				.select("id")
				.where("id", "=", jobId)
				.where("lease_token", "=", token)
				.where("status", "=", "running")
				.forShare()
				.executeTakeFirst();
			if (held === undefined) throw new LeaseLost();
			await sql`
				delete from pipeline_result_chunks c using pipeline_stages s
				where s.job_id = ${jobId} and s.status <> 'completed' and c.job_id = s.job_id and c.stage_index = s.index
			`.execute(tx.db);
			await tx.db
				.updateTable("pipeline_stages")
				.set({ status: "pending", started_at: null })
				.where("job_id", "=", jobId)
				.where("status", "=", "running")
				.execute();
		},

		/** Ends the run as failed, whatever state it is in. */
		async giveUp(tx: Tx, hold: Hold, now: Date, message: string): Promise<void> {
			const values = {
				status: "failed" as const,
				completed_at: now,
				errors: JSON.stringify([{ stage_index: null, node_id: null, message }]),
				lease_token: null,
				lease_expires_at: null,
			};
			const frames = [{ type: "execution_failed", data: { error: message, failed_node: null } }];
			await advance(tx.db, hold, now, { values, stages: [], frames, chunks: [] });
			await tx.db
				.updateTable("pipeline_stages")
				.set({ status: "skipped" })
				.where("job_id", "=", hold.jobId)
				.where("status", "in", ["pending", "running"])
				.execute();
		},

		/** Keeps the run for longer. False when it is lost. */
		async renew(db: Db, { jobId, token }: Hold, expires: Date, progress: number): Promise<boolean> {
			const { numUpdatedRows } = await db
				.updateTable("pipeline_jobs")
				.set({ lease_expires_at: expires, progress })
				.where("id", "=", jobId)
				.where("lease_token", "=", token)
				.where("status", "=", "running")
				.executeTakeFirst();
			return numUpdatedRows > 0n;
		},

		/** Gives the run back, to go on later. `counts`: whether this start counts as a failed one. */
		async release(db: Db, { jobId, token }: Hold, counts: boolean): Promise<void> {
			await db
				.updateTable("pipeline_jobs")
				.set((eb) => ({
					lease_token: null,
					lease_expires_at: null,
					...(counts ? {} : { attempts: eb.fn<number>("greatest", [eb("attempts", "-", 1), eb.lit(0)]) }),
				}))
				.where("id", "=", jobId)
				.where("lease_token", "=", token)
				.execute();
		},

		async stageRecords(db: Db, jobId: string): Promise<StageRecord[]> {
			return db
				.selectFrom("pipeline_stages")
				.select(["index", "status", "result_count", "feeds"])
				.where("job_id", "=", jobId)
				.orderBy("index")
				.execute();
		},

		/**
		 * Runs that wait for a worker although nobody seems to be about to take them: pending ones long after they were put
		 * into the queue, and running ones that nobody holds. Marked as put into the queue now.
		 */
		async takeStranded(tx: Tx, now: Date, waitedSince: Date, limit: number): Promise<string[]> {
			const { rows } = await sql<{ id: string }>`
				update pipeline_jobs set enqueued_at = ${now} where id in (
					select id from pipeline_jobs
					where (status = 'pending' and ${hasPassed("enqueued_at", waitedSince, now.getTime() - waitedSince.getTime() + LEASE_LONGEST_MS)})
						or (status = 'running' and (lease_token is null or ${hasPassed("lease_expires_at", now, LEASE_LONGEST_MS)})
							and ${hasPassed("enqueued_at", new Date(now.getTime() - SETTLE_MS), LEASE_LONGEST_MS)})
					order by enqueued_at limit ${limit} for update skip locked
				) returning id
			`.execute(tx.db);
			return rows.map(({ id }) => id);
		},
	};
}

/** The frames of a step, numbered after those that the job had; `held` is the job's row after the step. */
function framesOf(db: Parts, frames: readonly NewFrame[], now: Date) {
	const rows = frames.map(
		({ type, data }, i) => sql`(${frames.length - 1 - i}::integer, ${type}::text, ${JSON.stringify(data)}::json)`,
	);
	return db
		.insertInto("pipeline_frames")
		.columns(["job_id", "seq", "type", "data", "created_at"])
		.expression(
			sql`select held.id, held.last_frame - f.back, f.type, f.data, ${now}::timestamptz
				from held, (values ${sql.join(rows)}) as f (back, type, data)` as never,
		);
}

function chunkOf(db: Parts, { stage, first_row, row_count, payload }: Step["chunks"][number]) {
	return db
		.insertInto("pipeline_result_chunks")
		.columns(["job_id", "stage_index", "first_row", "row_count", "payload"])
		.expression(
			sql`select held.id, ${stage}::integer, ${first_row}::integer, ${row_count}::integer, ${payload}::bytea from held` as never,
		);
}

/** No lease reaches further than this, whatever small differences there are between the clocks of two processes. */
const LEASE_LONGEST_MS = 60_000;
/** A run that was just put into the queue is left to the worker that is about to take it. */
const SETTLE_MS = 10_000;

export type RunRepo = ReturnType<typeof createRunRepo>;
