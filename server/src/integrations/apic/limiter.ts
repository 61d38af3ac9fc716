/** At most `size` holders at a time; waiters are served in the order they came and can give up. */

export interface Limiter {
	/** Resolves with the function that gives the place back; rejects with the signal's reason. */
	acquire(signal?: AbortSignal): Promise<() => void>;
}

export function createLimiter(size: number): Limiter {
	let free = size;
	const queue = new Set<() => void>();

	function createRelease(): () => void {
		let held = true;
		return () => {
			if (!held) return;
			held = false;
			const next = queue.values().next();
			if (next.done) free += 1;
			else {
				queue.delete(next.value);
				next.value();
			}
		};
	}

	return {
		acquire(signal) {
			if (signal?.aborted) return Promise.reject(signal.reason);
			if (free > 0) {
				free -= 1;
				return Promise.resolve(createRelease());
			}
			return new Promise((resolve, reject) => {
				const enter = () => {
					signal?.removeEventListener("abort", leave);
					resolve(createRelease());
				};
				const leave = () => {
					queue.delete(enter);
					reject(signal?.reason);
				};
				queue.add(enter);
				signal?.addEventListener("abort", leave, { once: true });
			});
		},
	};
}
