/**
 * Background work: taking imports from the queue, holding them while they run, and picking up those
 * that were stranded.
 */
import { repeatWork } from "../../platform/repeating.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { JobQueue, Jobs } from "../../ports/jobs.ts";
import type { Log } from "../../ports/log.ts";
import type { PubSub } from "../../ports/pubsub.ts";
import type { Store } from "../../ports/store.ts";
import type { Importer } from "./import.ts";
import { claimStrandedImports } from "./repo.ts";
import { claimImport, type Hold, LeaseLost, releaseImport, renewImportLease } from "./repo-import.ts";
import { IMPORT_QUEUE, importTopic, STOP } from "./topics.ts";

const LEASE_MS = 12_000;
const RENEW_MS = 3_000;
const SWEEP_MS = 5_000;
/** An import that was just put into the queue is left to the worker that is about to take it. */
const SETTLE_MS = 10_000;
/** Starts without anything stored between them, after which an import is given up. */
const ATTEMPTS = 5;

export interface WorkerDeps {
	readonly store: Store;
	readonly importer: Importer;
	readonly jobs: Pick<Jobs, "enqueue">;
	readonly pubsub: Pick<PubSub, "subscribe">;
	readonly clock: Clock;
	readonly ids: Pick<Ids, "uuid">;
	readonly log: Log;
}

export function createWorker({ store, importer, jobs, pubsub, clock, ids, log }: WorkerDeps) {
	/** Keeps the import while it runs. Tells when it is lost, and when it is to be stopped. */
	async function maintainLease(hold: Hold) {
		const lost = new AbortController();
		const stop = new AbortController();
		let expires = clock.now() + LEASE_MS;
		let renewing: Promise<void> | null = null;

		async function renewLease(): Promise<void> {
			const until = clock.now() + LEASE_MS;
			try {
				if (await renewImportLease(store.db, hold, new Date(until))) stop.abort(new Error("the import was cancelled"));
				expires = until;
			} catch (error) {
				// No other process takes it while the lease lasts.
				if (error instanceof LeaseLost || clock.now() >= expires) lost.abort(new LeaseLost());
				else log.warn({ err: error, run: hold.runId }, "the lease of an import could not be renewed");
			}
		}
		const again = (): void => {
			renewing ??= renewLease().finally(() => {
				renewing = null;
			});
		};
		const timer = clock.every(RENEW_MS, again);
		const subscription = await pubsub
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
		const hold = { runId, token: ids.uuid() };
		stopping.throwIfAborted();
		const now = clock.now();
		const run = await claimImport(store.db, hold, new Date(now), new Date(now + LEASE_MS));
		if (run === undefined) return;
		const lease = await maintainLease(hold);
		try {
			if (run.attempts > ATTEMPTS) {
				await importer.fail(run, hold, "The import was interrupted too often. Resume it to go on.");
			} else await importer.run(run, hold, AbortSignal.any([stopping, lease.lost]), lease.stop);
		} catch (error) {
			if (lease.lost.aborted || error instanceof LeaseLost) return;
			log[stopping.aborted ? "info" : "error"](
				{ err: error, run: runId },
				"an import was interrupted and will go on later",
			);
			await releaseImport(store.db, hold, !stopping.aborted);
			throw error;
		} finally {
			await lease.end();
		}
	}

	/** Puts stranded imports into the queue again; any number of processes may do so at once. */
	async function requeueStrandedImports(): Promise<void> {
		await store.transaction(async (tx) => {
			const now = clock.now();
			for (const runId of await claimStrandedImports(tx, new Date(now), new Date(now - SETTLE_MS))) {
				await jobs.enqueue(tx, IMPORT_QUEUE, { runId });
			}
		});
	}

	return {
		queue: { name: IMPORT_QUEUE, concurrency: 1, handler: executeImport } satisfies JobQueue,
		start: () =>
			repeatWork({ clock, log }, [
				{ everyMs: SWEEP_MS, failure: "stranded imports could not be looked for", work: requeueStrandedImports },
			]),
	};
}
