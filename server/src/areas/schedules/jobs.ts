/** Background work of schedules: the queues, and the timers of a process that takes jobs. */
import type { Context } from "../../context.ts";
import type { JobQueue } from "../../core/ports/jobs.ts";
import { type Repeating, repeatWork } from "../../core/repeating.ts";
import { enqueueRunEnd } from "../runs/background/queue.ts";
import { enqueueLostExecutions, purgeExecutions, startDueTasks } from "./due.ts";
import { EMAIL_QUEUE, START_QUEUE } from "./lifecycle.ts";
import { mailEndOfExecution } from "./notices.ts";
import { findTaskExecution } from "./sql/runs.ts";
import { startExecution } from "./start.ts";

const TICK_MS = 1_000;
const LOST_MS = 60_000;
const PURGE_MS = 3_600_000;

export const listScheduleQueues = (ctx: Context): JobQueue[] => [
	{ name: START_QUEUE, concurrency: 2, handler: (data, signal) => startExecution(ctx, data, signal) },
	// Nodes of the version before use this name.
	{ name: "schedules.finish", concurrency: 2, handler: (data) => requestRecord(ctx, data) },
	{ name: EMAIL_QUEUE, concurrency: 2, handler: (data) => mailEndOfExecution(ctx, data) },
];

async function requestRecord(ctx: Context, data: unknown): Promise<void> {
	const execution = await findTaskExecution(ctx.store.db, (data as { executionId: string }).executionId);
	const jobId = execution?.pipeline_job_id;
	if (jobId) await ctx.store.transaction((tx) => enqueueRunEnd(ctx, tx, jobId));
}

/** Starts the timers; what fell due while nobody looked is taken at once. */
export const startScheduleTimers = (ctx: Context): Repeating =>
	repeatWork(ctx, [
		{ everyMs: TICK_MS, failure: "due tasks could not be run", work: (signal) => startDueTasks(ctx, signal) },
		{
			everyMs: LOST_MS,
			failure: "lost executions could not be enqueued again",
			work: () => enqueueLostExecutions(ctx),
		},
		{
			everyMs: PURGE_MS,
			failure: "old executions could not be removed",
			work: (signal) => purgeExecutions(ctx, signal),
		},
	]);
