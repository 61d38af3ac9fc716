/** The cells of a heatmap as spans of time in a zone: days, or hours. */
import { createDays } from "./days.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Days of a heatmap by the hour. */
const HOURLY_DAYS = 30;

export interface HeatSpans {
	/** Of each span `YYYY-MM-DD`, or `YYYY-MM-DDTHH` in local time; ascending. */
	readonly keys: readonly string[];
	/** The first instant of each span, and of what follows the last; ISO 8601. */
	readonly starts: readonly string[];
}

/** The first and the last day of a heatmap, both as `YYYY-MM-DD`. */
export interface HeatRange {
	readonly first: string;
	readonly last: string;
}

export const getYearRange = (year: number): HeatRange => ({ first: `${year}-01-01`, last: `${year}-12-31` });

/** Twelve months by the day, or 30 days by the hour, that end with a day. */
export function getRangeUntil(last: string, step: "day" | "hour"): HeatRange {
	if (step === "hour") return { first: addDays(last, 1 - HOURLY_DAYS), last };
	const [year, month, day] = last.split("-").map(Number) as [number, number, number];
	// The day after the same day of the year before; 29 February has none, and counts as 1 March.
	return { first: addDays(new Date(Date.UTC(year - 1, month - 1, day)).toISOString().slice(0, 10), 1), last };
}

const addDays = (day: string, count: number): string =>
	new Date(Date.parse(`${day}T00:00:00Z`) + count * DAY).toISOString().slice(0, 10);

/** Takes some milliseconds. */
export function listHeatSpans({ first, last }: HeatRange, step: "day" | "hour", timeZone: string): HeatSpans {
	const { findStart } = createDays(timeZone);
	const days: string[] = [];
	for (let day = first; day <= last; day = addDays(day, 1)) days.push(day);
	const starts: number[] = [];
	for (const day of [...days, addDays(last, 1)]) starts.push(findStart(day, starts.at(-1)));
	return step === "day" ? { keys: days, starts: starts.map(formatInstant) } : splitIntoHours(days, starts, timeZone);
}

/** An hour that clocks repeat has two spans with one key. */
function splitIntoHours(days: readonly string[], starts: readonly number[], timeZone: string): HeatSpans {
	const format = new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", hourCycle: "h23" });
	const keys: string[] = [];
	const hours: number[] = [];
	for (const [at, day] of days.entries()) {
		for (let from = starts[at] ?? 0; from < (starts[at + 1] ?? 0); from += HOUR) {
			keys.push(`${day}T${format.format(from)}`);
			hours.push(from);
		}
	}
	return { keys, starts: [...hours, starts.at(-1) ?? 0].map(formatInstant) };
}

const formatInstant = (instant: number): string => new Date(instant).toISOString();

/** The day of an instant, `YYYY-MM-DD`. */
export const findDayAt = (instant: number, timeZone: string): string => createDays(timeZone).dayAt(instant);
