import fc from "fast-check";
import { expect, test } from "vitest";
import { computeDaySpan } from "./days.ts";

test.each([
	["2026-01-31", "UTC", "2026-01-31T00:00:00.000Z", 24],
	["2026-01-31", "Asia/Kolkata", "2026-01-30T18:30:00.000Z", 24],
	["2026-03-29", "Europe/Paris", "2026-03-28T23:00:00.000Z", 23],
	["2026-10-25", "Europe/Paris", "2026-10-24T22:00:00.000Z", 25],
	["2026-03-08", "America/New_York", "2026-03-08T05:00:00.000Z", 23],
	["2026-04-05", "Australia/Lord_Howe", "2026-04-04T13:00:00.000Z", 24.5],
	["2026-01-01", "Pacific/Kiritimati", "2025-12-31T10:00:00.000Z", 24],
	["2026-01-01", "Etc/GMT+12", "2026-01-01T12:00:00.000Z", 24],
	// Midnight did not exist: clocks went from 23:59:59 to 01:00.
	["2018-11-04", "America/Sao_Paulo", "2018-11-04T03:00:00.000Z", 23],
	// Clocks went from 23:59:59 back to 23:00 of the same day.
	["2018-02-17", "America/Sao_Paulo", "2018-02-17T02:00:00.000Z", 25],
	// The zone skipped this day.
	["2011-12-30", "Pacific/Apia", "2011-12-30T10:00:00.000Z", 0],
])("%s in %s starts at %s and has %d hours", (day, zone, from, hours) => {
	const span = computeDaySpan(day, zone);
	expect(new Date(span.from).toISOString()).toBe(from);
	expect((span.to - span.from) / 3_600_000).toBe(hours);
});

test("years that nothing was captured in have no instants", () => {
	for (const day of ["0000-01-01", "0001-12-31", "1969-12-31", "9999-12-31"])
		expect(computeDaySpan(day, "America/Toronto")).toEqual({ from: 0, to: 0 });
});

test("each day begins where the one before ends", () => {
	const zones = Intl.supportedValuesOf("timeZone");
	fc.assert(
		fc.property(fc.constantFrom(...zones), fc.integer({ min: 0, max: 30_000 }), (zone, day) => {
			const text = (n: number) => new Date(n * 86_400_000).toISOString().slice(0, 10);
			expect(computeDaySpan(text(day), zone).to).toBe(computeDaySpan(text(day + 1), zone).from);
		}),
		{ numRuns: 60 },
	);
});
