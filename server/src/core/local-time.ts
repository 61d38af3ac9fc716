/**
 * Times of a zone's wall clock. A local time is a number of milliseconds, as if the clock were at
 * UTC: 0 is midnight of the first day of 1970 on that clock.
 */
import { IANAZone } from "luxon";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Upper bound of a zone's offset from UTC, and of a change of its clock, in milliseconds. */
export const FARTHEST = 36 * HOUR;

/** Milliseconds that the clock is ahead of UTC at an instant. */
export type Offset = (instant: number) => number;

/** @throws RangeError if the runtime does not know the zone */
export function createOffset(timezone: string): Offset {
	const zone = IANAZone.create(timezone);
	if (!zone.isValid) throw new RangeError(`The time zone ${timezone} is not known here.`);
	return (instant) => zone.offset(instant) * MINUTE;
}

export const toLocalTime = (instant: number, offset: Offset): number => instant + offset(instant);

/**
 * Returns the first instant at which the wall clock shows `local`, or the first one after it if the
 * clock skips `local`.
 */
export function toInstant(local: number, offset: Offset): number {
	const [before, behind] = [offset(local - FARTHEST), offset(local + FARTHEST)];
	if (before === behind) return local - before;
	const change = findClockChange(local - FARTHEST, local + FARTHEST, offset);
	if (local - before < change) return local - before;
	return Math.max(change, local - behind);
}

/**
 * Finds the minute within (from, to] at which the offset becomes that of `to`. Assumes one change
 * between the two.
 */
export function findClockChange(from: number, to: number, offset: Offset): number {
	const goal = offset(to);
	let [low, high] = [from, to];
	while (high - low > MINUTE) {
		const middle = Math.floor((low + high) / 2 / MINUTE) * MINUTE;
		if (offset(middle) === goal) high = middle;
		else low = middle;
	}
	return high;
}
