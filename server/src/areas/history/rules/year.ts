/** The days of a year in a time zone. */
import { createDays } from "./days.ts";

export interface YearDays {
	/** `YYYY-MM-DD`, all of the year. */
	days: string[];
	/** The first instant of each day, and of the year after; ISO 8601. */
	starts: string[];
}

/** Takes some milliseconds. */
export function listYearDays(year: number, timeZone: string): YearDays {
	const { findStart } = createDays(timeZone);
	const days: string[] = [];
	for (let at = Date.UTC(year, 0, 1); at < Date.UTC(year + 1, 0, 1); at += 24 * 3_600_000)
		days.push(new Date(at).toISOString().slice(0, 10));
	const starts: number[] = [];
	for (const day of [...days, `${year + 1}-01-01`]) starts.push(findStart(day, starts.at(-1)));
	return { days, starts: starts.map((start) => new Date(start).toISOString()) };
}

/** The year that an instant is in. */
export function findYearAt(instant: number, timeZone: string): number {
	return Number(createDays(timeZone).dayAt(instant).slice(0, 4));
}
