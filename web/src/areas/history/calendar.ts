/** A heatmap as columns of cells: days by weeks, or hours by days. Pure. */
import { addDays, formatMonth, getWeekday } from "../../platform/time.ts";

export interface HeatCell {
	/** The day as `YYYY-MM-DD`, or the hour as `YYYY-MM-DDTHH`. */
	readonly at: string;
	readonly count: number;
	readonly hasChanges: boolean;
	/** Objects that changed. */
	readonly changes: number;
	/** 0 no snapshot, 1 no change, 4 most changes. */
	readonly level: number;
}

interface HeatCount {
	readonly count: number;
	readonly has_changes: boolean;
	readonly changes: number;
}
/** By day or hour. */
export type HeatData = Readonly<Record<string, HeatCount>>;

/** The first and the last day, both shown. */
export interface HeatRange {
	readonly first: string;
	readonly last: string;
}
export type HeatStep = "day" | "hour";

/** The most changes of a cell in all lanes: they have one scale. */
export const findMostChanges = (lanes: readonly HeatData[]): number =>
	lanes.reduce((most, data) => Object.values(data).reduce((max, { changes }) => Math.max(max, changes), most), 0);

/** Columns of seven days, Monday first; null for days outside of the range. */
export function buildWeeks({ first, last }: HeatRange, data: HeatData, most: number): (HeatCell | null)[][] {
	const weeks: (HeatCell | null)[][] = [];
	for (let day = addDays(first, -getWeekday(first)); day <= last; day = addDays(day, 7)) {
		weeks.push(
			Array.from({ length: 7 }, (_, index) => {
				const each = addDays(day, index);
				return each < first || each > last ? null : buildCell(each, data, most);
			}),
		);
	}
	return weeks;
}

/** A column of 24 hours for each day. */
export function buildHours({ first, last }: HeatRange, data: HeatData, most: number): HeatCell[][] {
	const days: HeatCell[][] = [];
	for (let day = first; day <= last; day = addDays(day, 1))
		days.push(HOURS.map((hour) => buildCell(`${day}T${hour}`, data, most)));
	return days;
}

const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, "0"));
const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/** The name of each row; the second is shown, if it is there. */
export const listRows = (step: HeatStep): (readonly [name: string, shown: string])[] =>
	step === "day"
		? WEEKDAYS.map((name, row) => [name, row % 2 === 0 ? name.slice(0, 3) : ""])
		: HOURS.map((hour) => [`${hour}:00`, Number(hour) % 6 === 0 ? `${hour}:00` : ""]);

function buildCell(at: string, data: HeatData, most: number): HeatCell {
	const { count = 0, has_changes = false, changes = 0 } = data[at] ?? {};
	const level = count === 0 ? 0 : getLevel(changes, most);
	return { at, count, hasChanges: has_changes, changes, level };
}

/**
 * The level of a cell with snapshots: 1 without changes, then three steps by the logarithm of the
 * changes.
 */
export const getLevel = (changes: number, most: number): number =>
	changes === 0 ? 1 : 2 + Math.min(2, Math.floor((3 * Math.log1p(changes)) / Math.log1p(most)));

interface HeatLabel {
	readonly text: string;
	readonly column: number;
}

/** The months over the week of their first day, or each Monday over its column. */
export function listLabels({ first, last }: HeatRange, step: HeatStep): HeatLabel[] {
	const labels: HeatLabel[] = [];
	const start = step === "day" ? addDays(first, -getWeekday(first)) : first;
	for (let day = first; day <= last; day = addDays(day, 1)) {
		const days = (Date.parse(day) - Date.parse(start)) / 86_400_000;
		if (step === "hour" && getWeekday(day) === 0) labels.push({ text: day.slice(5), column: days });
		if (step === "day" && day.endsWith("-01"))
			labels.push({ text: formatMonth(Number(day.slice(5, 7))), column: Math.floor(days / 7) });
	}
	return labels;
}

/** Days that a key moves by: of a heatmap of days, and of one of hours. */
const MOVES: Readonly<Record<string, { readonly day: number; readonly hour: number }>> = {
	ArrowUp: { day: -1, hour: -1 / 24 },
	ArrowDown: { day: 1, hour: 1 / 24 },
	ArrowLeft: { day: -7, hour: -1 },
	ArrowRight: { day: 7, hour: 1 },
	PageUp: { day: -28, hour: -7 },
	PageDown: { day: 28, hour: 7 },
};

/** The cell that a key leads to; null for keys that lead nowhere. */
export function findCellByKey(
	{ first, last }: HeatRange,
	step: HeatStep,
	{ at, key, ctrl }: { readonly at: string; readonly key: string; readonly ctrl: boolean },
): string | null {
	const [start, end] = step === "day" ? [first, last] : [`${first}T00`, `${last}T23`];
	const clamp = (to: string) => (to < start ? start : to > end ? end : to);
	const day = at.slice(0, 10);
	const hour = at.slice(10);
	switch (key) {
		case "Home":
			if (ctrl) return start;
			return step === "day" ? clamp(`${day.slice(0, 8)}01`) : `${day}T00`;
		case "End":
			if (ctrl) return end;
			return step === "day" ? clamp(getMonthEnd(day)) : `${day}T23`;
	}
	const move = MOVES[key]?.[step];
	if (move === undefined) return null;
	if (step === "day" || Number.isInteger(move)) return clamp(`${addDays(day, move)}${hour}`);
	const moved = new Date(Date.parse(`${at}:00:00Z`) + Math.sign(move) * 3_600_000).toISOString();
	return clamp(moved.slice(0, 13));
}

const getMonthEnd = (day: string): string =>
	new Date(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)), 0)).toISOString().slice(0, 10);

/** The next day with changes in a direction; null when none is shown. */
export function findNextChange(data: HeatData, from: string, direction: -1 | 1): string | null {
	const days = Object.keys(data)
		.filter((at) => data[at]?.has_changes)
		.map((at) => at.slice(0, 10))
		.filter((day) => (direction > 0 ? day > from : day < from))
		.sort();
	return (direction > 0 ? days[0] : days.at(-1)) ?? null;
}
