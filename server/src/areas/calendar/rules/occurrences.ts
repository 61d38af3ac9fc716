/**
 * Occurrences of a calendar entry. A recurring one follows the clock of its zone: at 22:00 in
 * Berlin it is 22:00 in summer and winter. A time that the clock skips is the first instant after
 * it, one that it shows twice is the first. Each occurrence lasts as long as the first one; one of
 * whole days ends at midnight, however long those days are.
 */
import { CALENDAR_LIMITS } from "@weft/contracts";
import { createOffset, FARTHEST, toInstant, toLocalTime } from "../../../core/local-time.ts";
import { generateDays } from "./recurrence-days.ts";
import { parseRule, type RecurrenceRule } from "./recurrence-rule.ts";

/** The times of an entry, as the store has them. */
export interface EntryTimes {
	readonly starts_at: Date;
	readonly ends_at: Date;
	readonly rrule: string | null;
	readonly exdates: readonly Date[];
	/** IANA name. */
	readonly time_zone: string;
}

/** Milliseconds since 1970, UTC. The end is not part of it. */
export interface Occurrence {
	readonly start: number;
	readonly end: number;
}

const DAY_MS = 86_400_000;
/** Upper bounds of the search for the next occurrence, and for the first one of a new rule. */
const AHEAD_MS = CALENDAR_LIMITS.days * DAY_MS;
const FIRST_AHEAD_MS = 10 * 366 * DAY_MS;

const isMidnight = (local: number): boolean => local % DAY_MS === 0;

function* generateRecurring(entry: EntryTimes, rule: RecurrenceRule, from: number, to: number): Generator<Occurrence> {
	const offset = createOffset(entry.time_zone);
	const [start, end] = [entry.starts_at.getTime(), entry.ends_at.getTime()];
	const [localStart, localEnd] = [toLocalTime(start, offset), toLocalTime(end, offset)];
	const time = localStart - Math.floor(localStart / DAY_MS) * DAY_MS;
	const isWholeDays = isMidnight(localStart) && isMidnight(localEnd);
	const excluded = new Set(entry.exdates.map((date) => date.getTime()));
	const isPast = (local: number, instant: number): boolean =>
		rule.until !== null && (rule.until.kind === "local" ? local > rule.until.local : instant > rule.until.instant);
	const firstDay = Math.floor(localStart / DAY_MS);
	const fromDay = Math.floor((from - (end - start) - FARTHEST) / DAY_MS);
	const lastDay = Math.floor((to + FARTHEST) / DAY_MS);
	let counted = 0;
	for (const day of generateDays(rule, firstDay, fromDay, lastDay)) {
		if (rule.count !== null && ++counted > rule.count) return;
		const local = day * DAY_MS + time;
		const instant = toInstant(local, offset);
		if (isPast(local, instant) || instant >= to) return;
		const until = isWholeDays ? toInstant(local + localEnd - localStart, offset) : instant + (end - start);
		if (until > from && !excluded.has(instant)) yield { start: instant, end: until };
	}
}

/**
 * The occurrences that overlap with the time from `from` up to, and without, `to`, by their start.
 * @throws RuleProblem, and RangeError for a zone that the runtime does not know
 */
export function* generateOccurrences(entry: EntryTimes, from: number, to: number): Generator<Occurrence> {
	if (entry.rrule !== null) {
		yield* generateRecurring(entry, parseRule(entry.rrule), from, to);
		return;
	}
	const [start, end] = [entry.starts_at.getTime(), entry.ends_at.getTime()];
	const isExcluded = entry.exdates.some((date) => date.getTime() === start);
	if (!isExcluded && start < to && end > from) yield { start, end };
}

/** The occurrence at an instant, of several the one that ends last; null: there is none. */
export function findOccurrenceAt(entry: EntryTimes, at: number): Occurrence | null {
	let found: Occurrence | null = null;
	for (const one of generateOccurrences(entry, at, at + 1)) if (found === null || one.end > found.end) found = one;
	return found;
}

/** The first occurrence that begins after an instant; null: none does within 400 days. */
export function findNextOccurrence(entry: EntryTimes, after: number): Occurrence | null {
	for (const one of generateOccurrences(entry, after, after + AHEAD_MS)) if (one.start > after) return one;
	return null;
}

/** Whether the entry has an occurrence within ten years of its start, excluded ones with them. */
export function hasOccurrence(entry: EntryTimes): boolean {
	const start = entry.starts_at.getTime();
	return !generateOccurrences({ ...entry, exdates: [] }, start, start + FIRST_AHEAD_MS).next().done;
}

/** The first `limit` occurrences that overlap with the time; one more is a sign that there are. */
export function listOccurrences(entry: EntryTimes, from: number, to: number, limit: number): Occurrence[] {
	const found: Occurrence[] = [];
	for (const one of generateOccurrences(entry, from, to)) {
		found.push(one);
		if (found.length > limit) break;
	}
	return found;
}

/** Whether an occurrence is longer than entries may be. */
export const isTooLong = ({ starts_at, ends_at }: Pick<EntryTimes, "starts_at" | "ends_at">): boolean =>
	ends_at.getTime() - starts_at.getTime() > CALENDAR_LIMITS.days * DAY_MS;
