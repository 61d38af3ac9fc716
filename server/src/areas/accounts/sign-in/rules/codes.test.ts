import { describe, expect, it } from "vitest";
import { readCode, readTypedCode } from "./codes.ts";

describe("codes", () => {
	it("have two groups of four unmistakable symbols", () => {
		for (let i = 0; i < 256; i++) {
			expect(readTypedCode(Uint8Array.from({ length: 8 }, (_, k) => (i * 7 + k * 31) % 256))).toMatch(
				/^[A-HJ-NP-Z2-9]{4}-[A-HJ-NP-Z2-9]{4}$/,
			);
		}
	});

	it.each([
		["ABCD-2345", "ABCD-2345"],
		["abcd2345", "ABCD-2345"],
		[" ab cd-23 45 ", "ABCD-2345"],
		["ABCD-234", null],
		["ABCD-234I", null],
		["ABCD-2340", null],
		["ABCD-23456", null],
		["ÄBCD-2345", null],
		["", null],
	])("read %j as %j", (typed, code) => expect(readCode(typed)).toBe(code));
});
