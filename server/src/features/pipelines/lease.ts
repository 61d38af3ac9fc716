/** Holding a run: the lease is renewed while the worker lives, and the run is told as soon as it is no longer its worker's. */
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { PubSub } from "../../ports/pubsub.ts";
import type { Store } from "../../ports/store.ts";
import { type Hold, LeaseLost, type RunRepo } from "./repo-run.ts";

/** How long a run stays with a worker that gives no sign of life. */
export const LEASE_MS = 12_000;
const RENEW_MS = 3_000;

export const PIPELINE_QUEUE = "pipeline";
export const pipelineTopic = (jobId: string): string => `pipeline:${jobId}`;
/** Published when a run was ended from outside: its worker need not wait for the next renewal. */
export const ENDED = "ended";

export interface LeaseDeps {
	readonly store: Pick<Store, "db">;
	readonly runs: Pick<RunRepo, "renew">;
	readonly clock: Clock;
	readonly pubsub: Pick<PubSub, "subscribe">;
	readonly log: Log;
}

export interface Lease {
	/** Aborted with `LeaseLost`. */
	readonly signal: AbortSignal;
	stop(): Promise<void>;
}

/** `progress` tells how far the run is, in percent; it is stored with each renewal. */
export async function holdLease(
	{ store, runs, clock, pubsub, log }: LeaseDeps,
	hold: Hold,
	progress: () => number,
): Promise<Lease> {
	const lost = new AbortController();
	let expires = clock.now() + LEASE_MS;
	let renewing = false;

	async function renew(): Promise<void> {
		if (renewing || lost.signal.aborted) return;
		renewing = true;
		try {
			const until = clock.now() + LEASE_MS;
			if (await runs.renew(store.db, hold, new Date(until), progress())) expires = until;
			else lost.abort(new LeaseLost());
		} catch (error) {
			log.warn({ err: error, job: hold.jobId }, "a run's lease could not be renewed");
			// From then on another worker may hold the run.
			if (clock.now() >= expires) lost.abort(new LeaseLost());
		} finally {
			renewing = false;
		}
	}

	const timer = clock.every(RENEW_MS, () => void renew());
	const subscription = await pubsub
		.subscribe(pipelineTopic(hold.jobId), (message) => {
			if (message === ENDED) void renew();
		})
		.catch((error: unknown) => {
			log.warn({ err: error }, "a cancelled run will be noticed at the next renewal of its lease only");
			return null;
		});
	return {
		signal: lost.signal,
		async stop() {
			timer.stop();
			await subscription?.unsubscribe().catch(() => undefined);
		},
	};
}
