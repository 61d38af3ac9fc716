/**
 * Holds a run: renews the lease while the worker lives, and aborts the run's signal as soon as the
 * lease is lost.
 */
import type { Context } from "../../../context.ts";
import { type Hold, LeaseLost, type Progress, renewRunLease } from "./sql/run.ts";

/** Time without renewal after which another worker may take the run. */
export const LEASE_MS = 12_000;
export const RENEW_MS = 3_000;

export const PIPELINE_QUEUE = "pipeline";
export const pipelineTopic = (jobId: string): string => `pipeline:${jobId}`;
/** Published when a request ends a run, so that its worker stops before the next renewal. */
export const ENDED = "ended";

export interface Lease {
	/** Aborted with `LeaseLost`. */
	readonly signal: AbortSignal;
	/** Stores the progress now instead of at the next renewal. Never rejects. */
	renew(): Promise<void>;
	stop(): Promise<void>;
}

/** Each renewal stores what `progress` returns. */
export async function holdLease(
	{ store, clock, pubsub, log }: Context,
	hold: Hold,
	progress: () => Progress,
): Promise<Lease> {
	const lost = new AbortController();
	let expires = clock.now() + LEASE_MS;
	let renewing = false;

	async function renewLease(): Promise<void> {
		if (renewing || lost.signal.aborted) return;
		renewing = true;
		try {
			const until = clock.now() + LEASE_MS;
			if (await renewRunLease(store.db, hold, new Date(until), progress())) expires = until;
			else lost.abort(new LeaseLost());
		} catch (error) {
			log.warn({ err: error, job: hold.jobId }, "a run's lease could not be renewed");
			// Another worker may hold the run after this time.
			if (clock.now() >= expires) lost.abort(new LeaseLost());
		} finally {
			renewing = false;
		}
	}

	const timer = clock.every(RENEW_MS, () => void renewLease());
	const subscription = await pubsub
		.subscribe(pipelineTopic(hold.jobId), (message) => {
			if (message === ENDED) void renewLease();
		})
		.catch((error: unknown) => {
			log.warn(
				{ err: error },
				"could not subscribe to the end of a run; its worker will notice a cancellation at the next renewal",
			);
			return null;
		});
	return {
		signal: lost.signal,
		renew: renewLease,
		async stop() {
			timer.stop();
			await subscription?.unsubscribe().catch(() => undefined);
		},
	};
}
