/** Filter escaping: no input changes the structure of a search. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildFilter, escapeFilter } from "./filter.ts";

describe("filters", () => {
	it.each([
		["ada", "ada"],
		["*", "\\2a"],
		["a)(uid=*", "a\\29\\28uid=\\2a"],
		["a\\b", "a\\5cb"],
		["a\0b", "a\\00b"],
		["Łuk", "\\c5\\81uk"],
		["{dn}", "{dn}"],
	])("escape %j", (value, escaped) => expect(escapeFilter(value)).toBe(escaped));

	it("keep what they were whatever is put in", () => {
		fc.assert(
			fc.property(fc.string({ unit: "grapheme" }), (value) => {
				const filter = buildFilter("(&(objectClass=person)(uid={username}))", { username: value });
				const inner = filter.slice("(&(objectClass=person)(uid=".length, -2);
				expect(inner).toMatch(/^(?:[^\\*()\0]|\\[0-9a-f]{2})*$/);
				const bytes = inner.replace(/\\([0-9a-f]{2})|(.)/g, (_, hex, plain) => hex ?? plain.charCodeAt(0).toString(16));
				expect(Buffer.from(bytes, "hex").toString()).toBe(Buffer.from(value).toString());
			}),
		);
	});

	it("do not look for names inside of values", () => {
		expect(buildFilter("(|(member={dn})(memberUid={username}))", { dn: "{username}", username: "a" })).toBe(
			"(|(member={username})(memberUid=a))",
		);
	});
});
