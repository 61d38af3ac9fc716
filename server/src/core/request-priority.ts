/**
 * Lets requests go before background work: background work waits for a moment while a request is in
 * flight. Requests that take long themselves, such as exports, are only waited for at their start.
 */

export interface RequestPriority {
	/** Marks a request as in flight until the returned function is called. */
	begin(): () => void;
	/** Resolves when no young request is in flight, at the latest after `MAX_WAIT_MS`. */
	whenIdle(): Promise<void>;
}

const MAX_WAIT_MS = 25;
/** Requests older than this are not waited for. */
const YOUNG_MS = 100;

export function createRequestPriority(now: () => number = () => performance.now()): RequestPriority {
	const requests = new Set<{ readonly startedAt: number }>();
	const waiters = new Set<() => void>();

	const isIdle = () => [...requests].every(({ startedAt }) => now() - startedAt >= YOUNG_MS);

	return {
		begin() {
			const request = { startedAt: now() };
			requests.add(request);
			return () => {
				requests.delete(request);
				if (waiters.size === 0 || !isIdle()) return;
				for (const resume of [...waiters]) resume();
			};
		},
		whenIdle() {
			if (isIdle()) return Promise.resolve();
			return new Promise((resolve) => {
				const resume = () => {
					clearTimeout(timer);
					waiters.delete(resume);
					resolve();
				};
				const timer = setTimeout(resume, MAX_WAIT_MS);
				waiters.add(resume);
			});
		},
	};
}
