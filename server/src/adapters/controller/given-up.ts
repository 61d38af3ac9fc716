/**
 * Reads whose caller has gone. They are let to end, because the controller works on them anyway, and keep their places for a moment, so that it
 * is not asked for more than it should be; but a read that hangs must not keep others out for as long as its timeout. So after that moment it
 * goes on without a place, and where there are too many of these the oldest are dropped.
 */
import { type Deadline, linkSignals } from "../system/signals.ts";

export interface GivenUpOptions {
	readonly deadline: Deadline;
	/** How long a read that nobody waits for keeps its place, milliseconds. */
	readonly lingerMs: number;
	/** Reads without a place, at most. */
	readonly most: number;
}

export interface Read {
	/** Aborted when the read is dropped. */
	readonly signal: AbortSignal;
	/** To be called when the read has ended. */
	done(): void;
}

/** `closing` drops them all. */
export function createGivenUp({ deadline, lingerMs, most }: GivenUpOptions, closing: AbortSignal) {
	const placeless = new Set<AbortController>();

	/** A read for a caller who is there until `caller` aborts; `release` gives its place back, and may be called twice. */
	return (caller: AbortSignal, release: () => void): Read => {
		const link = linkSignals(closing);
		let cancelDeadline = () => {};

		function leavePlace() {
			placeless.add(link.controller);
			release();
			const [oldest] = placeless;
			if (placeless.size <= most || oldest === undefined) return;
			placeless.delete(oldest);
			oldest.abort();
		}
		const onGone = () => {
			cancelDeadline = deadline(lingerMs, leavePlace);
		};
		caller.addEventListener("abort", onGone, { once: true });
		return {
			signal: link.signal,
			done() {
				caller.removeEventListener("abort", onGone);
				cancelDeadline();
				placeless.delete(link.controller);
				link.done();
			},
		};
	};
}
