/** Queue tasks and timers that keep the index of objects. */
import * as z from "zod";
import type { Context } from "../../../context.ts";
import type { JobQueue } from "../../../core/ports/jobs.ts";
import { type Repeating, repeatWork } from "../../../core/repeating.ts";
import { listOutdatedIndexes } from "./sql/object-index.ts";
import { indexHistory } from "./update-index.ts";

export const INDEX_QUEUE = "answers.index";
const TICK_MS = 60_000;
/** Histories that one tick brings up to date. */
const PER_TICK = 500;

const indexTask = z.object({ historyId: z.string() });

export const listIndexQueues = (background: Context): JobQueue[] => [
	{
		name: INDEX_QUEUE,
		concurrency: 1,
		handler: (data, signal) => indexHistory(background, indexTask.parse(data).historyId, signal),
	},
];

/**
 * Finds indexes that no task has brought up to date: lost tasks, deletions, and snapshots of older
 * versions.
 */
export const startIndexTimers = (background: Context): Repeating =>
	repeatWork(background, [
		{
			everyMs: TICK_MS,
			failure: "bringing the index of objects up to date failed",
			work: (signal) => indexOutdated(background, signal),
		},
	]);

export async function indexOutdated(background: Context, signal: AbortSignal): Promise<void> {
	for (const id of await listOutdatedIndexes(background.store.db, PER_TICK)) {
		if (signal.aborted) return;
		await indexHistory(background, id, signal);
	}
}
