/**
 * Computes the numbers of snapshots that have none yet: for a request that waits up to a few
 * seconds, and as a queue task for the rest.
 */
import * as z from "zod";
import { type Context, getNow } from "../../../context.ts";
import type { JobQueue } from "../../../core/ports/jobs.ts";
import {
	findDefinition,
	insertNumbers,
	listUncomputed,
	type SeriesSpan,
	type StoredDefinition,
	updateComputingUntil,
} from "../sql/series.ts";

const SERIES = "time_machine.series";

/** Snapshots that a worker thread computes at once. */
const SNAPSHOTS_AT_ONCE = 500;
/** A request waits so long for its numbers, in milliseconds. */
const WAIT_MS = 3_000;
/** Time for one unit of a queue task, after which requests compute again themselves. */
const LEASE_MS = 150_000;
/** Queue tasks of one process at the same time. */
const TASKS = 1;
const WHOLE: SeriesSpan = { from: null, to: null };
const seriesTask = z.object({ definitionId: z.string() });

/**
 * Computes numbers of the latest snapshots that have none.
 * @returns whether there may be more
 */
async function computeSome(
	ctx: Context,
	definition: StoredDefinition,
	span: SeriesSpan,
	signal: AbortSignal,
): Promise<boolean> {
	const missing = await listUncomputed(ctx.store.db, definition, span, SNAPSHOTS_AT_ONCE);
	if (missing.length === 0) return false;
	const snapshotIds = missing.map(({ id }) => id);
	const size = Math.max(...missing.map(({ bytes }) => bytes)) * missing.length;
	const { value, field, groupBy } = definition;
	const task = { definition: { value, field, groupBy }, snapshotIds };
	const computed = await ctx.areas.history.threads.series(task, { size, signal });
	// A snapshot that is there and of which nothing was read has no content.
	const numbers =
		computed.length > 0
			? computed
			: snapshotIds.map((snapshotId) => ({ snapshotId, numbers: null, leftOut: 0, failure: "content" as const }));
	await ctx.store.transaction((tx) => insertNumbers(tx, definition.id, numbers));
	return true;
}

/** Whether a queue task computes the numbers of the definition. */
const isBeingComputed = (ctx: Context, { computingUntil }: StoredDefinition): boolean =>
	computingUntil !== null && computingUntil.getTime() > ctx.clock.now();

/**
 * Computes the numbers of a span, within a few seconds; a queue task computes those that are left.
 */
export async function computeNumbers(
	ctx: Context,
	definition: StoredDefinition,
	span: SeriesSpan,
	signal: AbortSignal,
): Promise<void> {
	if (isBeingComputed(ctx, definition)) return;
	const until = ctx.clock.now() + WAIT_MS;
	await ctx.areas.history.historyMutex.run(`series:${definition.id}`, async () => {
		while (await computeSome(ctx, definition, span, signal)) {
			signal.throwIfAborted();
			if (ctx.clock.now() < until) continue;
			await enqueueSeries(ctx, definition.id);
			return;
		}
	});
}

async function enqueueSeries(ctx: Context, definitionId: string): Promise<void> {
	await ctx.store.transaction(async (tx) => {
		await updateComputingUntil(tx.db, definitionId, new Date(ctx.clock.now() + LEASE_MS));
		await ctx.jobs.enqueue(tx, SERIES, { definitionId }, { key: definitionId });
	});
}

/** Computes all numbers of a definition. Safe to repeat. */
async function fillSeries(ctx: Context, definitionId: string, signal: AbortSignal): Promise<void> {
	const definition = await findDefinition(ctx.store.db, definitionId);
	if (definition === undefined) return;
	do {
		signal.throwIfAborted();
		await updateComputingUntil(ctx.store.db, definitionId, new Date(getNow(ctx).getTime() + LEASE_MS));
	} while (await computeSome(ctx, definition, WHOLE, signal));
	await updateComputingUntil(ctx.store.db, definitionId, null);
}

export const listSeriesQueues = (ctx: Context): JobQueue[] => [
	{
		name: SERIES,
		concurrency: TASKS,
		handler: (data, signal) => fillSeries(ctx, seriesTask.parse(data).definitionId, signal),
	},
];
