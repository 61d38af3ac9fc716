/**
 * The memory that all runs of a process may hold at once. Rows that must be merged, sorted or
 * aggregated are in memory until their stage ends.
 */
export interface MemoryBudget {
	/** A share for one stage, which must be released. */
	open(): MemoryShare;
}

export interface MemoryShare {
	/** Bytes held. */
	readonly held: () => number;
	/**
	 * Resolves when the bytes may be held: at once while all shares together stay below the budget;
	 * else when the older shares are released. The oldest never waits, so that one always goes on.
	 * Rejects with the signal's reason.
	 */
	take(bytes: number, signal: AbortSignal): Promise<void>;
	release(): void;
}

export function createMemoryBudget(bytes: number): MemoryBudget {
	/** In the order in which they were opened. */
	const shares = new Set<{ held: number }>();
	const waiting = new Set<() => void>();
	let total = 0;

	const isOldest = (share: { held: number }): boolean => {
		for (const first of shares) return first === share;
		return true;
	};

	/** Resolves when another share is released. */
	function nextRelease(signal: AbortSignal): Promise<void> {
		return new Promise((resolve, reject) => {
			const settle = (end: () => void) => () => {
				waiting.delete(onRelease);
				signal.removeEventListener("abort", onAbort);
				end();
			};
			const onRelease = settle(resolve);
			const onAbort = settle(() => reject(signal.reason));
			waiting.add(onRelease);
			signal.addEventListener("abort", onAbort);
		});
	}

	return {
		open() {
			const share = { held: 0 };
			return {
				held: () => share.held,
				async take(more, signal) {
					signal.throwIfAborted();
					shares.add(share);
					while (total + more > bytes && !isOldest(share)) await nextRelease(signal);
					share.held += more;
					total += more;
				},
				release() {
					shares.delete(share);
					total -= share.held;
					share.held = 0;
					for (const wake of [...waiting]) wake();
				},
			};
		},
	};
}
