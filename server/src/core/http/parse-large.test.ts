import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PIECE_BYTES, parseLargeJson } from "./parse-large.ts";

const parseText = (text: string) => parseLargeJson(Buffer.from(text), { maxDepth: 100, visit: () => undefined });
/** White space that makes pieces of the neighbours. */
const GAP = " ".repeat(PIECE_BYTES);
const LONG = "x".repeat(PIECE_BYTES);

describe("a large body", () => {
	it.each([
		["a list", `[1,${GAP}2,[3],{"a":"]"},"[",${GAP}"\\"",null]`],
		["an object", `{"a":1,${GAP}"b\\"":[1,2],${GAP}"c":{"d":"${LONG}"},"e":"}"}`],
		["one large member", `{"name" : ${GAP}[{"a":[${GAP}1]}${GAP}]}`],
		["large texts", `["${LONG}","\\\\${LONG}\\\\"]`],
		["the same name twice", `{"a":1,${GAP}"b":2,${GAP}"a":3}`],
		["a member named __proto__", `{"__proto__":{"x":1},${GAP}"a":{"__proto__":${GAP}1}}`],
		["an empty list", `[${GAP}]`],
		["an empty object", `{"a":{${GAP}}}`],
		["a text", `"${LONG}"`],
	])("of %s is what JSON.parse makes of it", async (_name, text) => {
		const value = await parseText(text);
		expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
		expect({}).not.toHaveProperty("x");
	});

	it.each([
		["a comma at the end", `[1,${GAP}2,]`],
		["a comma at the end of a piece", `[1,${GAP},2]`],
		["two commas", `[${GAP}1${GAP},,2]`],
		["a comma at the start", `[,${GAP}1]`],
		["a missing comma", `[${GAP}1 2${GAP}]`],
		["a missing value", `{"a":${GAP}}`],
		["a missing name", `{${GAP}:1}`],
		["a missing colon", `{"a"${GAP} 1}`],
		["a number as a name", `{1:"${LONG}"}`],
		["the wrong bracket", `[${GAP}1}`],
		["an open bracket", `[[${GAP}1]`],
		["an open text", `["${LONG}`],
		["something at the end", `[${GAP}1] 2`],
		["a second list", `[${GAP}1][${GAP}1]`],
		["members in a list", `[${GAP}"a":1,${GAP}2]`],
		["elements in an object", `{"a",${GAP}"b"}`],
		["a control character", `["a\n",${GAP}1]`],
	])("with %s is refused", async (_name, text) => {
		expect(() => JSON.parse(text)).toThrow();
		await expect(parseText(text)).rejects.toThrow(SyntaxError);
	});

	it("that is nested too deeply is refused", async () => {
		await expect(parseText(`${"[".repeat(101)}${GAP}${"]".repeat(101)}`)).rejects.toThrow(RangeError);
		await expect(parseText(`${"[".repeat(100)}${GAP}${"]".repeat(100)}`)).resolves.toBeDefined();
	});

	it("with a text that is too long is refused", async () => {
		await expect(parseText(`{"a":"${"x".repeat(16 * 1024 ** 2)}"}`)).rejects.toThrow(/a text of more than 16 MB/);
	});

	it("of any content is what JSON.parse makes of it, and is refused where that refuses it", async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.json(),
				fc.nat(),
				fc.constantFrom("", ",", "]", "}", "{", '"', ":"),
				async (json, place, extra) => {
					const at = place % (json.length + 1);
					const text = `[${GAP}${json},{"k":${json.slice(0, at)}${extra}${json.slice(at)}},"${LONG}"]`;
					let expected: unknown;
					try {
						expected = JSON.parse(text);
					} catch {
						await expect(parseText(text)).rejects.toThrow(SyntaxError);
						return;
					}
					expect(JSON.stringify(await parseText(text))).toBe(JSON.stringify(expected));
				},
			),
			{ numRuns: 100 },
		);
	});

	it("of an object with too many members is refused", async () => {
		const members = (count: number) => `{${Array.from({ length: count }, (_, index) => `"k${index}":1`).join(",")}}`;
		expect(Object.keys((await parseText(members(100_000))) as object)).toHaveLength(100_000);
		await expect(parseText(members(100_001))).rejects.toThrow("more than 100,000 members");
	});
});
