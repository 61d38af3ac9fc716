/**
 * Tables of a spreadsheet as rows of a template: the first line names the columns, and every cell
 * that is not empty is one of a row.
 */
import type { InputRow } from "@weft/contracts";
import { matchHeads, type NamedColumn } from "@weft/contracts/spreadsheet";

/** What a cell may hold once it is read. */
export type TableCell = string | number | boolean | null;
export type Table = readonly (readonly TableCell[])[];

/** A problem of an uploaded file, worded for its author. */
export class TableProblem extends Error {
	override readonly name = "TableProblem";
}

const isBlank = (cell: TableCell | undefined): boolean =>
	cell === null || cell === undefined || (typeof cell === "string" && cell.trim() === "");

/**
 * The name of a sheet as Excel allows it: 31 characters, none of `[]:*?/\`, no apostrophe at the
 * ends.
 */
function readSheetTitle(name: string | null, index: number): string {
	const title = (name ?? "Rows")
		.replace(/[[\]:*?/\\]/g, " ")
		.slice(0, 31)
		.toWellFormed()
		.replace(/^'+|'+$/g, "")
		.trim();
	return title === "" ? `Sheet ${index + 1}` : title;
}

/** Titles of all sheets, no two the same in any case of letters. */
export function readSheetTitles(names: readonly (string | null)[]): string[] {
	const taken = new Set<string>();
	return names.map((name, index) => {
		let title = readSheetTitle(name, index);
		for (let n = 2; taken.has(title.toLowerCase()); n++) title = `${readSheetTitle(name, index).slice(0, 27)} ${n}`;
		taken.add(title.toLowerCase());
		return title;
	});
}

/** The lines with a cell that is not empty. */
const listFilledLines = (table: Table): Table => table.filter((line) => line.some((cell) => !isBlank(cell)));

const findExcessProblem = (at: string, rows: number, maxRows: number): TableProblem =>
	new TableProblem(`${at}it has ${rows} rows; at most ${maxRows} are taken.`);

/** The lines of a table as texts. @throws TableProblem for too many lines */
export function readTextsOfTable(table: Table, maxRows: number): string[][] {
	const lines = listFilledLines(table);
	if (lines.length > maxRows + 1) throw findExcessProblem("", lines.length - 1, maxRows);
	return lines.map((line) => line.map((cell) => (cell === null ? "" : String(cell))));
}

/**
 * @param place named in problems; empty where there is one sheet only
 * @throws TableProblem
 */
export function readRowsOfTable(
	table: Table,
	columns: readonly NamedColumn[],
	place: string,
	maxRows: number,
): InputRow[] {
	const at = place === "" ? "" : `Sheet "${place}": `;
	const [header, ...rest] = listFilledLines(table);
	if (header === undefined) return [];
	/** Numbers of the lines as a spreadsheet shows them. */
	const numbers = table.flatMap((line, index) => (line.some((cell) => !isBlank(cell)) ? [index + 1] : [])).slice(1);
	const heads = header.map((cell) => (isBlank(cell) ? "" : String(cell).trim()));
	const matches = matchHeads(heads, columns);
	const seen = new Set<string>();
	for (const [position, head] of heads.entries()) {
		if (head === "") continue;
		const isMatched = matches[position] !== -1;
		if (seen.has(head) || (!isMatched && seen.has(head.toLowerCase()))) {
			throw new TableProblem(`${at}the column "${head}" is there twice.`);
		}
		if (!isMatched) {
			const known = columns.slice(0, 20).map(({ name }) => name);
			throw new TableProblem(`${at}the template has no column "${head.slice(0, 100)}". It has: ${known.join(", ")}.`);
		}
		seen.add(head).add(head.toLowerCase());
	}
	if (rest.length > maxRows) throw findExcessProblem(at, rest.length, maxRows);
	return rest.map((line, index) => {
		const row: InputRow = {};
		for (const [position, cell] of line.entries()) {
			if (isBlank(cell)) continue;
			const column = columns[matches[position] ?? -1]?.name;
			if (column === undefined) {
				throw new TableProblem(`${at}row ${numbers[index]} has a cell beside the columns that the first line names.`);
			}
			Object.defineProperty(row, column, { value: cell, enumerable: true, configurable: true, writable: true });
		}
		return row;
	});
}
