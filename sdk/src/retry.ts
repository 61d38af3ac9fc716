/** When a call that was refused for now is repeated, and for how long. */

export interface RetryOptions {
	/** Repetitions of one call. */
	readonly limit: number;
	/** A longer Retry-After is not waited for, in milliseconds. */
	readonly longestMs?: number;
	/** For tests. */
	readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

const LONGEST_MS = 30_000;
/** Waited before the first repetition where the service does not say how long. */
const FIRST_MS = 250;

/** A call, as far as its repetition depends on it. */
export interface Repeatable {
	/** Whether a second execution changes nothing more than the first one. */
	readonly isSafe: boolean;
	readonly signal?: AbortSignal | undefined;
}

/** The members of an error that decide. */
interface Refusal {
	readonly status: number;
	readonly retryAfter: number | null;
}

/**
 * Repeats a call after 429, and a safe one also after 503 and a lost connection. Waits as long as
 * Retry-After says, in seconds, up to the bound.
 */
export async function withRetries<T>(
	call: () => Promise<T>,
	{ isSafe, signal }: Repeatable,
	{ limit, longestMs = LONGEST_MS, sleep = sleepFor }: RetryOptions,
	findRefusal: (error: unknown) => Refusal | null,
): Promise<T> {
	for (let attempt = 0; ; attempt++) {
		try {
			return await call();
		} catch (error) {
			if (attempt >= limit || signal?.aborted) throw error;
			const wait = delayMs(findRefusal(error), error, isSafe, attempt);
			if (wait === null || wait > longestMs) throw error;
			await sleep(wait, signal);
		}
	}
}

/** Milliseconds to wait; null where the call must not be repeated. */
function delayMs(refusal: Refusal | null, error: unknown, isSafe: boolean, attempt: number): number | null {
	const fallback = FIRST_MS * 2 ** attempt;
	// fetch rejects with a TypeError when there is no connection or it breaks.
	if (refusal === null) return isSafe && error instanceof TypeError ? fallback : null;
	if (refusal.status !== 429 && !(refusal.status === 503 && isSafe)) return null;
	return refusal.retryAfter === null ? fallback : refusal.retryAfter * 1000;
}

function sleepFor(ms: number, signal?: AbortSignal): Promise<void> {
	return new Promise((resolve, reject) => {
		const timer = setTimeout(() => {
			signal?.removeEventListener("abort", stop);
			resolve();
		}, ms);
		const stop = () => {
			clearTimeout(timer);
			reject(signal?.reason);
		};
		signal?.addEventListener("abort", stop, { once: true });
	});
}
