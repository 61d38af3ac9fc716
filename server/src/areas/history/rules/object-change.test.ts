import { CHANGE_LIMITS } from "@weft/contracts";
import { describe, expect, it } from "vitest";
import { formatValue } from "./object-change.ts";

describe("a value of a change", () => {
	it.each([
		[null, null],
		["null", null],
		['"text"', "text"],
		['"a\\"b\\u0000"', 'a"b\uFFFD'],
		['"\\ud800x"', "\uFFFDx"],
		["1.50", "1.50"],
		['{"a":1}', '{"a":1}'],
	])("%s", (json, expected) => expect(formatValue(json)).toBe(expected));

	it("cuts a long value visibly, and never within a character", () => {
		const long = "x".repeat(CHANGE_LIMITS.value - 1);
		expect(formatValue(JSON.stringify(`${long}y`))).toBe(`${long}y`);
		expect(formatValue(JSON.stringify(`${long}yz`))).toBe(`${long}y…`);
		expect(formatValue(JSON.stringify(`${long}😀z`))).toBe(`${long}…`);
	});
});
