/** Delays between the attempts of a request to another system. */

interface Backoff {
	/** Milliseconds before the first repetition; doubled for each further one. */
	readonly firstMs: number;
	readonly longestMs: number;
	/** 0 ≤ x < 1 */
	random(): number;
}

/**
 * Milliseconds before the next attempt, after `retries` repetitions: between half and the whole of
 * a doubling interval, so that many clients do not come back together.
 */
export const computeBackoff = (retries: number, { firstMs, longestMs, random }: Backoff): number =>
	Math.min(longestMs, firstMs * 2 ** retries) * (0.5 + random() / 2);
