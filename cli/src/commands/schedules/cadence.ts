/** The times of a schedule as options have them. */
import type { IntervalMinutes } from "@weft/contracts";
import { INTERVAL_MINUTES } from "@weft/contracts/browser";

const MINUTES: ReadonlyMap<string, IntervalMinutes> = new Map(INTERVAL_MINUTES.map((count) => [`${count}m`, count]));

/** Values of `--every`. */
export const EVERY: readonly string[] = [...MINUTES.keys(), "hourly", "daily"];

/** Fields of a schedule in the time zone of the computer. */
export function buildCadence(every: string) {
	const { timeZone: timezone } = Intl.DateTimeFormat().resolvedOptions();
	const minutes = MINUTES.get(every);
	if (minutes !== undefined) return { frequency: "minutes", interval_minutes: minutes, timezone } as const;
	return every === "hourly"
		? ({ frequency: "hourly", minute_of_hour: 0, timezone } as const)
		: ({ frequency: "daily", time_of_day: "06:00", timezone } as const);
}
