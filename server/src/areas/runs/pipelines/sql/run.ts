/**
 * SQL of the worker that executes a run. The worker holds the run by a lease with a token. Every
 * write here checks the token, and changes nothing once another worker holds the run or it was
 * cancelled.
 */
import { type RawBuilder, type Selectable, sql, type Updateable } from "kysely";
import { hasPassed } from "../../../../core/deadline-sql.ts";
import { LeaseLost } from "../../../../core/lease.ts";
import type { Db, Store, Tx } from "../../../../core/ports/store.ts";
import type { StageState } from "../rules/state.ts";
import type { PipelineJobsTable, PipelineStagesTable } from "../tables.ts";
import { buildFrames, type NewFrame, type Parts, RUN_COLUMNS, type RunRow } from "./runs.ts";

/** A run and the token of its lease. */
export interface Hold {
	readonly jobId: string;
	readonly token: string;
}

/** A stage as an earlier worker left it. */
export type StageRecord = Pick<Selectable<PipelineStagesTable>, "index" | "status" | "result_count" | "feeds">;
/** Columns of a stage to be stored besides its state. */
export type StageChange = Updateable<PipelineStagesTable>;
type StageStep = StageState & { readonly change: StageChange };

export interface Claimed extends RunRow {
	readonly program: unknown;
	/** The most pages that any attempt read of stages that have not completed. */
	readonly best_progress: number;
}

/** How far an attempt has come. */
export interface Progress {
	/** Of the whole run. */
	readonly percent: number;
	/** Pages that this attempt has read of stages that have not completed. */
	readonly pages: number;
}

/** Rows of a stage as compressed JSON objects with commas between them. */
export interface Chunk {
	readonly first_row: number;
	readonly row_count: number;
	readonly payload: Buffer;
}

/** The changes of one transition of the state machine. */
interface Step {
	readonly values: Updateable<PipelineJobsTable>;
	readonly stages: readonly StageStep[];
	readonly frames: readonly NewFrame[];
	/** The last rows of a stage; at most one. */
	readonly chunks: readonly (Chunk & { readonly stage: number })[];
}

/** Whether a row of pipeline_jobs is the run, still held with the token. */
export const isHeldBy = ({ jobId, token }: Hold) =>
	sql<boolean>`(id = ${jobId} and lease_token = ${token} and status = 'running')`;

/**
 * Stores one transition in one statement. Its update of the run's row checks the lease; the
 * updates of stages and frames depend on it.
 * @throws LeaseLost
 */
export async function storeTransition(db: Db, hold: Hold, now: Date, step: Step): Promise<void> {
	const hasProgress = step.stages.some(({ status }) => status === "completed");
	let parts: Parts = db.with("held", (query) =>
		query
			.updateTable("pipeline_jobs")
			.set((eb) => ({
				...step.values,
				...(hasProgress ? { attempts: 0, best_progress: 0, paused_until: null } : {}),
				last_frame: eb("last_frame", "+", step.frames.length),
			}))
			.where(isHeldBy(hold))
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
		parts = parts.with("frames", (query) => buildFrames(query, step.frames, now)) as unknown as Parts;
	}
	for (const chunk of step.chunks) parts = parts.with("chunk", (query) => findChunk(query, chunk)) as unknown as Parts;
	const row = await parts.selectFrom(sql<{ id: string }>`held`.as("held")).select("held.id").executeTakeFirst();
	if (row === undefined) throw new LeaseLost();
}

/**
 * Takes a run without a valid lease. Undefined when it has ended, is paused, or another worker
 * holds it; also when it is suspected of deaths while another suspect runs.
 */
export async function claimRun(store: Store, hold: Hold, now: Date, expires: Date): Promise<Claimed | undefined> {
	const innocent = await claimWhere(store.db, hold, now, expires, sql<boolean>`attempts < ${SUSPECT_ATTEMPTS}`);
	if (innocent !== undefined) return innocent;
	return store.transaction(async (tx) => {
		// Two that are taken at once would not see each other. The lock has a statement of its own: the
		// next one sees all that was committed before.
		await sql`select pg_advisory_xact_lock(${SUSPECT_LOCK}, 0)`.execute(tx.db);
		const isAlone = sql<boolean>`not exists (
			select from pipeline_jobs other where other.id <> pipeline_jobs.id and other.status = 'running'
				and other.attempts > ${SUSPECT_ATTEMPTS} and other.lease_expires_at > ${now})`;
		return claimWhere(tx.db, hold, now, expires, isAlone);
	});
}

async function claimWhere(
	db: Db,
	{ jobId, token }: Hold,
	now: Date,
	expires: Date,
	condition: RawBuilder<boolean>,
): Promise<Claimed | undefined> {
	return db
		.updateTable("pipeline_jobs")
		.set((eb) => ({
			status: "running",
			lease_token: token,
			lease_expires_at: expires,
			started_at: eb.fn.coalesce("started_at", sql<Date>`${now}`),
			attempts: eb("attempts", "+", 1),
			paused_until: pauseAfter(expires, sql`attempts + 1`),
		}))
		.where("id", "=", jobId)
		.where("status", "in", ["pending", "running"])
		.where((eb) => eb.or([eb("lease_token", "is", null), hasPassed("lease_expires_at", now, LEASE_LONGEST_MS)]))
		.where(isUnpaused(now))
		.where(condition)
		.returning([...RUN_COLUMNS, "program", "best_progress"])
		.executeTakeFirst();
}

/**
 * Removes the rows of stages that were interrupted, and makes the stages pending. @throws
 * LeaseLost
 */
export async function clearInterruptedStages(tx: Tx, hold: Hold): Promise<void> {
	const { jobId } = hold;
	const runs = tx.db.selectFrom("pipeline_jobs").select("id").where(isHeldBy(hold));
	if ((await runs.forShare().executeTakeFirst()) === undefined) throw new LeaseLost();
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
}

/** Ends the run as failed. @throws LeaseLost */
export async function failRun(tx: Tx, hold: Hold, now: Date, message: string): Promise<void> {
	const values = {
		status: "failed" as const,
		completed_at: now,
		errors: JSON.stringify([{ stage_index: null, node_id: null, message }]),
		lease_token: null,
		lease_expires_at: null,
	};
	const frames = [{ type: "execution_failed", data: { error: message, failed_node: null } }];
	await storeTransition(tx.db, hold, now, { values, stages: [], frames, chunks: [] });
	await tx.db
		.updateTable("pipeline_stages")
		.set({ status: "skipped" })
		.where("job_id", "=", hold.jobId)
		.where("status", "in", ["pending", "running"])
		.execute();
}

/**
 * Extends the lease. An attempt that has read more pages than every earlier one does not count, nor
 * do the attempts before it. @throws LeaseLost
 */
export async function renewRunLease(db: Db, hold: Hold, expires: Date, { percent, pages }: Progress): Promise<void> {
	const isFurther = sql<boolean>`${pages}::integer > best_progress`;
	const { numUpdatedRows } = await db
		.updateTable("pipeline_jobs")
		.set({
			lease_expires_at: expires,
			progress: percent,
			attempts: sql<number>`case when ${isFurther} then 0 else attempts end`,
			best_progress: sql<number>`greatest(best_progress, ${pages}::integer)`,
			paused_until: sql<Date | null>`case when not ${isFurther} then ${pauseAfter(expires, sql`attempts`)} end`,
		})
		.where(isHeldBy(hold))
		.executeTakeFirst();
	if (numUpdatedRows === 0n) throw new LeaseLost();
}

/**
 * Does not count the attempt of a worker that lives and has lost its lease. Releases the run if
 * no other worker has taken it.
 */
export async function uncountAttempt(db: Db, { jobId, token }: Hold): Promise<void> {
	const isFree = sql<boolean>`lease_token is not distinct from ${token}`;
	await db
		.updateTable("pipeline_jobs")
		.set({
			attempts: sql<number>`greatest(attempts - 1, 0)`,
			lease_token: sql<string | null>`case when not ${isFree} then lease_token end`,
			lease_expires_at: sql<Date | null>`case when not ${isFree} then lease_expires_at end`,
			paused_until: sql<Date | null>`case when not ${isFree} then paused_until end`,
		})
		.where("id", "=", jobId)
		.where("status", "=", "running")
		.execute();
}

/** Releases the run, to be resumed later. `counts`: whether this attempt counts. */
export async function releaseRun(db: Db, { jobId, token }: Hold, now: Date, counts: boolean): Promise<void> {
	await db
		.updateTable("pipeline_jobs")
		.set((eb) => ({
			lease_token: null,
			lease_expires_at: null,
			...(counts
				? { paused_until: pauseAfter(now, sql`attempts`) }
				: { attempts: eb.fn<number>("greatest", [eb("attempts", "-", 1), eb.lit(0)]), paused_until: null }),
		}))
		.where("id", "=", jobId)
		.where("lease_token", "=", token)
		.execute();
}

export async function listStageRecords(db: Db, jobId: string): Promise<StageRecord[]> {
	return db
		.selectFrom("pipeline_stages")
		.select(["index", "status", "result_count", "feeds"])
		.where("job_id", "=", jobId)
		.orderBy("index")
		.execute();
}

/**
 * Runs whose queue task was probably lost: pending ones that were queued long ago, and running
 * ones without a valid lease. Marks them as queued now.
 */
export async function claimStrandedRuns(tx: Tx, now: Date, waitedSince: Date, limit: number): Promise<string[]> {
	const { rows } = await sql<{ id: string }>`
		update pipeline_jobs set enqueued_at = ${now} where id in (
			select id from pipeline_jobs
			where (status = 'pending' and ${hasPassed("enqueued_at", waitedSince, now.getTime() - waitedSince.getTime() + LEASE_LONGEST_MS)})
				or (status = 'running' and (lease_token is null or ${hasPassed("lease_expires_at", now, LEASE_LONGEST_MS)})
					and ${isUnpaused(now)}
					and ${hasPassed("enqueued_at", new Date(now.getTime() - SETTLE_MS), LEASE_LONGEST_MS)})
			order by enqueued_at limit ${limit} for update skip locked
		) returning id
	`.execute(tx.db);
	return rows.map(({ id }) => id);
}

function findChunk(db: Parts, { stage, first_row, row_count, payload }: Step["chunks"][number]) {
	return db
		.insertInto("pipeline_result_chunks")
		.columns(["job_id", "stage_index", "first_row", "row_count", "payload"])
		.expression(
			sql`select held.id, ${stage}::integer, ${first_row}::integer, ${row_count}::integer, ${payload}::bytea from held` as never,
		);
}

/** Longer than any lease, with small differences between the clocks of two processes. */
const LEASE_LONGEST_MS = 60_000;
/** Attempts without progress after which a run is a suspect: one of these runs at a time. */
const SUSPECT_ATTEMPTS = 3;
/** First key of the advisory lock under which suspects are taken; the second is always 0. */
const SUSPECT_LOCK = 0x7375;
/** Pause before the next attempt of a suspect. */
const PAUSE_MS = 30_000;

/** When a suspect may be taken again; null for other runs. */
const pauseAfter = (end: Date, attempts: RawBuilder<unknown>) =>
	sql<Date | null>`case when ${attempts} >= ${SUSPECT_ATTEMPTS}
		then ${new Date(end.getTime() + PAUSE_MS)}::timestamptz end`;

const isUnpaused = (now: Date) =>
	sql<boolean>`(paused_until is null or ${hasPassed("paused_until", now, LEASE_LONGEST_MS + PAUSE_MS)})`;

/** A run that was queued within this time is left to the worker that is about to take it. */
const SETTLE_MS = 10_000;
