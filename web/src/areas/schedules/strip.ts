/** The runs of the coming days, a column for each. Pure. */
import type { CalendarAnswer } from "@weft/contracts";
import { addDays } from "../../platform/time.ts";

interface StripRun {
	readonly taskId: string;
	readonly name: string;
	/** ISO; null if a task runs so often that only the count is shown. */
	readonly at: string | null;
	readonly count: number;
}

interface StripDay {
	readonly day: string;
	readonly runs: readonly StripRun[];
}

/** More runs than this of one task in a day are one entry. */
const OFTEN = 4;

/** @param getDay the day of an instant in the person's zone */
export function buildStrip(
	{ from, tasks }: Pick<CalendarAnswer, "from" | "tasks">,
	days: number,
	getDay: (time: string) => string,
): StripDay[] {
	const first = getDay(from);
	return Array.from({ length: days }, (_, index) => {
		const day = addDays(first, index);
		const runs = tasks.flatMap(({ id, name, runs: times }): StripRun[] => {
			const here = times.filter((time) => getDay(time) === day);
			if (here.length === 0) return [];
			if (here.length > OFTEN) return [{ taskId: id, name, at: null, count: here.length }];
			return here.map((at) => ({ taskId: id, name, at, count: 1 }));
		});
		return { day, runs: runs.sort((a, b) => getSortTime(a) - getSortTime(b)) };
	});
}

/** What runs all day comes last. */
const getSortTime = ({ at }: StripRun): number => (at === null ? Number.POSITIVE_INFINITY : Date.parse(at));
