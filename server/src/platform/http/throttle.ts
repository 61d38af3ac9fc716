/**
 * Request rates per scope and key, counted in the cache; in this process while the cache is down.
 */
import type { ThrottleScope } from "@weft/contracts";
import type { Cache } from "../../ports/cache.ts";
import { tooMany } from "../errors.ts";

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

/**
 * Counts one request. Throws 429 with the remaining time of the window once the rate is exceeded.
 */
export function createThrottle({ rates, cache, fallback }: { rates: Rates; cache: Cache; fallback: Cache }) {
	return async (scope: ThrottleScope, key: string): Promise<void> => {
		const rate = scope === "none" ? null : rates[scope];
		if (rate === null) return;
		const name = `throttle:${scope}:${key}`;
		const { count, resetMs } = await cache
			.increment(name, rate.windowMs)
			.catch(() => fallback.increment(name, rate.windowMs));
		if (count > rate.requests) throw tooMany(resetMs / 1000);
	};
}
