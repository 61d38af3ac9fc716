/**
 * Reads CSV and XLSX files of rows within limits, distinguished by their first bytes, and writes
 * empty sheets.
 */
import { isUtf8 } from "node:buffer";
import { inflateRawSync } from "node:zlib";
import type { FileTable, InputRow } from "@weft/contracts";
import { type NamedColumn, withoutGuard } from "@weft/contracts/spreadsheet";
import type { Sheet } from "hucre/xlsx";
import { csvLine } from "../../../../platform/csv.ts";
import { quoteProblem } from "../domain/csv-quotes.ts";
import { shownCell } from "../domain/sheet-cells.ts";
import { rowsOfTable, sheetTitles, type Table, type TableCell, TableProblem, textsOfTable } from "../domain/tables.ts";

export interface SheetColumns {
	/** Null where the template has one sheet only. */
	readonly name: string | null;
	readonly columns: readonly NamedColumn[];
}

const ZIP = Buffer.from("PK\u0003\u0004");
const ENTRIES_MAX = 2_000;
/** All parts of a workbook, unpacked. */
const UNPACKED_MAX = 200 * 1024 * 1024;
const CELLS_MAX = 2_000_000;
const UNPACKED_MB = 200;
const BROKEN = "The file is no workbook (XLSX) that can be read, and no CSV.";

/**
 * Unpacks every part once, within a bound, before anything is made of it: what an archive says of
 * its own sizes may be wrong. PKWARE APPNOTE 6.3, sections 4.3.7, 4.3.12 and 4.3.16.
 */
function refuseBombs(zip: Buffer): void {
	const end = zip.lastIndexOf(Buffer.from("PK\u0005\u0006"));
	if (end < 0 || end + 22 > zip.length) throw new TableProblem(BROKEN);
	const count = zip.readUInt16LE(end + 10);
	if (count > ENTRIES_MAX) throw new TableProblem(`The workbook has more than ${ENTRIES_MAX} parts.`);
	let at = zip.readUInt32LE(end + 16);
	let left = UNPACKED_MAX;
	for (let entry = 0; entry < count; entry++) {
		if (at + 46 > zip.length || zip.readUInt32LE(at) !== 0x02014b50) throw new TableProblem(BROKEN);
		const [method, packed, unpacked] = [
			zip.readUInt16LE(at + 10),
			zip.readUInt32LE(at + 20),
			zip.readUInt32LE(at + 24),
		];
		const header = zip.readUInt32LE(at + 42);
		if (header + 30 > zip.length) throw new TableProblem(BROKEN);
		const start = header + 30 + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28);
		if (start + packed > zip.length) throw new TableProblem(BROKEN);
		left -= Math.max(unpacked, method === 8 ? sizeOf(zip.subarray(start, start + packed), left) : packed);
		if (left < 0) throw new TableProblem(`The workbook has more than ${UNPACKED_MB} MB once it is unpacked.`);
		at += 46 + zip.readUInt16LE(at + 28) + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
	}
}

function sizeOf(packed: Buffer, most: number): number {
	try {
		return inflateRawSync(packed, { maxOutputLength: Math.max(1, most) }).length;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") return most + 1;
		throw new TableProblem(BROKEN);
	}
}

function boundCells(tables: readonly { readonly length: number }[][]): void {
	const cells = tables.reduce((sum, table) => sum + table.reduce((n, line) => n + line.length, 0), 0);
	if (cells > CELLS_MAX) throw new TableProblem(`The file has more than ${CELLS_MAX} cells.`);
}

async function readCsv(bytes: Buffer, maxRows: number): Promise<Table> {
	if (!isUtf8(bytes)) throw new TableProblem("The CSV is not UTF-8. Save it as “CSV UTF-8”.");
	const { detectDelimiter, parseCsv, stripBom } = await import("hucre/csv");
	const text = stripBom(bytes.toString("utf8"));
	const delimiter = detectDelimiter(text);
	const problem = quoteProblem(text, delimiter);
	if (problem !== null) throw new TableProblem(problem);
	const table = parseCsv(text, { delimiter, typeInference: false, maxRows: maxRows + 2 });
	boundCells([table]);
	// Without type inference every cell is a text.
	return table.map((line) => line.map((cell) => withoutGuard(String(cell ?? ""))));
}

async function rowsOfCsv(bytes: Buffer, sheets: readonly SheetColumns[], maxRows: number): Promise<InputRow[][]> {
	const [only] = sheets;
	if (sheets.length !== 1 || only === undefined) {
		throw new TableProblem("The template has several sheets: a CSV holds one. Upload a workbook (XLSX).");
	}
	return [rowsOfTable(await readCsv(bytes, maxRows), only.columns, "", maxRows)];
}

async function readWorkbook(bytes: Buffer, maxRows: number): Promise<Sheet[]> {
	refuseBombs(bytes);
	const { readXlsx } = await import("hucre/xlsx");
	const workbook = await readXlsx(bytes, { maxRows: maxRows + 2, readStyles: true }).catch((error: unknown) => {
		throw new TableProblem(`${BROKEN} ${error instanceof Error ? error.message : ""}`.trim().slice(0, 300));
	});
	boundCells(workbook.sheets.map(({ rows }) => rows));
	return workbook.sheets;
}

async function rowsOfWorkbook(bytes: Buffer, sheets: readonly SheetColumns[], maxRows: number): Promise<InputRow[][]> {
	const found = await readWorkbook(bytes, maxRows);
	if (sheets.length === 1 && sheets[0] !== undefined) {
		const titled = found.find(
			({ name }) => name.toLowerCase() === sheetTitles([sheets[0]?.name ?? null])[0]?.toLowerCase(),
		);
		const sheet = titled ?? found[0];
		return [rowsOfTable(sheet === undefined ? [] : tableOf(sheet), sheets[0].columns, "", maxRows)];
	}
	const titles = sheetTitles(sheets.map(({ name }) => name));
	const stranger = found.find(({ name }) => !titles.some((title) => title.toLowerCase() === name.toLowerCase()));
	if (stranger !== undefined) {
		throw new TableProblem(`The template has no sheet "${stranger.name}". It has: ${titles.join(", ")}.`);
	}
	return sheets.map(({ columns }, index) => {
		const title = titles[index] ?? "";
		const sheet = found.find(({ name }) => name.toLowerCase() === title.toLowerCase());
		return rowsOfTable(sheet === undefined ? [] : tableOf(sheet), columns, title, maxRows);
	});
}

/** The cells of a sheet as they are shown. @throws TableProblem at the first that cannot be read */
function tableOf({ name, rows, cells }: Sheet): Table {
	return rows.map((line, row) =>
		line.map((value, column): TableCell => {
			const cell = cells?.get(`${row},${column}`);
			if (cell === undefined && !(value instanceof Date)) return value;
			const shown = shownCell({
				value,
				hasFormula: cell?.formula !== undefined,
				isError: cell?.type === "error",
				format: cell?.style?.numFmt ?? null,
			});
			if ("problem" in shown) {
				throw new TableProblem(`Sheet "${name}": the cell ${columnLetters(column)}${row + 1} ${shown.problem}`);
			}
			return shown.value;
		}),
	);
}

/** A for 0, Z for 25, AA for 26. */
function columnLetters(column: number): string {
	const last = String.fromCharCode(65 + (column % 26));
	return column < 26 ? last : columnLetters(Math.floor(column / 26) - 1) + last;
}

/** Rows by sheet, in the order of the sheets. @throws TableProblem */
export async function readRows(
	bytes: Uint8Array,
	sheets: readonly SheetColumns[],
	maxRows: number,
): Promise<InputRow[][]> {
	const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	return isZip(buffer) ? rowsOfWorkbook(buffer, sheets, maxRows) : rowsOfCsv(buffer, sheets, maxRows);
}

const isZip = (bytes: Buffer): boolean => bytes.subarray(0, 4).equals(ZIP);

/** The tables of a file, whatever their columns are. @throws TableProblem */
export async function readTables(bytes: Uint8Array, maxRows: number): Promise<FileTable[]> {
	const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	if (!isZip(buffer)) {
		return [{ name: null, rows: textsOfTable(await readCsv(buffer, maxRows), maxRows), problem: null }];
	}
	return (await readWorkbook(buffer, maxRows)).map((sheet) => {
		try {
			return { name: sheet.name, rows: textsOfTable(tableOf(sheet), maxRows), problem: null };
		} catch (error) {
			if (!(error instanceof TableProblem)) throw error;
			return { name: sheet.name, rows: [], problem: error.message };
		}
	});
}

/** A workbook with a sheet for each, the first line of which names the columns. */
export async function emptyWorkbook(sheets: readonly SheetColumns[]): Promise<Uint8Array> {
	const titles = sheetTitles(sheets.map(({ name }) => name));
	const written = sheets.map(({ columns }, index) => ({
		name: titles[index] ?? "",
		rows: [columns.map((column) => column.name)],
	}));
	// Loaded when the first workbook is asked for: every start would wait for it.
	const { writeXlsx } = await import("hucre/xlsx");
	const output = await writeXlsx({ sheets: written });
	return output;
}

export const emptyCsv = ({ columns }: SheetColumns): string => csvLine(columns.map(({ name }) => name));
