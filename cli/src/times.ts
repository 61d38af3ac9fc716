/** Points in time as users write them. */
import { buildInputError } from "./errors.ts";

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;
const ISO_DAY = /^\d{4}-\d\d-\d\d$/;

/**
 * ISO 8601 in UTC for `2026-01-31T08:00Z`, `2026-01-31` (its beginning here), `2 days ago` or
 * `yesterday 8:00`; null for other texts.
 */
export async function findTime(text: string, now: number): Promise<string | null> {
	if (ISO_TIME.test(text) && !Number.isNaN(Date.parse(text))) return new Date(text).toISOString();
	if (ISO_DAY.test(text) && !Number.isNaN(Date.parse(text))) return new Date(`${text}T00:00`).toISOString();
	const { parse } = await import("chrono-node/en");
	const [found] = parse(text, new Date(now));
	// Labels may contain a time.
	return found?.text === text.trim() ? found.date().toISOString() : null;
}

/** @throws CliError for a text that is no time */
export async function requireTime(option: string, text: string, now: number): Promise<string> {
	const time = await findTime(text, now);
	if (time !== null) return time;
	throw buildInputError(`${option} ${text}: Must be a time such as 2026-01-31T08:00Z or "2 days ago".`);
}

/** A whole number from 1 to `most`. @throws CliError for anything else */
export function requireCount(option: string, text: string, most: number): number {
	const count = /^\d{1,9}$/.test(text) ? Number(text) : 0;
	if (count >= 1 && count <= most) return count;
	throw buildInputError(`${option} ${text}: Must be a whole number from 1 to ${most}.`);
}

const DURATION = /^(\d{1,5})(s|m|h)$/;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** Milliseconds of `90s`, `20m` or `2h`. @throws CliError for anything else */
export function requireDuration(option: string, text: string): number {
	const [, count = "", unit = ""] = DURATION.exec(text) ?? [];
	const ms = Number(count) * (UNIT_MS[unit] ?? 0);
	if (ms > 0) return ms;
	throw buildInputError(`${option} ${text}: Must be a time such as 90s, 20m or 2h.`);
}
