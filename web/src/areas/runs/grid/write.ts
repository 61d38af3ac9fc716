/** Rows of the grid as files and for the clipboard. */
import { formatCsvCell, formatTsvLine } from "@weft/contracts/spreadsheet";
import type { Sheet } from "../../../platform/workbook.ts";
import { type GridTable, getTextAt } from "./table.ts";

/** RFC 4180, with a line of names first. */
export function writeCsv(table: GridTable, rows: Int32Array, keys: readonly string[]): string {
	const columns = keys.flatMap((key) => table.byKey.get(key) ?? []);
	const lines = [columns.map(({ key }) => formatCsvCell(key)).join(",")];
	for (const row of rows) lines.push(columns.map((column) => formatCsvCell(getTextAt(column, row))).join(","));
	return `${lines.join("\r\n")}\r\n`;
}

/** For pasting into a spreadsheet. */
export function writeTsv(table: GridTable, rows: Int32Array, keys: readonly string[], names: boolean): string {
	const columns = keys.flatMap((key) => table.byKey.get(key) ?? []);
	const lines = names ? [formatTsvLine(columns.map(({ key }) => key))] : [];
	for (const row of rows) lines.push(formatTsvLine(columns.map((column) => getTextAt(column, row))));
	return lines.join("\n");
}

/** Rows as a sheet of a workbook. */
export function readSheet(table: GridTable, rows: Int32Array, keys: readonly string[]): Sheet {
	const columns = keys.flatMap((key) => table.byKey.get(key) ?? []);
	return {
		name: "Rows",
		columns: columns.map(({ key }) => key),
		count: rows.length,
		row: (at) => columns.map((column) => getTextAt(column, rows[at] ?? 0)),
	};
}

/** The rows as the service sent them. */
export function writeJson(table: GridTable, rows: Int32Array): string {
	const lines: string[] = [];
	for (const row of rows) lines.push(table.lines[row] ?? "null");
	return `[\n${lines.join(",\n")}\n]\n`;
}
