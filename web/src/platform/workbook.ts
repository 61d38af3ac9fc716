/** Excel workbooks of rows, made in the browser. */
import { CELL_LETTERS_MAX, formatCsvCell, readSheetCell } from "@weft/contracts/spreadsheet";
import { UserError } from "./failures.ts";
import { saveFile } from "./save-file.ts";

export interface Sheet {
	/** At most 31 characters, without : \ / ? * [ ]. */
	readonly name: string;
	readonly columns: readonly string[];
	readonly count: number;
	/** The texts of one row, by the order of the columns. */
	row(at: number): readonly string[];
}

const XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
/** Of a sheet of Excel. */
const MOST_SHEET_ROWS = 1_048_576;
/** A workbook is made in memory: about 200 bytes a cell. */
const MOST_CELLS = 3_000_000;
/** Widths of columns, in letters. */
const WIDTHS = { least: 8, most: 60 };

/**
 * Each sheet has a bold head that stays in view, a filter, and columns as wide as their texts.
 * Numbers that a cell would change stay texts; an empty text is an empty cell.
 * @throws UserError for more cells, or a longer value, than a workbook takes
 */
export async function writeWorkbook(sheets: readonly Sheet[]): Promise<Uint8Array<ArrayBuffer>> {
	const cells = sheets.reduce((sum, { count, columns }) => sum + count * columns.length, 0);
	if (cells > MOST_CELLS || sheets.some(({ count }) => count >= MOST_SHEET_ROWS))
		throw new UserError("These are too many cells for a workbook: hide columns, filter the rows, or save them as CSV.");
	const { writeXlsx } = await import("hucre/xlsx");
	return (await writeXlsx({ sheets: sheets.map(buildSheet) })) as Uint8Array<ArrayBuffer>;
}

function buildSheet({ name, columns, count, row }: Sheet) {
	const widths = columns.map(({ length }) => length);
	const rows: (string | number | null)[][] = [[...columns]];
	for (let at = 0; at < count; at++) {
		rows.push(
			row(at).map((text, column) => {
				if (text.length > CELL_LETTERS_MAX)
					throw new UserError(`A value of ${columns[column]} is too long for a cell: save the rows as CSV.`);
				widths[column] = Math.max(widths[column] ?? 0, text.length);
				return text === "" ? null : readSheetCell(text);
			}),
		);
	}
	const head = columns.map(
		(text, column) => [`0,${column}`, { value: text, style: { font: { bold: true } } }] as const,
	);
	return {
		name,
		rows,
		cells: new Map(head),
		columns: widths.map((width) => ({ width: Math.min(WIDTHS.most, Math.max(WIDTHS.least, width + 2)) })),
		freezePane: { rows: 1 },
		...(columns.length > 0 ? { autoFilter: { range: `A1:${nameColumn(columns.length)}${count + 1}` } } : {}),
	};
}

/** The letters of a column of a sheet, of which the first is 1. */
function nameColumn(at: number): string {
	let letters = "";
	for (let rest = at; rest > 0; rest = Math.floor((rest - 1) / 26))
		letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
	return letters;
}

const listSheetRows = ({ count, row }: Sheet) => Array.from({ length: count }, (_, at) => row(at));

/** RFC 4180, with a line of names first. */
export function writeSheetAsCsv(sheet: Sheet): string {
	const lines = [sheet.columns, ...listSheetRows(sheet)];
	return `${lines.map((cells) => cells.map(formatCsvCell).join(",")).join("\r\n")}\r\n`;
}

/** Rows as objects with the names of the columns; each value is a text. */
export function writeSheetAsJson(sheet: Sheet): string {
	const rows = listSheetRows(sheet).map((cells) =>
		Object.fromEntries(sheet.columns.map((name, column) => [name, cells[column] ?? ""])),
	);
	return `${JSON.stringify(rows, null, 2)}\n`;
}

/** @param name without its ending */
export const saveWorkbook = (name: string, bytes: Uint8Array<ArrayBuffer>): void =>
	saveFile(`${name}.xlsx`, XLSX, bytes);

/** How many fabrics the name of a file lists. */
const MOST_NAMED = 3;

/**
 * The name of a file with rows: their query, their fabrics and their day, in characters that every
 * system takes.
 * @param day as YYYY-MM-DD; empty: unknown
 */
export function nameFile(query: string, fabrics: readonly string[] = [], day = ""): string {
	const named = fabrics.length > MOST_NAMED ? [`${fabrics.length} fabrics`] : fabrics;
	return [query, ...named, day]
		.join(" ")
		.trim()
		.replace(/[^\p{L}\p{N}_.-]+/gu, "-")
		.slice(0, 150);
}
