import fc from "fast-check";
import { expect, test } from "vitest";
import { compactInto, decodeByteString, toByteString } from "./json-text.ts";
import { canonicalizeNumber } from "./numbers.ts";

test("compact text", () => {
	const spaced = Buffer.from('{ "a b" : [ 1 , "\\" c" ] ,\n"\\\\" : "  " }');
	const out = Buffer.alloc(spaced.length);
	const end = compactInto(spaced, 0, spaced.length, out, 0);
	expect(out.toString("utf8", 0, end)).toBe('{"a b":[1,"\\" c"],"\\\\":"  "}');
});

test("byte strings keep every text apart and sort by code points", () => {
	fc.assert(
		fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (a, b) => {
			expect(decodeByteString(toByteString(a))).toBe(a);
			const points = (text: string) => [...text].map((symbol) => String(symbol.codePointAt(0)).padStart(7, "0")).join();
			expect(toByteString(a) < toByteString(b)).toBe(points(a) < points(b));
		}),
	);
	expect(decodeByteString(toByteString("a\ud800\udbff😀\udfffé"))).toBe("a\ud800\udbff😀\udfffé");
});

test.each([
	["0", "0"],
	["-0", "0"],
	["0.000e99", "0"],
	["1.0", "1"],
	["-12.50", "-12.5"],
	["1e3", "1000"],
	["1000e-3", "1"],
	["0.001", "0.001"],
	["5E-3", "0.005"],
	["12345678901234567890", "12345678901234567890"],
	["1e400", "1e400"],
	["10.0e399", "1e400"],
	["-1.5e-300", "-15e-301"],
	["1e0000000000000000000001", "10"],
	["1e99999999999999999999", "1e99999999999999999999"],
	["10e99999999999999999999", "1e100000000000000000000"],
	["1.5e-99999999999999999999", "15e-100000000000000000000"],
	[`1${"0".repeat(39)}`, `1${"0".repeat(39)}`],
	[`1${"0".repeat(40)}`, "1e40"],
	[`0.${"0".repeat(39)}1`, `0.${"0".repeat(39)}1`],
	[`0.${"0".repeat(40)}1`, "1e-41"],
	[`1e${"9".repeat(1001)}`, undefined],
])("%s is %s", (token, canonical) => {
	expect(canonicalizeNumber(token)).toBe(canonical);
	if (canonical !== undefined) expect(canonicalizeNumber(canonical)).toBe(canonical);
});
