import { expect, it } from "vitest";
import { measureClockSkew } from "./clock-skew.ts";

const DATE = "Thu, 15 Jan 2026 10:00:00 GMT";
const at = Date.parse(DATE);

it.each<[string, string | undefined, number, number, number | null]>([
	["no date", undefined, at, at, null],
	["no date that is one", "yesterday", at, at, null],
	["equal clocks, at the start of the second", DATE, at, at + 10, 0],
	["equal clocks, at the end of the second", DATE, at + 990, at + 999, 0],
	["a slow answer that hides the difference", DATE, at - 3_000, at + 3_000, 0],
	["ahead: the middle of what is possible", DATE, at - 60_000, at - 60_000, 60_500],
	["behind", DATE, at + 60_000, at + 60_200, -59_600],
])("measures the clock skew: %s", (_what, date, began, ended, expected) => {
	expect(measureClockSkew(date, began, ended)).toBe(expected);
});
