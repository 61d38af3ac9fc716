/** Columns of a file or of pasted text, mapped to those of a template. */
import { describe, expect, it } from "vitest";
import {
	chooseTables,
	findDoubled,
	hasHeadLine,
	listValueRows,
	mapTitleColumns,
	needsMap,
	putMapped,
	suggestMap,
} from "./column-map.ts";
import type { Column } from "./grid-model.ts";

const COLUMNS: readonly Column[] = [
	{ name: "name", label: "Tenant", field_type: "text", required: true },
	{ name: "vlan", label: "VLAN", field_type: "vlan", required: false },
	{ name: "exit_code", field_type: "number", required: false },
];
const TABLE = [
	["Exit-Code", " tenant ", "Owner", ""],
	["0", "shop", "me"],
	["1", "bank", "you", "beside"],
	["", "", ""],
];

describe("the columns of a table", () => {
	it("are mapped by the names of the first line, or by their order", () => {
		expect(suggestMap(TABLE, COLUMNS, true).targets).toEqual([2, 0, -1, -1]);
		expect(suggestMap(TABLE, COLUMNS, false, 1).targets).toEqual([1, 2, -1, -1]);
		expect(mapTitleColumns(TABLE, true)).toEqual(["Exit-Code", "tenant", "Owner", "Column 4"]);
		expect(listValueRows(TABLE, true)).toEqual([TABLE[1], TABLE[2]]);
	});

	it("have a line of names if one cell is a name and no value of its own", () => {
		expect(hasHeadLine(TABLE, COLUMNS)).toBe(true);
		expect(hasHeadLine([["name"], ["shop"]], COLUMNS)).toBe(true);
		expect(hasHeadLine([["shop"], ["bank"]], COLUMNS)).toBe(false);
		// As values the first line breaks no rule, but the second does.
		expect(
			hasHeadLine(
				[
					["name", "7"],
					["shop", "many"],
				],
				COLUMNS,
			),
		).toBe(false);
		expect(hasHeadLine([["name"]], COLUMNS)).toBe(false);
	});

	it("are asked about only where there is a choice", () => {
		expect(needsMap([["shop", "7"], ["bank"]], COLUMNS, 0)).toBe(false);
		expect(needsMap([["Tenant"]], COLUMNS, 0)).toBe(false);
		expect(needsMap([["Tenant"], ["shop"]], COLUMNS, 0)).toBe(true);
		expect(needsMap([["7", "0", "more"]], COLUMNS, 1)).toBe(true);
		expect(needsMap([["7", "0", " "]], COLUMNS, 1)).toBe(false);
	});

	it("fill a column once, and leave the others as they are", () => {
		expect(findDoubled([0, -1, 0, -1, 1])).toEqual([0]);
		expect(putMapped([["a", "1", "x"]], 0, [["7", "b"], ["8"]], [1, -1], 3)).toEqual([
			["a", "7", "x"],
			["", "8", ""],
		]);
		expect(putMapped([], 1, [["b"]], [0], 2)).toEqual([
			["", ""],
			["b", ""],
		]);
	});
});

describe("the sheets of a file", () => {
	const sheet = (name: string | null) => ({ name, columns: COLUMNS });
	const table = (name: string | null, head = "x") => ({ name, rows: [[head]] });

	it("are those of the same names, else the one that fits best", () => {
		const two = [sheet("A/B"), sheet("Ports")];
		expect(chooseTables([table("ports"), table("a b")], two, 0)).toEqual([1, 0]);
		expect(chooseTables([table("other"), table("more")], two, 0)).toEqual([-1, -1]);
		expect(chooseTables([table(null)], two, 1)).toEqual([-1, 0]);
		expect(chooseTables([table("Notes"), table("Plan", "VLAN")], [sheet(null)], 0)).toEqual([1]);
		expect(chooseTables([table("Notes", "VLAN"), table("Rows")], [sheet(null)], 0)).toEqual([1]);
	});
});
