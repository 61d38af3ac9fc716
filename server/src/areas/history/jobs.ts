/**
 * Queue tasks: the daily cleanup, the background check of stored snapshots, of which every node
 * checks whether they are due, and the lookup of who changed what a capture shows.
 */
import * as z from "zod";
import type { Context } from "../../context.ts";
import type { JobQueue } from "../../core/ports/jobs.ts";
import { type Repeating, repeatWork } from "../../core/repeating.ts";
import { ATTRIBUTE, lookUpDrift } from "./attribute-changes.ts";
import { purgeExpiredSnapshots } from "./clean-up-snapshots.ts";
import { findLatestCleanup } from "./rules/retention.ts";
import { listSeriesQueues } from "./series/compute-numbers.ts";
import { advanceTimer, createTimer } from "./sql/cleanup.ts";
import { verifyNext } from "./verify-snapshots.ts";

const CLEANUP = "time_machine.cleanup";
const VERIFY = "time_machine.verify";
const TICK_MS = 60_000;
const VERIFY_MS = 10 * 60_000;

/** Lookups that one process makes at the same time. */
const LOOKUPS = 2;
const attributeTask = z.object({ snapshotId: z.string(), requests: z.number() });

/**
 * A check whether a timer is due. Of all nodes, the one that advances the timer enqueues the task.
 */
function createDueCheck(
	ctx: Context,
	name: string,
	queue: string,
	latestDue: (now: number) => Date,
): () => Promise<void> {
	/** The last due time that this process has handled: it asks the store once per due time. */
	let handled = 0;
	return async () => {
		const due = latestDue(ctx.clock.now());
		if (due.getTime() <= handled) return;
		await createTimer(ctx.store.db, name, due);
		await ctx.store.transaction(async (tx) => {
			if (await advanceTimer(tx, name, due)) await ctx.jobs.enqueue(tx, queue, {});
		});
		handled = due.getTime();
	};
}

export const listTimeMachineQueues = (ctx: Context): JobQueue[] => [
	{
		name: ATTRIBUTE,
		concurrency: LOOKUPS,
		handler(data, signal) {
			const { snapshotId, requests } = attributeTask.parse(data);
			return lookUpDrift(ctx, snapshotId, requests, signal);
		},
	},
	...listSeriesQueues(ctx),
	{ name: CLEANUP, concurrency: 1, handler: (_, signal) => purgeExpiredSnapshots(ctx, signal) },
	{ name: VERIFY, concurrency: 1, retries: 0, handler: (_, signal) => verifyNext(ctx, signal) },
];

export const startTimeMachineTimers = (ctx: Context): Repeating => {
	const checks = [
		createDueCheck(ctx, "cleanup", CLEANUP, findLatestCleanup),
		createDueCheck(ctx, "verify_some", VERIFY, (now) => new Date(now - (now % VERIFY_MS))),
	];
	return repeatWork(
		ctx,
		checks.map((work) => ({ everyMs: TICK_MS, failure: "reading the Time Machine's timers failed", work })),
	);
};
