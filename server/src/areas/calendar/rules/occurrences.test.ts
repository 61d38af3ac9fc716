/** Occurrences: a table of known days, and rules against ical.js. */
import fc from "fast-check";
import ICAL from "ical.js";
import { DateTime } from "luxon";
import { describe, expect, it } from "vitest";
import { type EntryTimes, findNextOccurrence, findOccurrenceAt, listOccurrences } from "./occurrences.ts";
import { parseRule, RuleProblem } from "./recurrence-rule.ts";

const DAY_MS = 86_400_000;
const createEntry = (fields: Partial<EntryTimes>): EntryTimes => ({
	starts_at: new Date("2026-03-14T21:00:00Z"),
	ends_at: new Date("2026-03-15T03:00:00Z"),
	rrule: null,
	exdates: [],
	time_zone: "Europe/Berlin",
	...fields,
});
const listStarts = (fields: Partial<EntryTimes>, from: string, to: string, limit = 20): string[] =>
	listOccurrences(createEntry(fields), Date.parse(from), Date.parse(to), limit).map(({ start }) =>
		new Date(start).toISOString().replace(".000Z", "Z"),
	);

describe("an entry of the calendar", () => {
	it.each<[string, Partial<EntryTimes>, string[]]>([
		[
			"an entry of each week stays at 22:00 when summer begins",
			{ rrule: "FREQ=WEEKLY;BYDAY=SA" },
			["2026-03-14T21:00:00Z", "2026-03-21T21:00:00Z", "2026-03-28T21:00:00Z", "2026-04-04T20:00:00Z"],
		],
		[
			"an entry of each week stays at 22:00 when summer ends",
			{ rrule: "FREQ=WEEKLY", starts_at: new Date("2026-10-17T20:00:00Z"), ends_at: new Date("2026-10-17T21:00:00Z") },
			["2026-10-17T20:00:00Z", "2026-10-24T20:00:00Z", "2026-10-31T21:00:00Z"],
		],
		[
			"a time that the clock skips begins at the first instant after it",
			{
				rrule: "FREQ=DAILY;COUNT=3",
				starts_at: new Date("2026-03-28T01:30:00Z"),
				ends_at: new Date("2026-03-28T02:00:00Z"),
			},
			["2026-03-28T01:30:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"],
		],
		[
			"a time that the clock shows twice begins at the first of both",
			{
				rrule: "FREQ=DAILY;COUNT=3",
				starts_at: new Date("2026-10-24T00:30:00Z"),
				ends_at: new Date("2026-10-24T01:00:00Z"),
			},
			["2026-10-24T00:30:00Z", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"],
		],
		[
			"the start is an occurrence only if the rule has it",
			{ rrule: "FREQ=DAILY;BYDAY=MO,WE;COUNT=3" },
			["2026-03-16T21:00:00Z", "2026-03-18T21:00:00Z", "2026-03-23T21:00:00Z"],
		],
		[
			"a rule of a later month begins on the first day of that month",
			{ rrule: "FREQ=DAILY;BYMONTH=4;COUNT=2" },
			["2026-04-01T20:00:00Z", "2026-04-02T20:00:00Z"],
		],
		[
			"a rule with UNTIL in UTC has that start as its last",
			{ rrule: "FREQ=WEEKLY;UNTIL=20260328T210000Z" },
			["2026-03-14T21:00:00Z", "2026-03-21T21:00:00Z", "2026-03-28T21:00:00Z"],
		],
		[
			"a rule with a day as UNTIL includes that day of the zone",
			{ rrule: "FREQ=WEEKLY;UNTIL=20260321" },
			["2026-03-14T21:00:00Z", "2026-03-21T21:00:00Z"],
		],
		[
			"left out starts count towards COUNT",
			{ rrule: "FREQ=WEEKLY;COUNT=3", exdates: [new Date("2026-03-21T21:00:00Z")] },
			["2026-03-14T21:00:00Z", "2026-03-28T21:00:00Z"],
		],
		[
			"a rule of each month finds the second Tuesday and the last Friday",
			{ rrule: "FREQ=MONTHLY;BYDAY=2TU,-1FR;COUNT=3" },
			["2026-03-27T21:00:00Z", "2026-04-14T20:00:00Z", "2026-04-24T20:00:00Z"],
		],
		[
			"a rule of each month finds the last working day",
			{ rrule: "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=3" },
			["2026-03-31T20:00:00Z", "2026-04-30T20:00:00Z", "2026-05-29T20:00:00Z"],
		],
		[
			"months that lack the day are left out",
			{ rrule: "FREQ=MONTHLY;BYMONTHDAY=31;COUNT=3" },
			["2026-03-31T20:00:00Z", "2026-05-31T20:00:00Z", "2026-07-31T20:00:00Z"],
		],
		[
			"every second week counts from the week of the start",
			{ rrule: "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SA;COUNT=3" },
			["2026-03-14T21:00:00Z", "2026-03-23T21:00:00Z", "2026-03-28T21:00:00Z"],
		],
		[
			"a rule of each year finds the days around Christmas",
			{ rrule: "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24,-1;COUNT=3" },
			["2026-12-24T21:00:00Z", "2026-12-31T21:00:00Z", "2027-12-24T21:00:00Z"],
		],
		[
			"a leap day is in leap years only",
			{
				rrule: "FREQ=YEARLY;COUNT=2",
				starts_at: new Date("2024-02-29T21:00:00Z"),
				ends_at: new Date("2024-02-29T22:00:00Z"),
			},
			["2024-02-29T21:00:00Z", "2028-02-29T21:00:00Z"],
		],
		["an entry without a rule occurs once", {}, ["2026-03-14T21:00:00Z"]],
		["a rule that no day meets has no occurrence", { rrule: "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30" }, []],
	])("%s", (_, fields, starts) => {
		const end = fields.rrule?.includes("COUNT") || fields.rrule?.includes("UNTIL") ? "2036-01-01" : "2026-04-05";
		const until = fields.starts_at?.getMonth() === 9 && !fields.rrule?.includes("COUNT") ? "2026-11-01" : end;
		expect(listStarts(fields, "2024-01-01", until)).toEqual(starts);
	});

	it("repeats an entry with the duration of its first occurrence, and whole days up to midnight", () => {
		const night = createEntry({ rrule: "FREQ=DAILY" });
		const [spring] = listOccurrences(night, Date.parse("2026-03-29T00:00Z"), Date.parse("2026-03-29T12:00Z"), 5);
		expect(spring).toEqual({ start: Date.parse("2026-03-28T21:00Z"), end: Date.parse("2026-03-29T03:00Z") });
		const day = createEntry({
			starts_at: new Date("2026-03-27T23:00Z"),
			ends_at: new Date("2026-03-28T23:00Z"),
			rrule: "FREQ=DAILY",
		});
		const shortDay = findOccurrenceAt(day, Date.parse("2026-03-29T12:00Z"));
		expect(shortDay).toEqual({ start: Date.parse("2026-03-28T23:00Z"), end: Date.parse("2026-03-29T22:00Z") });
	});

	it("finds an occurrence at its first instant and not at its end", () => {
		const entry = createEntry({ rrule: "FREQ=WEEKLY" });
		const [start, end] = [Date.parse("2026-04-04T20:00Z"), Date.parse("2026-04-05T02:00Z")];
		expect(findOccurrenceAt(entry, start)).toEqual({ start, end });
		expect(findOccurrenceAt(entry, start - 1)).toBeNull();
		expect(findOccurrenceAt(entry, end - 1)).toEqual({ start, end });
		expect(findOccurrenceAt(entry, end)).toBeNull();
		expect(findNextOccurrence(entry, start)?.start).toBe(start + 7 * DAY_MS);
	});
});

describe("the parser of recurrence rules", () => {
	it.each([
		"",
		"FREQ=HOURLY",
		"BYDAY=MO",
		"FREQ=DAILY;INTERVAL=0",
		"FREQ=DAILY;INTERVAL=401",
		"FREQ=DAILY;COUNT=1001",
		"FREQ=DAILY;COUNT=2;UNTIL=20260101",
		"FREQ=DAILY;UNTIL=20260231",
		"FREQ=DAILY;UNTIL=tomorrow",
		"FREQ=WEEKLY;BYDAY=XX",
		"FREQ=WEEKLY;BYDAY=1MO",
		"FREQ=MONTHLY;BYDAY=6MO",
		"FREQ=WEEKLY;BYMONTHDAY=1",
		"FREQ=MONTHLY;BYMONTHDAY=32",
		"FREQ=MONTHLY;BYSETPOS=1",
		"FREQ=DAILY;BYHOUR=1",
		"FREQ=DAILY;FREQ=DAILY",
		"FREQ=DAILY;DTSTART=20260101",
		"FREQ=DAILY;;",
		"FREQ=DAILY=2",
	])("refuses the recurrence rule %j", (text) => {
		expect(() => parseRule(text)).toThrow(RuleProblem);
	});

	it("reads rules in lower case, with the name RRULE and with a semicolon at the end", () => {
		expect(parseRule("rrule:freq=weekly;byday=mo;")).toEqual(parseRule("FREQ=WEEKLY;BYDAY=MO"));
	});
});

describe("the search for occurrences", () => {
	it("ends the search within a second of processor time if no day meets a rule with COUNT", () => {
		const began = process.cpuUsage().user;
		for (const frequency of ["DAILY", "MONTHLY", "YEARLY"]) {
			const rrule = `FREQ=${frequency};BYMONTH=2;BYMONTHDAY=30;COUNT=1000`;
			expect(findNextOccurrence(createEntry({ rrule, starts_at: new Date(0), ends_at: new Date(1) }), 0)).toBeNull();
		}
		expect(process.cpuUsage().user - began).toBeLessThan(1_000_000);
	});
});

describe("any recurrence rule", () => {
	const ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "Pacific/Apia"];
	const weekdays = fc.subarray(["MO", "TU", "WE", "TH", "FR", "SA", "SU"], { minLength: 1 });
	const interval = fc.integer({ min: 1, max: 5 });
	/** Rules without BYSETPOS, with which ical.js counts the first day as an occurrence. */
	const plainRules = fc.oneof(
		interval.map((n) => `FREQ=DAILY;INTERVAL=${n}`),
		fc.tuple(interval, weekdays).map(([n, days]) => `FREQ=WEEKLY;INTERVAL=${n};BYDAY=${days}`),
		fc
			.tuple(interval, fc.integer({ min: 1, max: 31 }))
			.map(([n, day]) => `FREQ=MONTHLY;INTERVAL=${n};BYMONTHDAY=${day}`),
		fc
			.tuple(fc.constantFrom(1, 2, 3, 4, -1), weekdays)
			.map(([nth, days]) => `FREQ=MONTHLY;BYDAY=${days.map((day) => `${nth}${day}`)}`),
		fc
			.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 28 }))
			.map(([month, day]) => `FREQ=YEARLY;BYMONTH=${month};BYMONTHDAY=${day}`),
	);
	const rules = fc.oneof(
		plainRules,
		fc.tuple(fc.constantFrom(1, -1, 2), weekdays).map(([at, days]) => `FREQ=MONTHLY;BYDAY=${days};BYSETPOS=${at}`),
		fc.tuple(interval, weekdays).map(([n, days]) => `FREQ=DAILY;INTERVAL=${n};BYDAY=${days};BYMONTH=2,3,11`),
	);
	const starts = fc.integer({ min: Date.UTC(2020, 0, 1) / 60_000, max: Date.UTC(2030, 0, 1) / 60_000 });

	it("finds the days that ical.js finds, at the time of day of its zone", () => {
		fc.assert(
			fc.property(plainRules, starts, fc.constantFrom(...ZONES), (rrule, minutes, time_zone) => {
				const starts_at = new Date(minutes * 60_000);
				const local = DateTime.fromJSDate(starts_at, { zone: time_zone });
				const ends_at = new Date(starts_at.getTime() + 3_600_000);
				const found = listOccurrences(
					createEntry({ starts_at, ends_at, rrule, time_zone }),
					starts_at.getTime(),
					starts_at.getTime() + 4 * 366 * DAY_MS,
					11,
				).slice(0, 10);
				const days = found.map(({ start }) => DateTime.fromMillis(start, { zone: time_zone }).toISODate());
				const oracle = ICAL.Recur.fromString(rrule).iterator(ICAL.Time.fromDateString(local.toISODate() ?? ""));
				const expected = days.map(() => oracle.next()?.toString());
				expect(days).toEqual(expected);
			}),
		);
	});

	it("finds the same occurrences from any start of the search", () => {
		fc.assert(
			fc.property(rules, starts, fc.constantFrom(...ZONES), fc.nat(1500), (rrule, minutes, time_zone, days) => {
				const starts_at = new Date(minutes * 60_000);
				const entry = createEntry({ starts_at, ends_at: new Date(starts_at.getTime() + DAY_MS), rrule, time_zone });
				const from = starts_at.getTime() + days * DAY_MS;
				const to = from + 60 * DAY_MS;
				const all = listOccurrences(entry, starts_at.getTime(), to, 10_000);
				expect(listOccurrences(entry, from, to, 10_000)).toEqual(all.filter(({ end }) => end > from));
			}),
		);
	});
});
