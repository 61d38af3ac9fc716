/** A user's quota: the most permissive value of their groups (interface decisions, section 3). */
import { QUOTA_DEFAULTS, QUOTA_NUMBERS, QUOTA_RIGHTS, type Quota, type QuotaNumber } from "@weft/contracts";

/** 0 is unlimited. */
const UNLIMITED = 0;

/** Administrators have no limits. */
export const NO_QUOTA: Quota = {
	...(Object.fromEntries(QUOTA_NUMBERS.map((name) => [name, UNLIMITED])) as Record<QuotaNumber, number>),
	...(Object.fromEntries(QUOTA_RIGHTS.map((name) => [name, true])) as Omit<Quota, QuotaNumber>),
};

/** The limits of a user without any quota. */
export const DEFAULT_QUOTA: Quota = { ...NO_QUOTA, ...QUOTA_DEFAULTS };

/** @param quotas those of the groups that have one */
export function resolveQuota(quotas: readonly Quota[]): Quota {
	const [first, ...others] = quotas;
	if (first === undefined) return DEFAULT_QUOTA;
	const resolved = { ...first };
	for (const quota of others) {
		for (const name of QUOTA_NUMBERS) resolved[name] = pickLargerLimit(resolved[name], quota[name]);
		for (const name of QUOTA_RIGHTS) resolved[name] ||= quota[name];
	}
	return resolved;
}

const pickLargerLimit = (a: number, b: number): number =>
	a === UNLIMITED || b === UNLIMITED ? UNLIMITED : Math.max(a, b);

/** The day of a time as `2026-01-31`, and the seconds until the next one begins; UTC. */
export function getDay(now: number): { day: string; secondsLeft: number } {
	const start = new Date(now).toISOString().slice(0, 10);
	return { day: start, secondsLeft: (Date.parse(`${start}T00:00:00Z`) + 86_400_000 - now) / 1000 };
}
