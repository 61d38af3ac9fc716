/**
 * Reads whose caller has aborted. The controller works on them anyway, so they are not cancelled
 * and keep their concurrency slot for a moment, which limits the load on the controller. A hanging
 * read must not block others until its timeout: after that moment it continues without a slot, and
 * above a limit the oldest of these are dropped.
 */
import { type Deadline, linkSignals } from "../../core/system/signals.ts";

interface AbandonedReadsOptions {
	readonly deadline: Deadline;
	/** Milliseconds that an abandoned read keeps its slot. */
	readonly lingerMs: number;
	/** Upper bound of reads without a slot. */
	readonly most: number;
}

interface Read {
	/** Aborted when the read is dropped. */
	readonly signal: AbortSignal;
	/** To be called when the read has ended. */
	done(): void;
}

/** `closing` drops them all. */
export function createAbandonedReads({ deadline, lingerMs, most }: AbandonedReadsOptions, closing: AbortSignal) {
	const slotless = new Set<AbortController>();

	/** Tracks a read until `caller` aborts; `release` frees its slot and may be called twice. */
	return (caller: AbortSignal, release: () => void): Read => {
		const link = linkSignals(closing);
		let cancelDeadline = () => {};

		function leaveSlot() {
			slotless.add(link.controller);
			release();
			const [oldest] = slotless;
			if (slotless.size <= most || oldest === undefined) return;
			slotless.delete(oldest);
			oldest.abort();
		}
		const onGone = () => {
			cancelDeadline = deadline(lingerMs, leaveSlot);
		};
		caller.addEventListener("abort", onGone, { once: true });
		return {
			signal: link.signal,
			done() {
				caller.removeEventListener("abort", onGone);
				cancelDeadline();
				slotless.delete(link.controller);
				link.done();
			},
		};
	};
}
