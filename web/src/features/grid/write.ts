/** Rows of the grid as files and for the clipboard. */
import { csvCell, guardText } from "@weft/contracts/spreadsheet";
import { type GridTable, textAt } from "./table.ts";

/** RFC 4180, with a line of names first. */
export function writeCsv(table: GridTable, rows: Int32Array, keys: readonly string[]): string {
	const columns = keys.flatMap((key) => table.byKey.get(key) ?? []);
	const lines = [columns.map(({ key }) => csvCell(key)).join(",")];
	for (const row of rows) lines.push(columns.map((column) => csvCell(textAt(column, row))).join(","));
	return `${lines.join("\r\n")}\r\n`;
}

/** For pasting into a spreadsheet. */
export function writeTsv(table: GridTable, rows: Int32Array, keys: readonly string[], names: boolean): string {
	const columns = keys.flatMap((key) => table.byKey.get(key) ?? []);
	const clean = (text: string) => guardText(text.replace(/[\t\r\n]+/g, " "));
	const lines = names ? [columns.map(({ key }) => key).join("\t")] : [];
	for (const row of rows) lines.push(columns.map((column) => clean(textAt(column, row))).join("\t"));
	return lines.join("\n");
}

/** The rows as the service sent them. */
export function writeJson(table: GridTable, rows: Int32Array): string {
	const lines: string[] = [];
	for (const row of rows) lines.push(table.lines[row] ?? "null");
	return `[\n${lines.join(",\n")}\n]\n`;
}
