/**
 * Queue tasks that read new snapshots into the feed of changes, and timers: one finds snapshots
 * whose task was lost, or that are older than the feed; the other deletes old changes.
 */
import * as z from "zod";
import type { Context } from "../../../context.ts";
import type { JobQueue } from "../../../core/ports/jobs.ts";
import type { Tx } from "../../../core/ports/store.ts";
import { type Repeating, repeatWork } from "../../../core/repeating.ts";
import { LEAST_UUID } from "../../../core/uuid.ts";
import { findLatestCleanup } from "../../history/rules/retention.ts";
import { advanceTimer, createTimer } from "../../history/sql/cleanup.ts";
import { expandHistory, getOldestChange } from "./expand-history.ts";
import { copyAttribution, deleteChangesBefore, lockFeed } from "./sql/changes.ts";
import { listHistoriesBehind } from "./sql/cursors.ts";
import { countDay, deleteDaysBefore, listUncountedDays } from "./sql/day-counts.ts";

const EXPAND = "changes.expand";
const ATTRIBUTE = "changes.attribute";
const TICK_MS = 60_000;
const HISTORIES = 100;
const PURGED = 5_000;
/** Days that one tick counts. */
const DAYS = 10;

const expandTask = z.object({ historyId: z.string() });
const attributeTask = z.object({ snapshotId: z.string() });

/** Has the snapshots of a history read into the feed after the transaction. */
export const enqueueExpansion = (ctx: Context, tx: Tx, historyId: string): Promise<void> =>
	ctx.jobs.enqueue(tx, EXPAND, { historyId });

/** Has the persons of a snapshot's changes copied into the feed after the transaction. */
export const enqueueAttributionCopy = (ctx: Context, tx: Tx, snapshotId: string): Promise<void> =>
	ctx.jobs.enqueue(tx, ATTRIBUTE, { snapshotId });

export const listChangeQueues = (ctx: Context): JobQueue[] => [
	{
		name: EXPAND,
		concurrency: 1,
		handler: (data, signal) => expandHistory(ctx, expandTask.parse(data).historyId, signal),
	},
	{
		name: ATTRIBUTE,
		concurrency: 1,
		handler(data) {
			const { snapshotId } = attributeTask.parse(data);
			return ctx.store.transaction(async (tx) => {
				await lockFeed(tx);
				await copyAttribution(tx, snapshotId);
			});
		},
	},
];

/** Runs `work` once per due time, on the process that advances the timer. */
function createDueWork(
	ctx: Context,
	name: string,
	latestDue: (now: number) => Date,
	work: (signal: AbortSignal) => Promise<void>,
): (signal: AbortSignal) => Promise<void> {
	let handled = 0;
	return async (signal) => {
		const due = latestDue(ctx.clock.now());
		if (due.getTime() <= handled) return;
		await createTimer(ctx.store.db, name, due);
		const isMine = await ctx.store.transaction((tx) => advanceTimer(tx, name, due));
		handled = due.getTime();
		if (isMine) await work(signal);
	};
}

export const startChangeTimers = (ctx: Context): Repeating =>
	repeatWork(ctx, [
		{
			everyMs: TICK_MS,
			failure: "snapshots that are missing in the feed of changes were not read",
			work: createDueWork(
				ctx,
				"changes_behind",
				(now) => new Date(now - (now % TICK_MS)),
				(signal) => expandHistoriesBehind(ctx, signal),
			),
		},
		{
			everyMs: TICK_MS,
			failure: "changes of past days were not counted",
			work: createDueWork(
				ctx,
				"changes_counted",
				(now) => new Date(now - (now % TICK_MS)),
				(signal) => countPastDays(ctx, signal),
			),
		},
		{
			everyMs: TICK_MS,
			failure: "old changes were not deleted",
			work: createDueWork(ctx, "changes_cleanup", findLatestCleanup, (signal) => purgeChanges(ctx, signal)),
		},
	]);

/** Reads every history that has snapshots which the feed lacks. Safe to repeat. */
async function expandHistoriesBehind(ctx: Context, signal: AbortSignal): Promise<void> {
	for (let after = LEAST_UUID; !signal.aborted; ) {
		const batch = { after, oldest: getOldestChange(ctx), limit: HISTORIES };
		const ids = await listHistoriesBehind(ctx.store.db, batch);
		for (const id of ids) await expandHistory(ctx, id, signal);
		const last = ids.at(-1);
		if (last === undefined || ids.length < HISTORIES) return;
		after = last;
	}
}

/** Counts days that have ended and were changed since they were counted. */
export async function countPastDays(ctx: Context, signal: AbortSignal): Promise<void> {
	const until = new Date(ctx.clock.now());
	for (const day of await listUncountedDays(ctx.store.db, { since: getOldestChange(ctx), until, limit: DAYS })) {
		if (signal.aborted) return;
		await ctx.store.transaction(async (tx) => {
			await lockFeed(tx);
			await countDay(tx, day);
		});
	}
}

/** Deletes changes that are older than the retention, in batches. */
async function purgeChanges(ctx: Context, signal: AbortSignal): Promise<void> {
	for (let purged = PURGED; purged === PURGED && !signal.aborted; )
		purged = await ctx.store.transaction(async (tx) => {
			// No day is counted while its rows go.
			await lockFeed(tx);
			return deleteChangesBefore(tx.db, getOldestChange(ctx), PURGED);
		});
	await deleteDaysBefore(ctx.store.db, getOldestChange(ctx));
}
