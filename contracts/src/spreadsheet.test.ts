import fc from "fast-check";
import { expect, it } from "vitest";
import { formatCsvCell, guardText, matchHeads, withoutGuard } from "./spreadsheet.ts";

it.each(["=1", "+x", "-x", "@x", "\tx", "\rx", "\nx", "\n=1", "-1-1", "-2.357x", "+1 2", "--1", "-", "-1\n=2"])(
	"a spreadsheet does not run %j",
	(text) => {
		expect(guardText(text)).toBe(`'${text}`);
		expect(withoutGuard(guardText(text))).toBe(text);
	},
);

it.each(["-2.357", "+1", "-1", "-1.5e-3", "12", "a=1", " a", ""])("%j stays as it is", (text) => {
	expect(guardText(text)).toBe(text);
});

it("no cell begins with what runs, and each can be read back", () => {
	fc.assert(
		fc.property(fc.string({ unit: fc.constantFrom(..."=+-@'\"\t\r\n ,ab1") }), (text) => {
			const cell = formatCsvCell(text);
			const content = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
			expect(content === text || content === `'${text}`).toBe(true);
			expect(/^[=@\t\r\n]/.test(content)).toBe(false);
		}),
	);
});

it.each(["east;=HYPERLINK(1)", "east\t=HYPERLINK(1)", "east,=HYPERLINK(1)"])(
	"%j is one cell, whatever separator a spreadsheet expects",
	(text) => {
		expect(formatCsvCell(text)).toBe(`"${text}"`);
	},
);

it("heads name columns by name, by label, in any case and with other separators, each column once", () => {
	const columns = [{ name: "name", label: "Tenant" }, { name: "exit_code" }, { name: "Name" }, { name: "a b" }];
	expect(matchHeads(["Name", "name", "NAME"], columns)).toEqual([2, 0, -1]);
	expect(matchHeads([" TENANT ", "Exit-Code", "A_B", "other", ""], columns)).toEqual([0, 1, 3, -1, -1]);
	// Two columns fit equally well: neither is chosen.
	expect(matchHeads(["A B"], [{ name: "a_b" }, { name: "a-b" }])).toEqual([-1]);
});
