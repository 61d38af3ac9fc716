/** A year as weeks: Monday first, the days of its neighbours left out. Pure. */
import { addDays, getWeekday } from "../../platform/time.ts";

export interface Day {
	readonly day: string;
	readonly count: number;
	readonly hasChanges: boolean;
	/** Objects that changed. */
	readonly changes: number;
	/** 0 no snapshot, 1 no change, 4 most changes. */
	readonly level: number;
}

interface HeatDay {
	readonly count: number;
	readonly has_changes: boolean;
	readonly changes: number;
}
export type HeatData = Readonly<Record<string, HeatDay>>;

/** Columns of seven days; null where the year has no such day. */
export function buildWeeks(year: number, data: HeatData): (Day | null)[][] {
	const first = `${year}-01-01`;
	const most = Object.values(data).reduce((max, { changes }) => Math.max(max, changes), 0);
	const weeks: (Day | null)[][] = [];
	for (let day = addDays(first, -getWeekday(first)); day < `${year + 1}-01-01`; day = addDays(day, 7)) {
		weeks.push(
			Array.from({ length: 7 }, (_, index) => {
				const each = addDays(day, index);
				if (!each.startsWith(`${year}-`)) return null;
				const { count = 0, has_changes = false, changes = 0 } = data[each] ?? {};
				const level = count === 0 ? 0 : getLevel(changes, most);
				return { day: each, count, hasChanges: has_changes, changes, level };
			}),
		);
	}
	return weeks;
}

/** Of a day with snapshots: 1 without a change, then three steps by the logarithm of changes. */
export const getLevel = (changes: number, most: number): number =>
	changes === 0 ? 1 : 2 + Math.min(2, Math.floor((3 * Math.log1p(changes)) / Math.log1p(most)));

/** Where the months begin: the week of their first day. */
export function buildMonths(year: number): { readonly month: number; readonly week: number }[] {
	const start = addDays(`${year}-01-01`, -getWeekday(`${year}-01-01`));
	return Array.from({ length: 12 }, (_, index) => {
		const first = `${year}-${String(index + 1).padStart(2, "0")}-01`;
		const days = (Date.parse(first) - Date.parse(start)) / 86_400_000;
		return { month: index + 1, week: Math.floor((days + 6) / 7) };
	});
}

/** The day that a key leads to; null for keys that lead nowhere. */
export function findDayByKey(day: string, key: string, ctrl: boolean): string | null {
	const year = day.slice(0, 4);
	const clamp = (to: string) => (to < `${year}-01-01` ? `${year}-01-01` : to > `${year}-12-31` ? `${year}-12-31` : to);
	switch (key) {
		case "ArrowUp":
			return clamp(addDays(day, -1));
		case "ArrowDown":
			return clamp(addDays(day, 1));
		case "ArrowLeft":
			return clamp(addDays(day, -7));
		case "ArrowRight":
			return clamp(addDays(day, 7));
		case "PageUp":
			return clamp(addDays(day, -28));
		case "PageDown":
			return clamp(addDays(day, 28));
		case "Home":
			return ctrl ? `${year}-01-01` : `${day.slice(0, 8)}01`;
		case "End": {
			if (ctrl) return `${year}-12-31`;
			const next = new Date(Date.UTC(Number(year), Number(day.slice(5, 7)), 0));
			return next.toISOString().slice(0, 10);
		}
		default:
			return null;
	}
}

/** The next day with changes in a direction; null when there is none this year. */
export function findNextChange(data: HeatData, from: string, direction: -1 | 1): string | null {
	const days = Object.keys(data)
		.filter((day) => data[day]?.has_changes && (direction > 0 ? day > from : day < from))
		.sort();
	return (direction > 0 ? days[0] : days.at(-1)) ?? null;
}
