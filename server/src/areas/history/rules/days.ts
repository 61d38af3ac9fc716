/** Days of a time zone as spans of time. */

const HOUR = 3_600_000;
/**
 * A local day begins less than this before or after the UTC day (zones reach from -12 to +14
 * hours).
 */
const MAX_SHIFT = 27 * HOUR;

/**
 * From the first instant of a day to that of the next, in ms since 1970. Empty for a day that the
 * zone skipped.
 */
export interface Span {
	from: number;
	to: number;
}

/**
 * No snapshot is outside these years, and years with other than four digits are formatted
 * differently.
 */
const FIRST_YEAR = 1970;
const LAST_YEAR = 9998;

/**
 * The span of a calendar day (`YYYY-MM-DD`) in an IANA zone. Each instant is in exactly one day: if
 * clocks are set back over midnight, the repeated time belongs to the new day.
 */
export function computeDaySpan(day: string, timeZone: string): Span {
	const year = Number(day.slice(0, 4));
	if (year < FIRST_YEAR || year > LAST_YEAR) return { from: 0, to: 0 };
	const { findStart } = createDays(timeZone);
	const next = new Date(Date.parse(`${day}T00:00:00Z`) + 24 * HOUR).toISOString().slice(0, 10);
	return { from: findStart(day), to: findStart(next) };
}

/** The days of a zone. */
export function createDays(timeZone: string) {
	const format = new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" });
	return {
		dayAt: (instant: number): string => formatLocalDay(format, instant),
		/** The first instant of a day. That of the day before, if given, speeds the search up. */
		findStart(day: string, before?: number): number {
			const likely = (before ?? 0) + 24 * HOUR;
			if (before !== undefined && formatLocalDay(format, likely) === day && formatLocalDay(format, likely - 1) < day)
				return likely;
			return findFirstInstant(format, day, Date.parse(`${day}T00:00:00Z`));
		},
	};
}

/** The first instant whose local day is `day` or later. */
function findFirstInstant(format: Intl.DateTimeFormat, day: string, utc: number): number {
	let before = utc - MAX_SHIFT;
	let at = utc + MAX_SHIFT;
	while (at - before > 1) {
		const middle = Math.floor((before + at) / 2);
		if (formatLocalDay(format, middle) >= day) at = middle;
		else before = middle;
	}
	return at;
}

function formatLocalDay(format: Intl.DateTimeFormat, instant: number): string {
	const parts = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, value]));
	return `${parts.year}-${parts.month}-${parts.day}`;
}
