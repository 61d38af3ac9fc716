/**
 * When a task runs next. Times of day are wall-clock times of the task's zone: one that a change of
 * the clock skips runs at the first instant after it, one that occurs twice runs the first time. A
 * day that a month lacks is its last day. An hourly task runs in every hour that passes: in both of
 * a doubled hour, and not for a skipped one. A task of every few minutes runs at each instant that
 * passes at which the minute of the zone's clock is a multiple of its interval.
 */
import {
	createOffset,
	FARTHEST,
	findClockChange,
	type Offset,
	toInstant,
	toLocalTime,
} from "../../../core/local-time.ts";
import type { Cadence } from "./cadence.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/**
 * Days to look at: one before, for zones that are ahead; then up to two occurrences, as the first
 * may be over.
 */
const DAYS_AHEAD = { daily: 3, weekly: 16 } as const;
const MONTHS_AHEAD = 3;

/**
 * The first instant strictly after `after` at which the task runs; null when there is none.
 * @param after milliseconds since 1970, UTC
 * @throws RangeError when the runtime does not know the zone, or a field that the frequency needs
 * is not there
 */
export function findNextRun(cadence: Cadence, after: number): number | null {
	const offset = createOffset(cadence.timezone);
	switch (cadence.frequency) {
		case "once": {
			const at = requireField(cadence.scheduled_datetime).getTime();
			return at > after ? at : null;
		}
		case "minutes":
			return computeNextInterval(requireField(cadence.interval_minutes), after, offset);
		case "hourly":
			return computeNextHourly(requireField(cadence.minute_of_hour), after, offset);
		case "daily":
			return findFirstInstant(
				generateDailyTimes(cadence, after, offset, DAYS_AHEAD.daily, () => true),
				after,
				offset,
			);
		case "weekly": {
			const weekday = requireField(cadence.day_of_week);
			return findFirstInstant(
				generateDailyTimes(cadence, after, offset, DAYS_AHEAD.weekly, (day) => (day.getUTCDay() + 6) % 7 === weekday),
				after,
				offset,
			);
		}
		case "monthly":
			return findFirstInstant(generateMonthlyTimes(cadence, after, offset), after, offset);
	}
}

/** The runs strictly after `after` and up to `until`, at most so many. */
export function listRunsUntil(cadence: Cadence, after: number, until: number, most: number): number[] {
	const runs: number[] = [];
	let last = after;
	while (runs.length < most) {
		const next = findNextRun(cadence, last);
		if (next === null || next > until) break;
		runs.push(next);
		last = next;
	}
	return runs;
}

function requireField<T>(value: T | null): T {
	if (value === null) throw new RangeError("A field that the frequency needs is not there.");
	return value;
}

const floorToMidnight = (local: number): number => Math.floor(local / DAY) * DAY;

function findTime(cadence: Cadence): number {
	const [hours = "", minutes = ""] = requireField(cadence.time_of_day).split(":");
	return Number(hours) * HOUR + Number(minutes) * MINUTE;
}

function* generateDailyTimes(
	cadence: Cadence,
	after: number,
	offset: Offset,
	count: number,
	fits: (day: Date) => boolean,
) {
	const time = findTime(cadence);
	const today = floorToMidnight(toLocalTime(after, offset));
	for (let day = today - DAY; day <= today + count * DAY; day += DAY) if (fits(new Date(day))) yield day + time;
}

function* generateMonthlyTimes(cadence: Cadence, after: number, offset: Offset) {
	const time = findTime(cadence);
	const wanted = requireField(cadence.day_of_month);
	const today = new Date(toLocalTime(after, offset));
	for (let month = today.getUTCMonth() - 1; month <= today.getUTCMonth() + MONTHS_AHEAD; month++) {
		const last = new Date(Date.UTC(today.getUTCFullYear(), month + 1, 0)).getUTCDate();
		yield Date.UTC(today.getUTCFullYear(), month, Math.min(wanted, last)) + time;
	}
}

/** The first instant after `after` among local times that rise. */
function findFirstInstant(locals: Iterable<number>, after: number, offset: Offset): number | null {
	const now = toLocalTime(after, offset);
	for (const local of locals) {
		// No change of a clock makes up for so much.
		if (local < now - FARTHEST) continue;
		const instant = toInstant(local, offset);
		if (instant > after) return instant;
	}
	return null;
}

function computeNextInterval(minutes: number, after: number, offset: Offset): number {
	const step = minutes * MINUTE;
	const now = offset(after);
	const plain = Math.floor((after + now) / step) * step + step - now;
	if (offset(plain) === now) return plain;
	// The clock changes until then: go minute by minute.
	let instant = Math.floor(after / MINUTE) * MINUTE + MINUTE;
	while (Math.floor(toLocalTime(instant, offset) / MINUTE) % minutes !== 0) instant += MINUTE;
	return instant;
}

function computeNextHourly(minute: number, after: number, offset: Offset): number {
	const now = offset(after);
	const local = after + now;
	const inThisHour = Math.floor(local / HOUR) * HOUR + minute * MINUTE;
	const plain = (inThisHour > local ? inThisHour : inThisHour + HOUR) - now;
	const [from, to] = [after - 2 * HOUR, after + 3 * HOUR];
	const [before, behind] = [offset(from), offset(to)];
	if (before === behind) return plain;
	// The clock changes around here: go minute by minute.
	const change = findClockChange(from, to, offset);
	const near: Offset = (instant) => (instant < change ? before : behind);
	let instant = Math.floor(after / MINUTE) * MINUTE + MINUTE;
	while (!isHourly(instant, minute, near)) instant += MINUTE;
	return instant;
}

function isHourly(instant: number, minute: number, offset: Offset): boolean {
	if (isAtMinute(instant, minute, offset)) {
		// If the clock goes back by less than an hour, a minute may occur twice within one hour.
		for (let back = MINUTE; back < HOUR; back += MINUTE) if (isAtMinute(instant - back, minute, offset)) return false;
		return true;
	}
	// Where it is put forward by less than an hour, the jump stands in for the minutes that it skips.
	const [from, to] = [toLocalTime(instant - MINUTE, offset) + MINUTE, toLocalTime(instant, offset)];
	const skipped = from + ((((minute * MINUTE - from) % HOUR) + HOUR) % HOUR);
	return to - from < HOUR && skipped < to;
}

const isAtMinute = (instant: number, minute: number, offset: Offset): boolean =>
	Math.floor(toLocalTime(instant, offset) / MINUTE) % 60 === minute;
