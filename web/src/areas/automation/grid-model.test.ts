/** The input table: pasted text, edits and undo, rules, and findings by cell. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseTable } from "../../platform/parse-table.ts";
import {
	beginGrid,
	type Column,
	clearRange,
	editGrid,
	fillDown,
	findLocalProblems,
	formatConstant,
	formatTsv,
	getInput,
	placeErrors,
	putBlock,
	readConstant,
	redoGrid,
	repeatBlock,
	undoGrid,
} from "./grid-model.ts";

const createColumn = (name: string, more: Partial<Column> = {}): Column => ({
	name,
	field_type: "text",
	required: false,
	...more,
});
const COLUMNS = [
	createColumn("name", { required: true }),
	createColumn("vlan", { field_type: "vlan" }),
	createColumn("env", { field_type: "enum", choices: ["prod", "test"] }),
];
const createPosition = (row: number, c: number) => ({ row, column: c });

describe("pasted text", () => {
	it("comes back from the clipboard as it went, whatever is in it", () => {
		const cells = fc.array(fc.array(fc.string(), { minLength: 2, maxLength: 2 }), { minLength: 1, maxLength: 4 });
		fc.assert(
			fc.property(cells, (block) => {
				const text = formatTsv(block, { from: createPosition(0, 0), to: createPosition(block.length - 1, 1) });
				// Without its line break an empty last line would be the end of the text.
				expect(parseTable(`${text}\n`)).toEqual(block.map((row) => row.map((cell) => cell)));
			}),
		);
	});

	it("is tabs, semicolons or commas, quoted or not", () => {
		expect(parseTable('a\tb\r\n"c\nd"\t"e ""x"""')).toEqual([
			["a", "b"],
			["c\nd", 'e "x"'],
		]);
		expect(parseTable("a;b,c\n1;2\n")).toEqual([
			["a", "b,c"],
			["1", "2"],
		]);
		expect(parseTable("a,b")).toEqual([["a", "b"]]);
		expect(parseTable("one column\nonly")).toEqual([["one column"], ["only"]]);
	});

	it("keeps quotes and commas that separate nothing", () => {
		expect(parseTable('"A" rack\t5" disk\n"open\tb\n')).toEqual([
			['"A" rack', '5" disk'],
			['"open', "b"],
		]);
		expect(parseTable("prod, test\nlab, dev\n")).toEqual([["prod, test"], ["lab, dev"]]);
		expect(parseTable('"a, b\nc"\td\t\r\n')).toEqual([["a, b\nc", "d", ""]]);
	});

	it("fills a selected range that is a multiple of it", () => {
		expect(repeatBlock([["x", "y"]], { from: createPosition(3, 1), to: createPosition(2, 0) })).toEqual([
			["x", "y"],
			["x", "y"],
		]);
		expect(repeatBlock([["x"], ["y"]], { from: createPosition(0, 0), to: createPosition(2, 0) })).toEqual([
			["x"],
			["y"],
		]);
	});
});

describe("a variable of the job", () => {
	it("keeps its type through a text field", () => {
		for (const value of [1, -2.5, true, null, [1, "a"], { a: 1 }, "text", ""])
			expect(readConstant(formatConstant(value))).toEqual(value);
		expect(readConstant("10.0.0.1")).toBe("10.0.0.1");
		expect(readConstant("[broken")).toBe("[broken");
	});
});

describe("edits", () => {
	it("grow the table, are undone and redone", () => {
		const begun = beginGrid([], 3);
		const pasted = editGrid(begun, putBlock(begun.now, createPosition(2, 1), [["1", "x", "cut"], ["2"]], 3), 3);
		expect(pasted.now.slice(2, 4)).toEqual([
			["", "1", "x"],
			["", "2", ""],
		]);
		expect(pasted.now.length).toBe(9);
		expect(undoGrid(pasted).now).toBe(begun.now);
		expect(redoGrid(undoGrid(pasted)).now).toBe(pasted.now);
	});

	it("fill down and clear a range, from whichever corner it was drawn", () => {
		const cells = [
			["a", "1"],
			["b", "2"],
			["c", "3"],
		];
		expect(fillDown(cells, { from: createPosition(2, 1), to: createPosition(0, 1) })).toEqual([
			["a", "1"],
			["b", "1"],
			["c", "1"],
		]);
		expect(fillDown(cells, { from: createPosition(1, 0), to: createPosition(1, 0) })[1]).toEqual(["a", "2"]);
		expect(clearRange(cells, { from: createPosition(2, 0), to: createPosition(1, 0) })).toEqual([
			["a", "1"],
			["", "2"],
			["", "3"],
		]);
	});
});

describe("what is sent", () => {
	const cells = [
		["", "", ""],
		["a", "7", ""],
		["", "", " "],
		["b", "", "test"],
	];

	it("leaves empty rows and cells out, and findings still meet their cells", () => {
		const { rows, gridRows } = getInput(cells, COLUMNS);
		expect(rows).toEqual([
			{ name: "a", vlan: "7" },
			{ name: "b", env: "test" },
		]);
		const error = { row: 1, column: "env", value: "test", message: "No.", sheet: null, allowed_values: ["prod"] };
		expect(placeErrors([error, { ...error, row: null, allowed_values: [] }], null, gridRows, COLUMNS)).toEqual([
			{ place: { row: 3, column: 2 }, message: "No. Allowed: prod" },
			{ place: null, message: "No." },
		]);
	});

	it("is checked at once as far as that can be", () => {
		const found = findLocalProblems(
			[
				["", "5000", "dev"],
				["a", "x", "prod"],
				["", "", ""],
			],
			COLUMNS,
		);
		expect(found.map(({ place, message }) => [place?.row, place?.column, message])).toEqual([
			[0, 0, "A value is required."],
			[0, 1, "Must be at most 4094."],
			[0, 2, "Must be one of the choices."],
			[1, 1, "Must be a number."],
		]);
	});
});
