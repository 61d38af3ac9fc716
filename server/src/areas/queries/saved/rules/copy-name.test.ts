import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { copyNames, copyPrefix } from "./copy-name.ts";

const listFirstNames = (name: string, count: number, max = 200) => {
	const names = copyNames(name, max);
	return Array.from({ length: count }, () => names.next().value);
};

describe("names of copies", () => {
	it("are numbered from the second on", () => {
		expect(listFirstNames("Tenants", 3)).toEqual(["Tenants (Copy)", "Tenants (Copy 2)", "Tenants (Copy 3)"]);
		expect(listFirstNames("Tenants (Copy)", 1)).toEqual(["Tenants (Copy) (Copy)"]);
	});

	it("are cut, but never within a character", () => {
		expect(listFirstNames("abcdefgh", 2, 12)).toEqual(["abcde (Copy)", "abc (Copy 2)"]);
		expect(listFirstNames("abcd😀fgh", 1, 12)).toEqual(["abcd (Copy)"]);
		expect(listFirstNames("abc d efgh", 1, 11)).toEqual(["abc (Copy)"]);
	});

	it("are distinct, well-formed, within the limit, and begin alike", () => {
		fc.assert(
			fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 200 }), (text) => {
				const name = text.slice(0, 200).toWellFormed();
				const names = listFirstNames(name, 20);
				expect(new Set(names).size).toBe(20);
				for (const copy of names) {
					expect(copy.length).toBeLessThanOrEqual(200);
					expect(copy.isWellFormed()).toBe(true);
					expect(copy.startsWith(copyPrefix(name, 200))).toBe(true);
				}
			}),
		);
	});
});
