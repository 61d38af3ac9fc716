/**
 * Background work: taking imports from the queue, holding them while they run, and picking up those
 * that were stranded.
 */
import type { Context } from "../../../context.ts";
import type { JobQueue } from "../../../core/ports/jobs.ts";
import { repeatWork } from "../../../core/repeating.ts";
import { failImport, runImport } from "./import.ts";
import { claimImport, type Hold, LeaseLost, releaseImport, renewImportLease } from "./sql/import.ts";
import { claimStrandedImports } from "./sql/imports.ts";
import { IMPORT_QUEUE, importTopic, STOP } from "./topics.ts";

const LEASE_MS = 12_000;
const RENEW_MS = 3_000;
const SWEEP_MS = 5_000;
/** An import that was just put into the queue is left to the worker that is about to take it. */
const SETTLE_MS = 10_000;
/** Starts without anything stored between them, after which an import is given up. */
const ATTEMPTS = 5;

export function createWorker(ctx: Context) {
	/** Keeps the import while it runs. Tells when it is lost, and when it is to be stopped. */
	async function maintainLease(hold: Hold) {
		const lost = new AbortController();
		const stop = new AbortController();
		let expires = ctx.clock.now() + LEASE_MS;
		let renewing: Promise<void> | null = null;

		async function renewLease(): Promise<void> {
			const until = ctx.clock.now() + LEASE_MS;
			try {
				if (await renewImportLease(ctx.store.db, hold, new Date(until)))
					stop.abort(new Error("the import was cancelled"));
				expires = until;
			} catch (error) {
				// No other process takes it while the lease lasts.
				if (error instanceof LeaseLost || ctx.clock.now() >= expires) lost.abort(new LeaseLost());
				else ctx.log.warn({ err: error, run: hold.runId }, "the lease of an import could not be renewed");
			}
		}
		const again = (): void => {
			renewing ??= renewLease().finally(() => {
				renewing = null;
			});
		};
		const timer = ctx.clock.every(RENEW_MS, again);
		const subscription = await ctx.pubsub
			.subscribe(importTopic(hold.runId), (message) => {
				if (message === STOP) again();
			})
			.catch(() => null);
		return {
			lost: lost.signal,
			stop: stop.signal,
			async end() {
				timer.stop();
				await subscription?.unsubscribe().catch(() => undefined);
				await renewing;
			},
		};
	}

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
		const lease = await maintainLease(hold);
		try {
			if (run.attempts > ATTEMPTS) {
				await failImport(ctx, run, hold, "The import was interrupted too often. Resume it to go on.");
			} else await runImport(ctx, run, hold, AbortSignal.any([stopping, lease.lost]), lease.stop);
		} catch (error) {
			if (lease.lost.aborted || error instanceof LeaseLost) return;
			ctx.log[stopping.aborted ? "info" : "error"](
				{ err: error, run: runId },
				"an import was interrupted and will go on later",
			);
			await releaseImport(ctx.store.db, hold, !stopping.aborted);
			throw error;
		} finally {
			await lease.end();
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
