/** Rows of the grid as files and for the clipboard. */
import { formatCsvCell, formatTsvLine } from "@weft/contracts/spreadsheet";
import { UserError } from "../../../platform/failures.ts";
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

/** Of a sheet of Excel. */
const MOST_SHEET_ROWS = 1_048_576;
const MOST_CELL_LETTERS = 32_767;
/** A workbook is made in memory: about 200 bytes a cell. */
const MOST_CELLS = 3_000_000;

/** A workbook with a line of names first. Numbers that a cell would change stay texts. */
export async function writeWorkbook(
	table: GridTable,
	rows: Int32Array,
	keys: readonly string[],
): Promise<Uint8Array<ArrayBuffer>> {
	const columns = keys.flatMap((key) => table.byKey.get(key) ?? []);
	if (rows.length >= MOST_SHEET_ROWS || rows.length * columns.length > MOST_CELLS)
		throw new UserError("These are too many cells for a workbook: hide columns, filter the rows, or save them as CSV.");
	const cells = [columns.map(({ key }): string | number => key)];
	for (const row of rows) {
		cells.push(
			columns.map((column) => {
				const text = getTextAt(column, row);
				if (text.length > MOST_CELL_LETTERS)
					throw new UserError(`A value of ${column.key} is too long for a cell: save the rows as CSV.`);
				return text !== "" && String(Number(text)) === text ? Number(text) : text;
			}),
		);
	}
	const { writeXlsx } = await import("hucre/xlsx");
	return (await writeXlsx({ sheets: [{ name: "Rows", rows: cells }] })) as Uint8Array<ArrayBuffer>;
}

/** The rows as the service sent them. */
export function writeJson(table: GridTable, rows: Int32Array): string {
	const lines: string[] = [];
	for (const row of rows) lines.push(table.lines[row] ?? "null");
	return `[\n${lines.join(",\n")}\n]\n`;
}
