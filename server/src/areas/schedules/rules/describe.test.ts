/** Schedules in words. */
import { expect, it } from "vitest";
import { type Cadence, listMissingFields } from "./cadence.ts";
import { describeSchedule } from "./describe.ts";

const createCadence = (fields: Partial<Cadence>): Cadence => ({
	frequency: "daily",
	interval_minutes: null,
	minute_of_hour: null,
	time_of_day: null,
	day_of_week: null,
	day_of_month: null,
	scheduled_datetime: null,
	timezone: "Europe/Paris",
	...fields,
});

it.each<[Partial<Cadence>, string]>([
	[{ frequency: "daily", time_of_day: "06:30" }, "Daily at 06:30 (Europe/Paris)"],
	[{ frequency: "hourly", minute_of_hour: 5, timezone: "UTC" }, "Hourly at minute 5 (UTC)"],
	[{ frequency: "minutes", interval_minutes: 15 }, "Every 15 minutes (Europe/Paris)"],
	[{ frequency: "weekly", day_of_week: 6, time_of_day: "23:00" }, "Weekly on Sunday at 23:00 (Europe/Paris)"],
	[{ frequency: "monthly", day_of_month: 1, time_of_day: "00:00" }, "Monthly on day 1 at 00:00 (Europe/Paris)"],
	[
		{ frequency: "monthly", day_of_month: 31, time_of_day: "00:00" },
		"Monthly on day 31 or the month's last day at 00:00 (Europe/Paris)",
	],
	[
		{ frequency: "once", scheduled_datetime: new Date("2026-06-30T22:15:00Z") },
		"Once on 2026-07-01 at 00:15 (Europe/Paris)",
	],
])("%j", (fields, words) => expect(describeSchedule(createCadence(fields))).toBe(words));

it.each<[Cadence["frequency"], string[]]>([
	["once", ["scheduled_datetime"]],
	["hourly", ["minute_of_hour"]],
	["daily", ["time_of_day"]],
	["weekly", ["time_of_day", "day_of_week"]],
	["monthly", ["time_of_day", "day_of_month"]],
])("%s needs %j", (frequency, fields) => {
	expect(listMissingFields(createCadence({ frequency }))).toEqual(fields);
	const complete = createCadence({
		frequency,
		minute_of_hour: 0,
		time_of_day: "00:00",
		day_of_week: 0,
		day_of_month: 1,
		scheduled_datetime: new Date(0),
	});
	expect(listMissingFields(complete)).toEqual([]);
});
