/**
 * Recurrence rules of iCalendar (RFC 5545, section 3.3.10) that name days. An occurrence begins at
 * the entry's time of day, so BYHOUR, BYMINUTE and BYSECOND are refused. BYYEARDAY and BYWEEKNO are
 * refused because calendar programs do not write them.
 */
import { CALENDAR_LIMITS } from "@weft/contracts";

const FREQUENCIES = ["DAILY", "WEEKLY", "MONTHLY", "YEARLY"] as const;
const WEEKDAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"] as const;

export interface RuleDay {
	/** 0 is Monday. */
	readonly weekday: number;
	/** Position in the month or year, counted from the end if negative; 0 means each. */
	readonly nth: number;
}

/** Latest start of an occurrence. */
type RuleEnd =
	| { readonly kind: "instant"; readonly instant: number }
	/** Time on the clock of the entry's zone, in milliseconds as if it were UTC. */
	| { readonly kind: "local"; readonly local: number };

export interface RecurrenceRule {
	readonly frequency: (typeof FREQUENCIES)[number];
	readonly interval: number;
	/** Null: no limit. */
	readonly count: number | null;
	/** Null: no end. */
	readonly until: RuleEnd | null;
	/** Empty if the rule names none; so are the next three. */
	readonly days: readonly RuleDay[];
	/** Days of the month, counted from its end if negative. */
	readonly monthDays: readonly number[];
	/** 1 is January. */
	readonly months: readonly number[];
	/** Positions among the days of a period, counted from the end if negative. */
	readonly positions: readonly number[];
	/** First day of a week; 0 is Monday. */
	readonly weekStart: number;
}

/** A rule that cannot be used. The message says why. */
export class RuleProblem extends Error {}

const DAY_MS = 86_400_000;
const UNTIL = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})(Z?))?$/;
const RULE_DAY = /^([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)$/;

function parseNumber(name: string, text: string, min: number, max: number): number {
	const value = /^[+-]?\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
	if (value >= min && value <= max && value !== 0) return value;
	throw new RuleProblem(`${name} must be a whole number from ${min} to ${max}${min < 0 ? ", without 0" : ""}.`);
}

const parseNumbers = (name: string, text: string, min: number, max: number): number[] => [
	...new Set(text.split(",").map((one) => parseNumber(name, one, min, max))),
];

function parseWeekday(name: string, text: string): number {
	const weekday = (WEEKDAYS as readonly string[]).indexOf(text);
	if (weekday < 0) throw new RuleProblem(`${name} must be one of ${WEEKDAYS.join(", ")}.`);
	return weekday;
}

function parseDays(text: string): RuleDay[] {
	return text.split(",").map((one) => {
		const [, nth, weekday] = RULE_DAY.exec(one) ?? [];
		if (weekday === undefined) throw new RuleProblem(`BYDAY has "${one}", which is no day such as MO, 1MO or -1FR.`);
		return {
			weekday: parseWeekday("BYDAY", weekday),
			nth: nth === undefined ? 0 : parseNumber("BYDAY", nth, -53, 53),
		};
	});
}

function parseUntil(text: string): RuleEnd {
	const [, year, month, day, hour, minute, second, utc] = UNTIL.exec(text) ?? [];
	const midnight = Date.UTC(Number(year), Number(month) - 1, Number(day));
	const isDay = !Number.isNaN(midnight) && new Date(midnight).toISOString().slice(8, 10) === day;
	const isTime = hour === undefined || (Number(hour) < 24 && Number(minute) < 60 && Number(second) < 61);
	if (!isDay || !isTime) throw new RuleProblem("UNTIL must be a day or time such as 20261231 or 20261231T220000Z.");
	if (hour === undefined) return { kind: "local", local: midnight + DAY_MS - 1 };
	const time = midnight + (Number(hour) * 3600 + Number(minute) * 60 + Number(second)) * 1000;
	return utc === "Z" ? { kind: "instant", instant: time } : { kind: "local", local: time };
}

const READ = ["FREQ", "INTERVAL", "COUNT", "UNTIL", "BYDAY", "BYMONTHDAY", "BYMONTH", "BYSETPOS", "WKST"];

function readParts(text: string): Map<string, string> {
	const parts = new Map<string, string>();
	for (const part of text.trim().replace(/;$/, "").toUpperCase().split(";")) {
		const [name = "", value, ...more] = part.split("=");
		if (value === undefined || value === "" || more.length > 0) {
			throw new RuleProblem(`"${part}" is no part such as FREQ=WEEKLY. Parts have semicolons between them.`);
		}
		if (!READ.includes(name)) throw new RuleProblem(`${name} cannot be used here. A rule has ${READ.join(", ")}.`);
		if (parts.has(name)) throw new RuleProblem(`${name} is given twice.`);
		parts.set(name, value);
	}
	return parts;
}

/** @throws RuleProblem for parts that do not fit together */
function assertFit({ frequency, days, monthDays, positions, count, until }: RecurrenceRule): void {
	if (count !== null && until !== null) throw new RuleProblem("COUNT and UNTIL cannot be given together.");
	if (frequency === "WEEKLY" && monthDays.length > 0) {
		throw new RuleProblem("BYMONTHDAY does not fit to FREQ=WEEKLY.");
	}
	if ((frequency === "DAILY" || frequency === "WEEKLY") && days.some(({ nth }) => nth !== 0)) {
		throw new RuleProblem(`BYDAY with numbers, such as 1MO, does not fit to FREQ=${frequency}.`);
	}
	if (frequency === "MONTHLY" && days.some(({ nth }) => Math.abs(nth) > 5)) {
		throw new RuleProblem("BYDAY of a month must have numbers from -5 to 5: a month has at most 5 of each weekday.");
	}
	if (positions.length > 0 && days.length === 0 && monthDays.length === 0) {
		throw new RuleProblem("BYSETPOS needs BYDAY or BYMONTHDAY.");
	}
}

/** @throws RuleProblem */
export function parseRule(text: string): RecurrenceRule {
	const parts = readParts(text.replace(/^RRULE:/i, ""));
	const read = <T>(name: string, parse: (value: string) => T, absent: T): T => {
		const value = parts.get(name);
		return value === undefined ? absent : parse(value);
	};
	const frequency = FREQUENCIES.find((one) => one === parts.get("FREQ"));
	if (frequency === undefined) throw new RuleProblem(`FREQ must be one of ${FREQUENCIES.join(", ")}.`);
	const rule: RecurrenceRule = {
		frequency,
		interval: read("INTERVAL", (value) => parseNumber("INTERVAL", value, 1, CALENDAR_LIMITS.interval), 1),
		count: read<number | null>("COUNT", (value) => parseNumber("COUNT", value, 1, CALENDAR_LIMITS.count), null),
		until: read<RuleEnd | null>("UNTIL", parseUntil, null),
		days: read<RuleDay[]>("BYDAY", parseDays, []),
		monthDays: read<number[]>("BYMONTHDAY", (value) => parseNumbers("BYMONTHDAY", value, -31, 31), []),
		months: read<number[]>("BYMONTH", (value) => parseNumbers("BYMONTH", value, 1, 12), []),
		positions: read<number[]>("BYSETPOS", (value) => parseNumbers("BYSETPOS", value, -366, 366), []),
		weekStart: read("WKST", (value) => parseWeekday("WKST", value), 0),
	};
	assertFit(rule);
	return rule;
}
