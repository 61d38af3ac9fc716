import { describe, expect, it } from "vitest";
import { readRetryAfter } from "./retry-after.ts";

const NOW = Date.parse("Sat, 28 Nov 2026 10:00:00 GMT");

describe("Retry-After", () => {
	it.each([
		["0", 0],
		["120", 120_000],
		[" 7 ", 7_000],
		["Sat, 28 Nov 2026 10:01:30 GMT", 90_000],
		["Sat, 28 Nov 2026 09:00:00 GMT", 0],
		[undefined, null],
		["", null],
		["-1", null],
		["1.5", null],
		["soon", null],
		["99999999999999", null],
	])("%j is read as %j ms", (value, expected) => expect(readRetryAfter(value, NOW)).toBe(expected));

	it("as a date is unknown where the receiver's time is", () => {
		expect(readRetryAfter("Sat, 28 Nov 2026 10:01:30 GMT", Number.NaN)).toBeNull();
	});
});
