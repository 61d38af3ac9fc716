/** Days of a month with their occurrences. */
import { describe, expect, it } from "vitest";
import { addMonths, findMonthRange, listMonthDays } from "./month-days.ts";

const occurrence = {
	id: "e",
	title: "Upgrade",
	kind: "maintenance",
	starts_at: "2026-03-14T22:00:00Z",
	ends_at: "2026-03-16T00:00:00Z",
} as const;

describe("a month of the calendar", () => {
	it("shows a month in whole weeks from Monday on", () => {
		expect(findMonthRange("2026-03")).toEqual({ first: "2026-02-23", end: "2026-04-06" });
		expect(findMonthRange("2026-06")).toEqual({ first: "2026-06-01", end: "2026-07-06" });
		expect([addMonths("2026-12", 1), addMonths("2026-01", -1)]).toEqual(["2027-01", "2025-12"]);
	});

	it("shows an occurrence on each of its days, without the one on which it ends at midnight", () => {
		const days = listMonthDays("2026-03", [occurrence], (time) => new Date(time).toISOString().slice(0, 10));
		expect(days.filter((day) => day.occurrences.length > 0).map(({ day }) => day)).toEqual([
			"2026-03-14",
			"2026-03-15",
		]);
		expect(days.find(({ day }) => day === "2026-02-23")?.isInMonth).toBe(false);
	});
});
