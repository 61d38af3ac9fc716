/**
 * Occurrences of a calendar entry. A recurring one follows the clock of its zone: 22:00 in Berlin
 * stays 22:00 in summer and winter. A time that the clock skips begins at the next instant, one
 * that it shows twice at the first. All occurrences have the duration of the first; those of whole
 * days end at midnight, whatever the length of the days.
 */
import { CALENDAR_LIMITS } from "@weft/contracts";
import { createOffset, FARTHEST, toInstant, toLocalTime } from "../../../core/local-time.ts";
import { generateDays } from "./recurrence-days.ts";
import { parseRule, type RecurrenceRule } from "./recurrence-rule.ts";

/** The times of an entry as they are stored. */
export interface EntryTimes {
	readonly starts_at: Date;
	readonly ends_at: Date;
	readonly rrule: string | null;
	readonly exdates: readonly Date[];
	/** IANA name. */
	readonly time_zone: string;
}

/** Times are in milliseconds since 1970, UTC. The end is exclusive. */
export interface Occurrence {
	readonly start: number;
	readonly end: number;
}

const DAY_MS = 86_400_000;
/** Upper bound of the search for an occurrence: ten years. */
const AHEAD_MS = 10 * 366 * DAY_MS;

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
 * Yields the occurrences that overlap with the time from `from` to `to`, exclusive, by their start.
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

/** Returns the occurrence at an instant, of several the last to end; null if there is none. */
export function findOccurrenceAt(entry: EntryTimes, at: number): Occurrence | null {
	let found: Occurrence | null = null;
	for (const one of generateOccurrences(entry, at, at + 1)) if (found === null || one.end > found.end) found = one;
	return found;
}

/** Returns the first occurrence that begins after an instant; null if none does in ten years. */
export function findNextOccurrence(entry: EntryTimes, after: number): Occurrence | null {
	for (const one of generateOccurrences(entry, after, after + AHEAD_MS)) if (one.start > after) return one;
	return null;
}

/** Whether the rule has an occurrence within ten years of the start, left out ones included. */
export function hasOccurrence(entry: EntryTimes): boolean {
	const start = entry.starts_at.getTime();
	return !generateOccurrences({ ...entry, exdates: [] }, start, start + AHEAD_MS).next().done;
}

/** Whether the entry has begun and has no occurrence in the next ten years. */
export const isOver = (entry: EntryTimes, now: number): boolean =>
	entry.starts_at.getTime() < now && generateOccurrences(entry, now, now + AHEAD_MS).next().done === true;

/** Lists the first `limit` occurrences that overlap with the time, and one more if there is one. */
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
