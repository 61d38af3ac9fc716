/**
 * Background work: executes runs, and then records their ends. The transaction that ends a run
 * enqueues the record of its end, because a run may also be cancelled outside of its runner, and
 * because each record holds a whole result in memory.
 */
import type { Context } from "../../context.ts";
import type { JobQueue } from "../../core/ports/jobs.ts";
import { type Repeating, repeatWork } from "../../core/repeating.ts";
import { runInShare } from "../../core/work-share.ts";
import { RECORD_QUEUE } from "../runs/background/queue.ts";
import { listUnrecordedRuns } from "../runs/background/sql.ts";
import { executeRun } from "../runs/pipelines/jobs.ts";
import { PIPELINE_QUEUE } from "../runs/pipelines/topics.ts";
import { recordRunEnd } from "./record-run-end.ts";
import { findRunEnd } from "./run-end.ts";

/** Concurrent runs of one process. */
const RUNS_AT_ONCE = 8;
/** Each record of an end holds a whole result. */
const RECORDS_AT_ONCE = 2;
const SWEEP_MS = 60_000;
/** A run that ended this long ago without a record has lost its queue task. */
const LOST_MS = 60_000;
const LOST_AT_ONCE = 100;

/**
 * Records the end of a run. Safe to call any number of times, concurrently, and before the run
 * has ended.
 */
async function recordEnd(ctx: Context, jobId: string, signal: AbortSignal): Promise<void> {
	const end = await findRunEnd(ctx, jobId);
	if (end === null) return;
	await runInShare({ userId: end.run.user.userId, lane: "recording" }, () => recordRunEnd(ctx, end, signal));
}

/** Enqueues the end of runs that ended a while ago and are not recorded. */
async function enqueueLostEnds(ctx: Context): Promise<void> {
	const lost = await listUnrecordedRuns(ctx.store.db, new Date(ctx.clock.now() - LOST_MS), LOST_AT_ONCE);
	if (lost.length === 0) return;
	ctx.log.warn({ runs: lost.length }, "the end of some runs was not recorded; recording it now");
	const tasks = lost.map((jobId) => ({ jobId }));
	await ctx.store.transaction((tx) => ctx.jobs.enqueueAll(tx, RECORD_QUEUE, tasks));
}

export function listRecordingQueues(ctx: Context): JobQueue[] {
	const record: JobQueue["handler"] = (data, signal) => recordEnd(ctx, (data as { jobId: string }).jobId, signal);
	return [
		{
			name: PIPELINE_QUEUE,
			concurrency: RUNS_AT_ONCE,
			handler: (data, signal) => executeRun(ctx, (data as { jobId: string }).jobId, signal),
		},
		{ name: RECORD_QUEUE, concurrency: RECORDS_AT_ONCE, handler: record },
		// Nodes of the version before use this name.
		{ name: "background_runs.finish", concurrency: RECORDS_AT_ONCE, handler: record },
	];
}

/** Starts the timers of a process that takes queue tasks. */
export const startRecordingTimers = (ctx: Context): Repeating =>
	repeatWork(ctx, [
		{ everyMs: SWEEP_MS, failure: "unrecorded runs could not be found", work: () => enqueueLostEnds(ctx) },
	]);
