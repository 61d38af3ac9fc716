/** When mail may go out: not within the quiet hours of its reader, and the daily digest at 08:00 of their clock. */
import { IANAZone } from "luxon";

export interface QuietHours {
	/** Times of day as HH:MM; both or none. Quiet from the first up to, and without, the second. */
	readonly quiet_hours_start: string | null;
	readonly quiet_hours_end: string | null;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const DIGEST_AT = "08:00";

/** Milliseconds that the wall clock of a zone is ahead of UTC; UTC for a zone that the runtime does not know. */
type Offset = (instant: number) => number;

function offsetOf(timezone: string): Offset {
	const zone = IANAZone.create(timezone);
	return zone.isValid ? (instant) => zone.offset(instant) * MINUTE : () => 0;
}

/** Milliseconds since midnight on the wall clock. */
const clockTime = (instant: number, offset: Offset): number => (((instant + offset(instant)) % DAY) + DAY) % DAY;

const timeOf = (text: string): number => Number(text.slice(0, 2)) * HOUR + Number(text.slice(3)) * MINUTE;

/** The first instant from `now` on at which the wall clock is not within the quiet hours: `now` itself outside of them. */
export function endOfQuiet(quiet: QuietHours, timezone: string, now: number): number {
	if (quiet.quiet_hours_start === null || quiet.quiet_hours_end === null) return now;
	const [start, end] = [timeOf(quiet.quiet_hours_start), timeOf(quiet.quiet_hours_end)];
	const offset = offsetOf(timezone);
	const isQuiet = (instant: number): boolean => {
		const time = clockTime(instant, offset);
		return start < end ? time >= start && time < end : time >= start || time < end;
	};
	if (!isQuiet(now)) return now;
	return firstMinute(now, now + untilTime(end, now, offset), offset, (instant) => !isQuiet(instant));
}

/** The next 08:00 strictly after `now` - or what comes right after, on a day whose clock skips it - that is not within the quiet hours. */
export function nextDigest(quiet: QuietHours, timezone: string, now: number): number {
	const offset = offsetOf(timezone);
	const at = timeOf(DIGEST_AT);
	const day = Math.floor((now + offset(now)) / DAY);
	const isAfter = (instant: number): boolean => {
		const local = instant + offset(instant);
		const [thisDay, time] = [Math.floor(local / DAY), ((local % DAY) + DAY) % DAY];
		// Eight o'clock of the day that `now` belongs to, or of the next one where that is over.
		return clockTime(now, offset) < at ? thisDay > day || (thisDay === day && time >= at) : thisDay > day && time >= at;
	};
	const guess = now + untilTime(at, now, offset);
	return endOfQuiet(quiet, timezone, firstMinute(now, guess, offset, isAfter));
}

/** How long it takes by the wall clock's present pace until it shows a time of day; a whole day when it shows it now. */
function untilTime(time: number, now: number, offset: Offset): number {
	const wait = (time - clockTime(now, offset) + DAY) % DAY;
	return wait === 0 ? DAY : wait;
}

/** `guess` where the clock is not changed before it; else the first whole minute after `now` for which the condition holds. */
function firstMinute(now: number, guess: number, offset: Offset, holds: (instant: number) => boolean): number {
	if (offset(now) === offset(guess) && holds(guess)) return guess;
	let instant = Math.floor(now / MINUTE) * MINUTE + MINUTE;
	while (!holds(instant) && instant < now + 3 * DAY) instant += MINUTE;
	return instant;
}
