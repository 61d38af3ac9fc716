/** A year as weeks: Monday first, the days of its neighbours left out. Pure. */
import { addDays, weekday } from "../../platform/time.ts";

export interface Day {
	readonly day: string;
	readonly count: number;
	readonly hasChanges: boolean;
	/** 0 none, 4 most. */
	readonly level: number;
}

export type HeatData = Readonly<Record<string, { readonly count: number; readonly has_changes: boolean }>>;

/** Columns of seven days; null where the year has no such day. */
export function weeksOf(year: number, data: HeatData): (Day | null)[][] {
	const first = `${year}-01-01`;
	const most = Object.values(data).reduce((max, { count }) => Math.max(max, count), 0);
	const weeks: (Day | null)[][] = [];
	for (let day = addDays(first, -weekday(first)); day < `${year + 1}-01-01`; day = addDays(day, 7)) {
		weeks.push(
			Array.from({ length: 7 }, (_, index) => {
				const each = addDays(day, index);
				if (!each.startsWith(`${year}-`)) return null;
				const { count = 0, has_changes = false } = data[each] ?? {};
				return { day: each, count, hasChanges: has_changes, level: levelOf(count, most) };
			}),
		);
	}
	return weeks;
}

/** Of four steps between one and the most. */
export function levelOf(count: number, most: number): number {
	if (count === 0) return 0;
	return most <= 4 ? Math.min(4, count) : Math.max(1, Math.ceil((count / most) * 4));
}

/** Where the months begin: the week of their first day. */
export function monthsOf(year: number): { readonly month: number; readonly week: number }[] {
	const start = addDays(`${year}-01-01`, -weekday(`${year}-01-01`));
	return Array.from({ length: 12 }, (_, index) => {
		const first = `${year}-${String(index + 1).padStart(2, "0")}-01`;
		const days = (Date.parse(first) - Date.parse(start)) / 86_400_000;
		return { month: index + 1, week: Math.floor((days + 6) / 7) };
	});
}

/** The day that a key leads to; null for keys that lead nowhere. */
export function dayByKey(day: string, key: string, ctrl: boolean): string | null {
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
export function nextChange(data: HeatData, from: string, direction: -1 | 1): string | null {
	const days = Object.keys(data)
		.filter((day) => data[day]?.has_changes && (direction > 0 ? day > from : day < from))
		.sort();
	return (direction > 0 ? days[0] : days.at(-1)) ?? null;
}
