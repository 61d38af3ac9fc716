import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareTexts, divideDecimal, formatDecimal, keepDigits, parseDecimal, sumDecimals } from "./decimal.ts";

const sumTexts = (...texts: string[]) => keepDigits(sumDecimals(texts.flatMap((text) => parseDecimal(text) ?? [])));

describe("numbers of controllers", () => {
	it("are ordered by their exact value, before other text and after nothing", () => {
		const ordered = [
			"",
			"-5188146770752724441",
			"-2.5",
			"0",
			"9",
			"10",
			"5188146770752724440",
			"5188146770752724441",
			"1a",
			"x",
		];
		expect(ordered.toReversed().sort(compareTexts)).toEqual(ordered);
		expect(compareTexts("1.0", "1")).toBe(0);
		expect(compareTexts("0.30000000000000001", "0.3")).toBe(1);
	});

	it("have a total order", () => {
		const text = fc.string({ unit: fc.constantFrom("0", "1", "9", ".", "-", "a", "e"), maxLength: 4 });
		fc.assert(
			fc.property(text, text, text, (a, b, c) => {
				expect(Math.sign(compareTexts(a, b))).toBe(-Math.sign(compareTexts(b, a)) + 0);
				if (compareTexts(a, b) <= 0 && compareTexts(b, c) <= 0) expect(compareTexts(a, c)).toBeLessThanOrEqual(0);
			}),
			{ numRuns: 2_000 },
		);
	});

	it("are summed exactly, as a number where it holds the digits", () => {
		expect(sumTexts("5188146770752724440", "5188146770752724441")).toBe("10376293541505448881");
		expect(sumTexts("0.1", "0.2")).toBe(0.3);
		expect(sumTexts("1e3", "+2", " 3 ", "0x10", "x")).toBe(1021);
		expect(formatDecimal(divideDecimal(sumDecimals([{ digits: 10n, scale: 0 }]), 4))).toBe("2.5");
		expect(sumTexts("-0.5", "0.25")).toBe(-0.25);
	});

	it.each(["", ".", "1e9999", "1".repeat(500), "1_0"])("are not %j", (text) => {
		expect(parseDecimal(text)).toBeNull();
	});
});
