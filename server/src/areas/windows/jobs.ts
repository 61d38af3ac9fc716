/** The background work of change windows: due rounds, starts and ends, and lost tasks. */
import { type Context, getNow } from "../../context.ts";
import type { JobQueue } from "../../core/ports/jobs.ts";
import type { Tx } from "../../core/ports/store.ts";
import { type Repeating, repeatWork } from "../../core/repeating.ts";
import { evaluateRound, openWindow } from "./evaluate-round.ts";
import { followIdleWindows } from "./follow-jobs.ts";
import { moveFrozenWindow } from "./move-frozen-window.ts";
import { moveWindow, SERVICE_ACTOR } from "./move-window.ts";
import { notifyOfWindow } from "./notify-of-window.ts";
import { rollBackJobs } from "./roll-back-jobs.ts";
import { countOpenCaptures, endGoneCaptures, endOpenCaptures, endRound, listLostRounds } from "./sql/rounds.ts";
import {
	deleteOldWindows,
	hasDueWindows,
	lockDueWindows,
	lockWindowRow,
	updateWindowRow,
	type WindowRow,
} from "./sql/windows.ts";
import { startDueRound } from "./start-round.ts";
import { buildFinish, buildStart } from "./step-window.ts";
import { ROLLBACK_QUEUE, ROUND_QUEUE } from "./topic.ts";

const TICK_MS = 1_000;
const LOST_MS = 60_000;
const PURGE_MS = 3_600_000;
const BATCH = 50;
/** Age at which windows that are over are deleted. */
const KEPT_MS = 400 * 24 * 3_600_000;
const DUE_QUEUE = "change_windows.due";
/** Delay of another attempt at a round that could not be started. */
const AGAIN_MS = 10_000;

/** Moves a due window: it expires, starts, ends its work, or begins its next round. */
async function takeDue(ctx: Context, tx: Tx, window: WindowRow): Promise<void> {
	const now = getNow(ctx);
	const isAtEnd = window.ends_at !== null && window.ends_at <= now;
	if (isAtEnd && (window.state === "planned" || window.state === "blocked" || window.state === "checking_before")) {
		await moveWindow(ctx, tx, window, SERVICE_ACTOR, {
			event: "expire",
			to: "expired",
			values: { round_at: null },
			detail: "The window had not opened before its end.",
			verb: "ended",
		});
		await notifyOfWindow(ctx, tx, window, { event: "change_window_expired" });
		return;
	}
	if (window.state === "planned") {
		if (await moveFrozenWindow(ctx, tx, window)) return;
		await moveWindow(ctx, tx, window, SERVICE_ACTOR, {
			event: "start",
			to: "checking_before",
			values: buildStart(ctx, window),
			verb: "started",
		});
		return;
	}
	if (window.state === "open") {
		await moveWindow(ctx, tx, window, SERVICE_ACTOR, {
			event: "finish",
			to: "settling",
			values: buildFinish(ctx, window, false),
			detail: "The end of the window.",
			verb: "finished",
		});
		return;
	}
	if (window.round_at === null) return giveRoundUp(ctx, tx, window);
	// The queue task starts the round outside of this transaction. It is repeated if it is lost.
	await updateWindowRow(tx, window.id, { next_at: new Date(now.getTime() + AGAIN_MS) });
	await ctx.jobs.enqueue(tx, DUE_QUEUE, { windowId: window.id });
}

/** Ends the round before the work without what takes too long, and opens the window. */
async function giveRoundUp(ctx: Context, tx: Tx, window: WindowRow): Promise<void> {
	const error = "The query was not over in time: the job was launched without waiting for it any longer.";
	await endOpenCaptures(tx, window.id, window.round, error);
	await endRound(tx, window.id, window.round, getNow(ctx));
	await openWindow(ctx, tx, window, { passed: true, reasons: [] });
}

/** Moves all windows that are due. Costs one small read if none is. */
async function takeDueWindows(ctx: Context, signal: AbortSignal): Promise<void> {
	if (!(await hasDueWindows(ctx.store.db, getNow(ctx)))) return;
	let taken = BATCH;
	while (taken === BATCH && !signal.aborted) {
		taken = await ctx.store.transaction(async (tx) => {
			const due = await lockDueWindows(tx, getNow(ctx), BATCH);
			for (const window of due) await takeDue(ctx, tx, window);
			return due.length;
		});
	}
}

/** Ends rounds whose runs were deleted: no end of these runs is ever recorded. */
async function endRoundsOfGoneRuns(ctx: Context): Promise<void> {
	for (const { window_id: windowId, round } of await endGoneCaptures(ctx.store.db, BATCH))
		await ctx.store.transaction(async (tx) => {
			if ((await lockWindowRow(tx, windowId)) === undefined) return;
			if ((await countOpenCaptures(tx.db, windowId, round)) > 0) return;
			await endRound(tx, windowId, round, getNow(ctx));
			await ctx.jobs.enqueue(tx, ROUND_QUEUE, { windowId, round });
		});
}

/** Enqueues rounds again whose runs have ended, and whose queue task was lost. */
async function enqueueLostRounds(ctx: Context): Promise<void> {
	const before = new Date(ctx.clock.now() - LOST_MS);
	const lost = await listLostRounds(ctx.store.db, before, BATCH);
	if (lost.length === 0) return;
	const tasks = lost.map(({ window_id: windowId, round }) => ({ windowId, round }));
	await ctx.store.transaction((tx) => ctx.jobs.enqueueAll(tx, ROUND_QUEUE, tasks));
}

export const listWindowQueues = (ctx: Context): JobQueue[] => [
	{
		name: DUE_QUEUE,
		concurrency: 2,
		handler: (data) => startDueRound(ctx, (data as { readonly windowId: string }).windowId),
	},
	{
		name: ROLLBACK_QUEUE,
		concurrency: 2,
		handler: (data) => rollBackJobs(ctx, (data as { readonly windowId: string }).windowId),
	},
	{ name: ROUND_QUEUE, concurrency: 2, handler: (data, signal) => evaluateRound(ctx, data, signal) },
];

export const startWindowTimers = (ctx: Context): Repeating =>
	repeatWork(ctx, [
		{
			everyMs: TICK_MS,
			failure: "due change windows could not be moved",
			work: (signal) => takeDueWindows(ctx, signal),
		},
		{ everyMs: LOST_MS, failure: "lost rounds could not be enqueued again", work: () => enqueueLostRounds(ctx) },
		{ everyMs: LOST_MS, failure: "rounds of deleted runs could not be ended", work: () => endRoundsOfGoneRuns(ctx) },
		{
			everyMs: LOST_MS,
			failure: "windows whose jobs have ended could not be finished",
			work: () => followIdleWindows(ctx),
		},
		{
			everyMs: PURGE_MS,
			failure: "old change windows could not be removed",
			work: () => deleteOldWindows(ctx.store.db, new Date(ctx.clock.now() - KEPT_MS)),
		},
	]);
