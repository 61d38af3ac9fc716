/** Request rates per scope and key, counted in the cache; in this process while the cache is down. */
import type { ThrottleScope } from "@weft/contracts";
import type { Cache } from "../../ports/cache.ts";
import { tooMany } from "../errors.ts";
import type { MaybePromise } from "../maybe-promise.ts";

export interface Rate {
	readonly requests: number;
	readonly windowMs: number;
}

/** Rate by scope; null switches a scope off. */
export type Rates = Readonly<Record<Exclude<ThrottleScope, "none">, Rate | null>>;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

export const DEFAULT_RATES: Rates = {
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

/** Counts one request; throws 429 with the remaining time of the window when the rate is passed. */
export function createThrottle({ rates, cache, fallback }: { rates: Rates; cache: Cache; fallback: Cache }) {
	async function count(name: string, rate: Rate): Promise<void> {
		const { count, resetMs } = await cache
			.increment(name, rate.windowMs)
			.catch(() => fallback.increment(name, rate.windowMs));
		if (count > rate.requests) throw tooMany(resetMs / 1000);
	}
	return (scope: ThrottleScope, key: string): MaybePromise<void> => {
		const rate = scope === "none" ? null : rates[scope];
		return rate === null ? undefined : count(`throttle:${scope}:${key}`, rate);
	};
}
