/**
 * Tables of a spreadsheet as rows of a template: the first line names the columns, and every cell
 * that is not empty is one of a row.
 */
import type { InputRow } from "@weft/contracts";

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
function sheetTitle(name: string | null, index: number): string {
	const title = (name ?? "Rows")
		.replace(/[[\]:*?/\\]/g, " ")
		.slice(0, 31)
		.toWellFormed()
		.replace(/^'+|'+$/g, "")
		.trim();
	return title === "" ? `Sheet ${index + 1}` : title;
}

/** Titles of all sheets, no two the same in any case of letters. */
export function sheetTitles(names: readonly (string | null)[]): string[] {
	const taken = new Set<string>();
	return names.map((name, index) => {
		let title = sheetTitle(name, index);
		for (let n = 2; taken.has(title.toLowerCase()); n++) title = `${sheetTitle(name, index).slice(0, 27)} ${n}`;
		taken.add(title.toLowerCase());
		return title;
	});
}

/**
 * @param place named in problems; empty where there is one sheet only
 * @throws TableProblem
 */
export function rowsOfTable(table: Table, columns: readonly string[], place: string, maxRows: number): InputRow[] {
	const at = place === "" ? "" : `Sheet "${place}": `;
	const lines = table.filter((line) => line.some((cell) => !isBlank(cell)));
	const [header, ...rest] = lines;
	if (header === undefined) return [];
	const names = header.map((cell) => (isBlank(cell) ? null : String(cell).trim()));
	const byName = new Map(columns.map((column) => [column.trim(), column]));
	const seen = new Set<string>();
	for (const name of names) {
		if (name === null) continue;
		if (!byName.has(name)) {
			const known = columns.slice(0, 20).join(", ");
			throw new TableProblem(`${at}the template has no column "${name.slice(0, 100)}". It has: ${known}.`);
		}
		if (seen.has(name)) throw new TableProblem(`${at}the column "${name}" is there twice.`);
		seen.add(name);
	}
	if (rest.length > maxRows) {
		throw new TableProblem(`${at}it has ${rest.length} rows; at most ${maxRows} are taken.`);
	}
	return rest.map((line, index) => {
		const row: InputRow = {};
		for (const [position, cell] of line.entries()) {
			if (isBlank(cell)) continue;
			const name = names[position];
			const column = name === null || name === undefined ? undefined : byName.get(name);
			if (column === undefined) {
				throw new TableProblem(`${at}row ${index} has a cell beside the columns that the first line names.`);
			}
			Object.defineProperty(row, column, { value: cell, enumerable: true, configurable: true, writable: true });
		}
		return row;
	});
}
