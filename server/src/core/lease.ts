/**
 * Leases on work that one process does at a time: a run, an import. The holder renews its lease
 * while it lives; its work is aborted as soon as the lease is lost.
 */
import type { Clock } from "./ports/clock.ts";
import type { Log } from "./ports/log.ts";
import type { PubSub } from "./ports/pubsub.ts";

/** Time without renewal after which another worker may take the work, in milliseconds. */
export const LEASE_MS = 12_000;
export const RENEW_MS = 3_000;

/** Another worker holds the work, or it has ended. */
export class LeaseLost extends Error {
	override readonly name = "LeaseLost";
	constructor() {
		super("Another worker holds the work, or it has ended.");
	}
}

export interface Lease {
	/** Aborted with `LeaseLost`. */
	readonly signal: AbortSignal;
	/** Renews now instead of at the next interval. Never rejects. */
	renew(): Promise<void>;
	/** Stops renewing. Resolves when a renewal that runs has ended. */
	stop(): Promise<void>;
}

interface LeaseOptions {
	/** The topic of the work. */
	readonly topic: string;
	/** A message on the topic that renews the lease at once: the holder learns its state. */
	readonly message: string;
	/** Stores the new end of the lease. @throws LeaseLost */
	renew(expires: Date): Promise<void>;
}

/** Holds a lease that was just taken for `LEASE_MS`. */
export async function holdLease(
	{ clock, pubsub, log }: { readonly clock: Clock; readonly pubsub: PubSub; readonly log: Log },
	{ topic, message, renew }: LeaseOptions,
): Promise<Lease> {
	const lost = new AbortController();
	let expires = clock.now() + LEASE_MS;
	let renewing: Promise<void> | null = null;

	async function extendLease(): Promise<void> {
		const until = clock.now() + LEASE_MS;
		try {
			await renew(new Date(until));
			expires = until;
		} catch (error) {
			const isLost = error instanceof LeaseLost;
			if (!isLost) log.warn({ err: error, topic }, "a lease could not be renewed");
			// Another worker may hold the work after this time.
			if (isLost || clock.now() >= expires) lost.abort(new LeaseLost());
		}
	}

	async function renewLease(): Promise<void> {
		if (lost.signal.aborted) return;
		renewing ??= extendLease().finally(() => {
			renewing = null;
		});
		await renewing;
	}

	const timer = clock.every(RENEW_MS, () => void renewLease());
	const subscription = await pubsub
		.subscribe(topic, (received) => {
			if (received === message) void renewLease();
		})
		.catch((error: unknown) => {
			log.warn(
				{ err: error, topic },
				"could not subscribe; a cancellation is noticed at the next renewal of the lease",
			);
			return null;
		});
	return {
		signal: lost.signal,
		renew: renewLease,
		async stop() {
			timer.stop();
			await subscription?.unsubscribe().catch(() => undefined);
			await renewing;
		},
	};
}
