/** The days of a month in weeks from Monday on, with the occurrences of each. Pure. */
import type { CalendarKind } from "@weft/contracts";
import { addDays, getWeekday } from "../../platform/time.ts";

/** An occurrence of a calendar entry, or a change window. */
export interface MonthOccurrence {
	/** Of the entry or the window. */
	readonly id: string;
	readonly title: string;
	readonly kind: CalendarKind | "change_window";
	readonly starts_at: string;
	readonly ends_at: string;
}

export interface MonthDay {
	/** `YYYY-MM-DD` */
	readonly day: string;
	readonly isInMonth: boolean;
	readonly occurrences: readonly MonthOccurrence[];
}

/** Returns the first day of a month's whole weeks, and the day after the last, as `YYYY-MM-DD`. */
export function findMonthRange(month: string): { first: string; end: string } {
	const start = `${month}-01`;
	const first = addDays(start, -getWeekday(start));
	const next = addMonths(month, 1);
	const after = `${next}-01`;
	return { first, end: addDays(after, (7 - getWeekday(after)) % 7) };
}

/** @param month `YYYY-MM` */
export function addMonths(month: string, count: number): string {
	const [year = 0, number = 1] = month.split("-").map(Number);
	return new Date(Date.UTC(year, number - 1 + count, 1)).toISOString().slice(0, 7);
}

/** @param getDay returns the day of an instant in the shown zone */
export function listMonthDays(
	month: string,
	occurrences: readonly MonthOccurrence[],
	getDay: (time: string | number) => string,
): MonthDay[] {
	const { first, end } = findMonthRange(month);
	const spans = occurrences.map((occurrence) => ({
		occurrence,
		from: getDay(occurrence.starts_at),
		// The end is exclusive.
		to: getDay(Date.parse(occurrence.ends_at) - 1),
	}));
	const days: MonthDay[] = [];
	for (let day = first; day < end; day = addDays(day, 1)) {
		days.push({
			day,
			isInMonth: day.startsWith(month),
			occurrences: spans.filter(({ from, to }) => from <= day && day <= to).map(({ occurrence }) => occurrence),
		});
	}
	return days;
}
