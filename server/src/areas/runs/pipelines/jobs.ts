/** Background work: executes a run, queues stranded runs again, and removes old results. */
import { LRUCache } from "lru-cache";
import { type Context, getNow } from "../../../context.ts";
import { holdLease, LEASE_MS, LeaseLost, RENEW_MS } from "../../../core/lease.ts";
import { type Repeating, repeatWork } from "../../../core/repeating.ts";
import { runInShare } from "../../../core/work-share.ts";
import { findIdentity } from "../../accounts/sign-in/create-sessions.ts";
import { emitEnd } from "./run-signals.ts";
import { createRunner } from "./runner.ts";
import { deleteOldResults } from "./sql/results.ts";
import {
	claimRun,
	claimStrandedRuns,
	clearInterruptedStages,
	failRun,
	type Hold,
	type Progress,
	releaseRun,
	renewRunLease,
	uncountAttempt,
} from "./sql/run.ts";
import type { RunRow } from "./sql/runs.ts";
import { ENDED, getPipelineTopic, PIPELINE_QUEUE } from "./topics.ts";

/** Attempts without progress between them, after which a run fails. */
const MAX_ATTEMPTS = 8;
const SWEEP_MS = 5_000;
const PURGE_MS = 3_600_000;
const BATCH = 200;
/** The store may be away for a minute before a lost lease counts as a death. */
const FORGET_TRIES = 20;
/** A run that is pending for longer is queued again, in case its queue task was lost. */
const WAITED_MS = 120_000;
const DAY_MS = 86_400_000;
/** Lifetime of a cached limit of rows. */
const ROW_LIMIT_MS = 5_000;
const GIVEN_UP =
	`The process that executed the run stopped ${MAX_ATTEMPTS} times without progress in between. ` +
	"Narrow the query with a filter, and start it again.";

/** Limits of rows by user: a user may start hundreds of small runs at once. */
export const createRowLimitCache = ({ clock }: Context) =>
	new LRUCache<number, number>({ max: 1_000, ttl: ROW_LIMIT_MS, perf: clock });

/** The limit of rows per stage of a user's runs. */
async function findRowLimit(ctx: Context, userId: number): Promise<number> {
	const { rowLimits, limits } = ctx.areas.pipelines;
	const known = rowLimits.get(userId);
	if (known !== undefined) return known;
	const owner = await findIdentity(ctx, userId);
	const own = owner && (await ctx.quotas.limit(owner, "result_rows_max"));
	const limit = Math.min(limits.rows, own ?? limits.rows);
	rowLimits.set(userId, limit);
	return limit;
}

/** Executes a run that no other worker holds. Idempotent, also for concurrent calls. */
export async function executeRun(ctx: Context, jobId: string, stopping: AbortSignal): Promise<void> {
	const hold = { jobId, token: ctx.ids.uuid() };
	stopping.throwIfAborted();
	const now = ctx.clock.now();
	const job = await claimRun(ctx.store, hold, new Date(now), new Date(now + LEASE_MS));
	// Ended, or held by another worker; `requeueStrandedRuns` finds it should that worker die.
	if (job === undefined) return;

	if (job.attempts > MAX_ATTEMPTS) return giveRunUp(ctx, hold, job);

	const { progress: percent } = job;
	let progress = (): Progress => ({ percent, pages: 0 });
	const lease = await holdLease(ctx, {
		topic: getPipelineTopic(jobId),
		message: ENDED,
		renew: (expires) => renewRunLease(ctx.store.db, hold, expires, progress()),
	});
	try {
		// A run without frames has nothing of an earlier worker to be removed.
		if (job.last_frame > 0) await ctx.store.transaction((tx) => clearInterruptedStages(tx, hold));
		const rows = await findRowLimit(ctx, job.owner_id);
		const { limits, loadFacts } = ctx.areas.pipelines;
		const { facts } = await loadFacts();
		const runner = createRunner(ctx, { limits: { ...limits, rows }, lease }, job, hold, facts);
		progress = runner.progress;
		const signal = AbortSignal.any([stopping, lease.signal]);
		await runInShare({ userId: job.owner_id, lane: "recording" }, () => runner.run(signal));
	} catch (error) {
		if (lease.signal.aborted || error instanceof LeaseLost) return forgetAttempt(ctx, hold, stopping);
		ctx.log[stopping.aborted ? "info" : "error"](
			{ err: error, job: jobId },
			"a run was interrupted and will be resumed",
		);
		await releaseRun(ctx.store.db, hold, getNow(ctx), !stopping.aborted);
		throw error;
	} finally {
		await lease.stop();
	}
}

/** Also where the store cannot be reached, which is why most leases are lost. */
async function forgetAttempt(ctx: Context, hold: Hold, stopping: AbortSignal): Promise<void> {
	for (let left = FORGET_TRIES; ; left--) {
		try {
			return await uncountAttempt(ctx.store.db, hold);
		} catch (error) {
			if (left === 0) throw error;
			ctx.log.warn({ err: error, job: hold.jobId }, "a lost lease could not be stored yet");
			await ctx.clock.sleep(RENEW_MS, stopping);
		}
	}
}

async function giveRunUp(ctx: Context, hold: Hold, job: RunRow): Promise<void> {
	await ctx.store.transaction(async (tx) => {
		await failRun(tx, hold, getNow(ctx), GIVEN_UP);
		await emitEnd(ctx, tx, job);
		tx.afterCommit(() => ctx.pubsub.publish(getPipelineTopic(hold.jobId), ""));
	});
}

/** Queues stranded runs again; several processes may do so concurrently. */
async function requeueStrandedRuns(ctx: Context): Promise<void> {
	await ctx.store.transaction(async (tx) => {
		const now = ctx.clock.now();
		const stranded = await claimStrandedRuns(tx, new Date(now), new Date(now - WAITED_MS), BATCH);
		for (const jobId of stranded) await ctx.jobs.enqueue(tx, PIPELINE_QUEUE, { jobId });
	});
}

async function purgeResults(ctx: Context): Promise<void> {
	const now = ctx.clock.now();
	const before = new Date(now - ctx.resultDays * DAY_MS);
	for (let purged = BATCH; purged === BATCH; ) {
		purged = await ctx.store.transaction((tx) => deleteOldResults(tx, before, new Date(now), BATCH));
	}
}

/** Starts the timers of a process that takes queue tasks. */
export const startPipelineTimers = (ctx: Context): Repeating =>
	repeatWork(ctx, [
		{
			everyMs: SWEEP_MS,
			failure: "stranded runs could not be found",
			work: () => requeueStrandedRuns(ctx),
		},
		{ everyMs: PURGE_MS, failure: "old results could not be removed", work: () => purgeResults(ctx) },
	]);
