/**
 * Request rates per scope and key, counted in the cache; in this process while the cache is down.
 */
import type { ThrottleScope } from "@weft/contracts";
import { buildTooManyError } from "../errors.ts";
import type { Cache } from "../ports/cache.ts";

export interface Rate {
	readonly requests: number;
	readonly windowMs: number;
}

/** Rate by scope; null switches a scope off. */
export type Rates = Readonly<Record<Exclude<ThrottleScope, "none">, Rate | null>>;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

export const DEFAULT_RATES: Readonly<Record<keyof Rates, Rate>> = {
	anon: { requests: 60, windowMs: MINUTE },
	user: { requests: 300, windowMs: MINUTE },
	login: { requests: 10, windowMs: MINUTE },
	mfa: { requests: 10, windowMs: MINUTE },
	password_reset: { requests: 5, windowMs: HOUR },
	token_refresh: { requests: 30, windowMs: MINUTE },
	email_send: { requests: 5, windowMs: HOUR },
	webhook: { requests: 120, windowMs: MINUTE },
	sensitive: { requests: 10, windowMs: HOUR },
};

/** Counts one request, and returns what takes it out of the count again; it does not reject. */
export type Throttle = (scope: ThrottleScope, key: string) => Promise<GiveBack>;
export type GiveBack = () => Promise<void>;

const giveNothingBack: GiveBack = async () => {};

/**
 * Counts one request before it is handled, so that parallel guesses cannot outrun the rate. Throws
 * 429 with the remaining time of the window once the rate is exceeded.
 */
export function createThrottle({ rates, cache, fallback }: { rates: Rates; cache: Cache; fallback: Cache }): Throttle {
	return async (scope, key) => {
		const rate = scope === "none" ? null : rates[scope];
		if (rate === null) return giveNothingBack;
		const name = `throttle:${scope}:${key}`;
		let counter = cache;
		const { count, resetMs } = await cache.increment(name, rate.windowMs).catch(() => {
			counter = fallback;
			return fallback.increment(name, rate.windowMs);
		});
		if (count > rate.requests) throw buildTooManyError(resetMs / 1000);
		return () => counter.decrement(name).catch(giveNothingBack);
	};
}
