import { expect, it } from "vitest";
import { getRangeUntil, getYearRange, listHeatSpans } from "./heat-spans.ts";

it("ends twelve months and thirty days with the given day", () => {
	expect(getRangeUntil("2026-11-29", "day")).toEqual({ first: "2025-11-30", last: "2026-11-29" });
	expect(getRangeUntil("2024-02-29", "day")).toEqual({ first: "2023-03-02", last: "2024-02-29" });
	expect(getRangeUntil("2026-03-01", "hour")).toEqual({ first: "2026-01-31", last: "2026-03-01" });
});

it.each([
	["UTC", 365],
	["Asia/Tokyo", 365],
])("lists the days of a year in %s without a gap", (zone, days) => {
	const { keys, starts } = listHeatSpans(getYearRange(2026), "day", zone);
	expect([keys.length, starts.length, keys[0], keys.at(-1)]).toEqual([days, days + 1, "2026-01-01", "2026-12-31"]);
	expect([...starts].sort()).toEqual(starts);
});

it("lists the hours of days, also where clocks change", () => {
	const count = (last: string) =>
		listHeatSpans({ first: last, last }, "hour", "Europe/Paris").keys.map((key) => key.slice(11));
	expect(count("2026-11-29")).toHaveLength(24);
	expect(count("2026-03-29").slice(0, 4)).toEqual(["00", "01", "03", "04"]);
	expect(count("2026-10-25").slice(0, 5)).toEqual(["00", "01", "02", "02", "03"]);
});

it("begins an hour with the day where a zone is half an hour away from UTC", () => {
	const { keys, starts } = listHeatSpans({ first: "2026-11-29", last: "2026-11-29" }, "hour", "Asia/Kolkata");
	expect([keys[0], starts[0], keys[23], starts.at(-1)]).toEqual([
		"2026-11-29T00",
		"2026-11-28T18:30:00.000Z",
		"2026-11-29T23",
		"2026-11-29T18:30:00.000Z",
	]);
});
