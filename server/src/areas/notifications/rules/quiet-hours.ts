/** When mail is sent: outside of the user's quiet hours, and the digest at 08:00 local time. */
import { IANAZone } from "luxon";

interface QuietHours {
	/** Times of day as HH:MM; both or none. Quiet from the first up to, and without, the second. */
	readonly quiet_hours_start: string | null;
	readonly quiet_hours_end: string | null;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const DIGEST_AT = "08:00";

/** UTC offset of a zone in milliseconds; 0 for a zone that the runtime does not know. */
type Offset = (instant: number) => number;

function getOffset(timezone: string): Offset {
	const zone = IANAZone.create(timezone);
	return zone.isValid ? (instant) => zone.offset(instant) * MINUTE : () => 0;
}

/** Milliseconds since midnight on the wall clock. */
const formatClockTime = (instant: number, offset: Offset): number => (((instant + offset(instant)) % DAY) + DAY) % DAY;

const getTime = (text: string): number => Number(text.slice(0, 2)) * HOUR + Number(text.slice(3)) * MINUTE;

/** The first instant from `now` on that is outside of the quiet hours. */
export function endOfQuiet(quiet: QuietHours, timezone: string, now: number): number {
	if (quiet.quiet_hours_start === null || quiet.quiet_hours_end === null) return now;
	const [start, end] = [getTime(quiet.quiet_hours_start), getTime(quiet.quiet_hours_end)];
	const offset = getOffset(timezone);
	const isQuiet = (instant: number): boolean => {
		const time = formatClockTime(instant, offset);
		return start < end ? time >= start && time < end : time >= start || time < end;
	};
	if (!isQuiet(now)) return now;
	return findFirstMinute(now, now + computeUntilTime(end, now, offset), offset, (instant) => !isQuiet(instant));
}

/**
 * The next 08:00 after `now` outside of the quiet hours. If the clock skips 08:00, the minute after
 * the gap.
 */
export function computeNextDigest(quiet: QuietHours, timezone: string, now: number): number {
	const offset = getOffset(timezone);
	const at = getTime(DIGEST_AT);
	const day = Math.floor((now + offset(now)) / DAY);
	const isAfter = (instant: number): boolean => {
		const local = instant + offset(instant);
		const [thisDay, time] = [Math.floor(local / DAY), ((local % DAY) + DAY) % DAY];
		// Eight o'clock of the day that `now` belongs to, or of the next one where that is over.
		return formatClockTime(now, offset) < at
			? thisDay > day || (thisDay === day && time >= at)
			: thisDay > day && time >= at;
	};
	const guess = now + computeUntilTime(at, now, offset);
	return endOfQuiet(quiet, timezone, findFirstMinute(now, guess, offset, isAfter));
}

/** Milliseconds until a local time of day, at the current offset; a whole day when it is now. */
function computeUntilTime(time: number, now: number, offset: Offset): number {
	const wait = (time - formatClockTime(now, offset) + DAY) % DAY;
	return wait === 0 ? DAY : wait;
}

/**
 * `guess`, unless the offset changes before it; else the first whole minute for which `holds` is
 * true.
 */
function findFirstMinute(now: number, guess: number, offset: Offset, holds: (instant: number) => boolean): number {
	if (offset(now) === offset(guess) && holds(guess)) return guess;
	let instant = Math.floor(now / MINUTE) * MINUTE + MINUTE;
	while (!holds(instant) && instant < now + 3 * DAY) instant += MINUTE;
	return instant;
}
