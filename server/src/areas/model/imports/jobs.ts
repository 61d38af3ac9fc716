/**
 * Background work: taking imports from the queue, holding them while they run, and picking up those
 * that were stranded.
 */
import type { Context } from "../../../context.ts";
import { holdLease, LEASE_MS, type Lease, LeaseLost } from "../../../core/lease.ts";
import type { JobQueue } from "../../../core/ports/jobs.ts";
import { repeatWork } from "../../../core/repeating.ts";
import { failImport, runImport } from "./import.ts";
import { claimImport, type Hold, releaseImport, renewImportLease } from "./sql/import.ts";
import { claimStrandedImports } from "./sql/imports.ts";
import { IMPORT_QUEUE, importTopic, STOP } from "./topics.ts";

const SWEEP_MS = 5_000;
/** An import that was just put into the queue is left to the worker that is about to take it. */
const SETTLE_MS = 10_000;
/** Starts without anything stored between them, after which an import is given up. */
const ATTEMPTS = 5;

/** Holds an import while it runs. The signal `stop` is aborted when it is to be cancelled. */
async function holdImport(ctx: Context, hold: Hold): Promise<{ readonly lease: Lease; readonly stop: AbortSignal }> {
	const stop = new AbortController();
	const lease = await holdLease(ctx, {
		topic: importTopic(hold.runId),
		message: STOP,
		async renew(expires) {
			if (await renewImportLease(ctx.store.db, hold, expires)) stop.abort(new Error("the import was cancelled"));
		},
	});
	return { lease, stop: stop.signal };
}

export function createWorker(ctx: Context) {
	/**
	 * Carries out one import, if it can be had. Safe to be called any number of times for the same
	 * one.
	 */
	async function executeImport(data: unknown, stopping: AbortSignal): Promise<void> {
		const { runId } = data as { runId: string };
		const hold = { runId, token: ctx.ids.uuid() };
		stopping.throwIfAborted();
		const now = ctx.clock.now();
		const run = await claimImport(ctx.store.db, hold, new Date(now), new Date(now + LEASE_MS));
		if (run === undefined) return;
		const { lease, stop } = await holdImport(ctx, hold);
		try {
			if (run.attempts > ATTEMPTS) {
				await failImport(ctx, run, hold, "The import was interrupted too often. Resume it to go on.");
			} else await runImport(ctx, run, hold, AbortSignal.any([stopping, lease.signal]), stop);
		} catch (error) {
			if (lease.signal.aborted || error instanceof LeaseLost) return;
			ctx.log[stopping.aborted ? "info" : "error"](
				{ err: error, run: runId },
				"an import was interrupted and will go on later",
			);
			await releaseImport(ctx.store.db, hold, !stopping.aborted);
			throw error;
		} finally {
			await lease.stop();
		}
	}

	/** Puts stranded imports into the queue again; any number of processes may do so at once. */
	async function requeueStrandedImports(): Promise<void> {
		await ctx.store.transaction(async (tx) => {
			const now = ctx.clock.now();
			for (const runId of await claimStrandedImports(tx, new Date(now), new Date(now - SETTLE_MS))) {
				await ctx.jobs.enqueue(tx, IMPORT_QUEUE, { runId });
			}
		});
	}

	return {
		queue: { name: IMPORT_QUEUE, concurrency: 1, handler: executeImport } satisfies JobQueue,
		start: () =>
			repeatWork({ clock: ctx.clock, log: ctx.log }, [
				{ everyMs: SWEEP_MS, failure: "stranded imports could not be looked for", work: requeueStrandedImports },
			]),
	};
}
