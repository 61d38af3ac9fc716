import fc from "fast-check";
import { expect, it } from "vitest";
import { parseExact } from "./exact-json.ts";

it("keeps every digit of a number that a double does not hold, as text", () => {
	const text =
		'{"a":12345678901234567890,"b":[-5188146770752724441, 1.5],"c":0.12345678901234567891,"d":1e400,"e":9007199254740991}';
	expect(parseExact(text)).toEqual({
		a: "12345678901234567890",
		b: ["-5188146770752724441", 1.5],
		c: "0.12345678901234567891",
		d: "1e400",
		e: 9007199254740991,
	});
});

it("changes no text, also one that looks like a number", () => {
	const value = { 'x":12345678901234567890': 'y\\",:12345678901234567890', "2024:1e999": ["[1234567890123456789]", 1] };
	expect(parseExact(JSON.stringify(value))).toEqual(value);
});

it("is JSON.parse where doubles hold all numbers", () => {
	fc.assert(
		fc.property(fc.json(), (text) => {
			expect(parseExact(text)).toEqual(JSON.parse(text));
		}),
	);
	expect(() => parseExact('{"a":123456789012345678901,}')).toThrow(SyntaxError);
});
