/**
 * Days of a recurrence rule, period by period. A period is a day, week, month or year; every
 * INTERVALth counts, from the period of the first day on. Days are numbers since 1970 and do not
 * depend on a zone.
 */
import type { RecurrenceRule, RuleDay } from "./recurrence-rule.ts";

const DAY_MS = 86_400_000;

const toDate = (day: number): Date => new Date(day * DAY_MS);
const toDay = (year: number, month: number, day: number): number => Date.UTC(year, month, day) / DAY_MS;
/** Returns 0 for Monday. The first day of 1970 was a Thursday. */
const getWeekday = (day: number): number => (((day + 3) % 7) + 7) % 7;

/** Days from `first` to `end`, exclusive. */
interface Span {
	readonly first: number;
	readonly end: number;
}

const getMonth = (year: number, month: number): Span => ({
	first: toDay(year, month, 1),
	end: toDay(year, month + 1, 1),
});

const listSpan = ({ first, end }: Span): number[] => Array.from({ length: end - first }, (_, index) => first + index);

function isRuleDay(day: number, days: readonly RuleDay[], { first, end }: Span): boolean {
	return days.some(({ weekday, nth }) => {
		if (getWeekday(day) !== weekday) return false;
		const [fromStart, fromEnd] = [Math.floor((day - first) / 7) + 1, -(Math.floor((end - 1 - day) / 7) + 1)];
		return nth === 0 || nth === fromStart || nth === fromEnd;
	});
}

function isMonthDay(day: number, monthDays: readonly number[]): boolean {
	const date = toDate(day);
	const { end } = getMonth(date.getUTCFullYear(), date.getUTCMonth());
	return monthDays.includes(date.getUTCDate()) || monthDays.includes(day - end);
}

const isInMonths = (day: number, months: readonly number[]): boolean =>
	months.length === 0 || months.includes(toDate(day).getUTCMonth() + 1);

/** Returns the days of a month that the rule names; if it names none, the day of `start`. */
function listMonthDays(rule: RecurrenceRule, month: Span, start: number): number[] {
	if (rule.days.length === 0 && rule.monthDays.length === 0) {
		const same = month.first + toDate(start).getUTCDate() - 1;
		return same < month.end ? [same] : [];
	}
	return listSpan(month).filter(
		(day) =>
			(rule.monthDays.length === 0 || isMonthDay(day, rule.monthDays)) &&
			(rule.days.length === 0 || isRuleDay(day, rule.days, month)),
	);
}

function listYearDays(rule: RecurrenceRule, year: number, start: number): number[] {
	const { days, monthDays, months } = rule;
	if (months.length === 0 && monthDays.length === 0 && days.length > 0) {
		const span = { first: toDay(year, 0, 1), end: toDay(year + 1, 0, 1) };
		return listSpan(span).filter((day) => isRuleDay(day, days, span));
	}
	const isPlain = months.length === 0 && monthDays.length === 0;
	const named = isPlain ? [toDate(start).getUTCMonth() + 1] : months.length === 0 ? ALL_MONTHS : months;
	return [...named].sort((a, b) => a - b).flatMap((month) => listMonthDays(rule, getMonth(year, month - 1), start));
}
const ALL_MONTHS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];

function pickPositions(days: readonly number[], positions: readonly number[]): readonly number[] {
	if (positions.length === 0) return days;
	return days.filter((_, index) => positions.includes(index + 1) || positions.includes(index - days.length));
}

interface Period {
	readonly first: number;
	/** Sorted. */
	readonly days: readonly number[];
}

/** @param index number of the period; 0 is the period of `start` */
function buildPeriod(rule: RecurrenceRule, start: number, index: number): Period {
	const step = index * rule.interval;
	const date = toDate(start);
	switch (rule.frequency) {
		case "DAILY": {
			const day = start + step;
			const month = getMonth(toDate(day).getUTCFullYear(), toDate(day).getUTCMonth());
			const fits =
				isInMonths(day, rule.months) &&
				(rule.monthDays.length === 0 || isMonthDay(day, rule.monthDays)) &&
				(rule.days.length === 0 || isRuleDay(day, rule.days, month));
			return { first: day, days: fits ? [day] : [] };
		}
		case "WEEKLY": {
			const first = start - ((getWeekday(start) - rule.weekStart + 7) % 7) + step * 7;
			const named = rule.days.length === 0 ? [{ weekday: getWeekday(start), nth: 0 }] : rule.days;
			const week = { first, end: first + 7 };
			const days = listSpan(week).filter((day) => isInMonths(day, rule.months) && isRuleDay(day, named, week));
			return { first, days };
		}
		case "MONTHLY": {
			const month = getMonth(date.getUTCFullYear(), date.getUTCMonth() + step);
			return {
				first: month.first,
				days: isInMonths(month.first, rule.months) ? listMonthDays(rule, month, start) : [],
			};
		}
		case "YEARLY": {
			const year = date.getUTCFullYear() + step;
			return { first: toDay(year, 0, 1), days: listYearDays(rule, year, start) };
		}
	}
}

/** Longest period of each frequency, in days. The search skips this much per period at most. */
const LONGEST = { DAILY: 1, WEEKLY: 7, MONTHLY: 31, YEARLY: 366 } as const;

/**
 * Yields the days of the rule from `start` to `last`, inclusive, in order. Skips days before `from`
 * if the rule has no COUNT.
 */
export function* generateDays(rule: RecurrenceRule, start: number, from: number, last: number): Generator<number> {
	const skipped = Math.floor((from - start) / (LONGEST[rule.frequency] * rule.interval)) - 1;
	for (let index = rule.count === null ? Math.max(0, skipped) : 0; ; index++) {
		const { first, days } = buildPeriod(rule, start, index);
		if (first > last) return;
		for (const day of pickPositions(days, rule.positions)) {
			if (day > last) return;
			if (day >= start) yield day;
		}
	}
}
