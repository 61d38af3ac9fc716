/** When a task runs: its frequency and the fields that refine it. */
import type { Frequency, IntervalMinutes } from "@weft/contracts";

export interface Cadence {
	readonly frequency: Frequency;
	/** One that divides the hour. */
	readonly interval_minutes: IntervalMinutes | null;
	readonly minute_of_hour: number | null;
	/** HH:MM */
	readonly time_of_day: string | null;
	/** 0 is Monday. */
	readonly day_of_week: number | null;
	readonly day_of_month: number | null;
	readonly scheduled_datetime: Date | null;
	/** IANA name. */
	readonly timezone: string;
}

const NEEDS: Readonly<Record<Frequency, readonly (keyof Cadence)[]>> = {
	once: ["scheduled_datetime"],
	minutes: ["interval_minutes"],
	hourly: ["minute_of_hour"],
	daily: ["time_of_day"],
	weekly: ["time_of_day", "day_of_week"],
	monthly: ["time_of_day", "day_of_month"],
};

/** Fields that the frequency needs and that are not there. */
export function listMissingFields(cadence: Cadence): readonly (keyof Cadence)[] {
	return NEEDS[cadence.frequency].filter((field) => cadence[field] === null);
}

/** The cadence's fields by name: a change of one of them moves the next run. */
export const CADENCE_FIELDS = [
	"frequency",
	"interval_minutes",
	"minute_of_hour",
	"time_of_day",
	"day_of_week",
	"day_of_month",
	"scheduled_datetime",
	"timezone",
] as const satisfies readonly (keyof Cadence)[];
