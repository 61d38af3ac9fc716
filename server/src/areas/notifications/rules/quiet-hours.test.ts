import fc from "fast-check";
import { IANAZone } from "luxon";
import { describe, expect, it } from "vitest";
import { computeNextDigest, endOfQuiet } from "./quiet-hours.ts";

const parseInstant = (text: string) => Date.parse(text);
const formatInstant = (instant: number) => new Date(instant).toISOString();
const createQuietHours = (quiet_hours_start: string | null, quiet_hours_end: string | null) => ({
	quiet_hours_start,
	quiet_hours_end,
});
const NONE = createQuietHours(null, null);

describe("quiet hours", () => {
	it.each([
		["none", NONE, "UTC", "2026-01-15T23:00:00Z", "2026-01-15T23:00:00Z"],
		["before them", createQuietHours("22:00", "06:00"), "UTC", "2026-01-15T21:59:59Z", "2026-01-15T21:59:59Z"],
		[
			"from their first moment",
			createQuietHours("22:00", "06:00"),
			"UTC",
			"2026-01-15T22:00:00Z",
			"2026-01-16T06:00:00Z",
		],
		["past midnight", createQuietHours("22:00", "06:00"), "UTC", "2026-01-16T05:59:30Z", "2026-01-16T06:00:00Z"],
		["over at their end", createQuietHours("22:00", "06:00"), "UTC", "2026-01-16T06:00:00Z", "2026-01-16T06:00:00Z"],
		["within a day", createQuietHours("12:00", "13:30"), "UTC", "2026-01-15T12:15:00Z", "2026-01-15T13:30:00Z"],
		[
			"of the user's zone",
			createQuietHours("22:00", "06:00"),
			"Asia/Kolkata",
			"2026-01-15T17:00:00Z",
			"2026-01-16T00:30:00Z",
		],
		[
			"that end in a skipped hour",
			createQuietHours("22:00", "02:30"),
			"Europe/Paris",
			"2026-03-29T00:10:00Z",
			"2026-03-29T01:00:00Z",
		],
		[
			"over a night that is shorter",
			createQuietHours("22:00", "06:00"),
			"Europe/Paris",
			"2026-03-28T23:00:00Z",
			"2026-03-29T04:00:00Z",
		],
		[
			"over a night that is longer",
			createQuietHours("22:00", "06:00"),
			"Europe/Paris",
			"2026-10-24T22:00:00Z",
			"2026-10-25T05:00:00Z",
		],
		[
			"of a zone that nobody knows",
			createQuietHours("22:00", "06:00"),
			"Mars/Olympus",
			"2026-01-15T23:00:00Z",
			"2026-01-16T06:00:00Z",
		],
	])("%s", (_name, quiet, zone, now, end) =>
		expect(formatInstant(endOfQuiet(quiet, zone, parseInstant(now)))).toBe(formatInstant(parseInstant(end))),
	);
});

describe("the daily email", () => {
	it.each([
		["today", NONE, "UTC", "2026-01-15T07:59:59Z", "2026-01-15T08:00:00Z"],
		["tomorrow", NONE, "UTC", "2026-01-15T08:00:00Z", "2026-01-16T08:00:00Z"],
		["of the user's zone", NONE, "America/New_York", "2026-01-15T12:00:00Z", "2026-01-15T13:00:00Z"],
		["after a night that is shorter", NONE, "Europe/Paris", "2026-03-28T12:00:00Z", "2026-03-29T06:00:00Z"],
		["after a night that is longer", NONE, "Europe/Paris", "2026-10-24T12:00:00Z", "2026-10-25T07:00:00Z"],
		[
			"when the quiet hours are over",
			createQuietHours("23:00", "09:30"),
			"UTC",
			"2026-01-15T12:00:00Z",
			"2026-01-16T09:30:00Z",
		],
	])("%s", (_name, quiet, zone, now, due) =>
		expect(formatInstant(computeNextDigest(quiet, zone, parseInstant(now)))).toBe(formatInstant(parseInstant(due))),
	);
});

const ZONES = [
	"UTC",
	"Europe/Paris",
	"America/St_Johns",
	"Australia/Lord_Howe",
	"Asia/Kathmandu",
	"Africa/Casablanca",
	"Pacific/Apia",
];
const MINUTE = 60_000;
const zone = fc.constantFrom(...ZONES);
const instant = fc
	.integer({ min: parseInstant("2024-01-01T00:00:00Z") / MINUTE, max: parseInstant("2028-01-01T00:00:00Z") / MINUTE })
	.map((m) => m * MINUTE);
const minute = fc.integer({ min: 0, max: 1439 });
const formatClockTime = (time: number) =>
	`${String(Math.floor(time / 60)).padStart(2, "0")}:${String(time % 60).padStart(2, "0")}`;
const getLocalMinute = (name: string, now: number) =>
	(((now / MINUTE + IANAZone.create(name).offset(now)) % 1440) + 1440) % 1440;

describe("in every zone, minute by minute", () => {
	it("quiet hours end with the first minute that is not within them", () =>
		fc.assert(
			fc.property(zone, instant, minute, minute, (name, now, start, end) => {
				fc.pre(start !== end);
				const isQuiet = (moment: number) => {
					const time = getLocalMinute(name, moment);
					return start < end ? time >= start && time < end : time >= start || time < end;
				};
				let expected = now;
				while (isQuiet(expected)) expected += MINUTE;
				expect(
					formatInstant(endOfQuiet(createQuietHours(formatClockTime(start), formatClockTime(end)), name, now)),
				).toBe(formatInstant(expected));
			}),
			{ numRuns: 300 },
		));

	it("the daily email is due at eight by the user's clock, within a day and a bit", () =>
		fc.assert(
			fc.property(zone, instant, (name, now) => {
				const due = computeNextDigest(NONE, name, now);
				expect(getLocalMinute(name, due)).toBe(480);
				expect(due).toBeGreaterThan(now);
				expect(due - now).toBeLessThanOrEqual(26 * 60 * MINUTE);
			}),
			{ numRuns: 500 },
		));
});
