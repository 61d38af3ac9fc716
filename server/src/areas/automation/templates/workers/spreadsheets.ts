/**
 * Reads CSV and XLSX files of rows within limits, distinguished by their first bytes, and writes
 * empty sheets.
 */
import { isUtf8 } from "node:buffer";
import type { FileTable, InputRow } from "@weft/contracts";
import { type NamedColumn, withoutGuard } from "@weft/contracts/spreadsheet";
import type { Sheet } from "hucre/xlsx";
import { formatCsvLine } from "../../../../core/csv.ts";
import { findQuoteProblem } from "../rules/csv-quotes.ts";
import { formatShownCell } from "../rules/sheet-cells.ts";
import {
	readRowsOfTable,
	readSheetTitles,
	readTextsOfTable,
	type Table,
	type TableCell,
	TableProblem,
} from "../rules/tables.ts";
import { BROKEN_WORKBOOK, isZip, repairWorkbook } from "./workbook-parts.ts";

export interface SheetColumns {
	/** Null where the template has one sheet only. */
	readonly name: string | null;
	readonly columns: readonly NamedColumn[];
}

const CELLS_MAX = 2_000_000;
/** Row numbers that a note lists. */
const NOTED_ROWS = 10;
/** Excel's first line that names the delimiter of the others. */
const DELIMITER_LINE = /^"?sep=([^\r\n])"?(?:\r\n|\r|\n|$)/i;

/** What a file holds, and what its reader should know about it. */
interface ReadFile<Content> {
	readonly content: Content;
	readonly notes: readonly string[];
}

function limitCells(tables: readonly { readonly length: number }[][]): void {
	const cells = tables.reduce((sum, table) => sum + table.reduce((n, line) => n + line.length, 0), 0);
	if (cells > CELLS_MAX) throw new TableProblem(`The file has more than ${CELLS_MAX} cells.`);
}

/** Without the characters 26 with which DOS programs mark the end of a file. */
function withoutDosEnd(text: string): string {
	let end = text.length;
	while (text.charCodeAt(end - 1) === 26) end -= 1;
	return text.slice(0, end);
}

const DELIMITERS = [",", ";", "\t", "|"];

/**
 * The separator that is most frequent in the first line, outside of quoted cells; a comma where
 * there is none. A quote opens a cell at its start only, and is doubled within it (RFC 4180).
 */
function findDelimiter(text: string): string {
	const counts = new Map(DELIMITERS.map((delimiter) => [delimiter, 0]));
	let isQuoted = false;
	let isStart = true;
	for (const char of text) {
		if (char === '"' && (isQuoted || isStart)) isQuoted = !isQuoted;
		else if (!isQuoted && (char === "\n" || char === "\r")) break;
		else if (!isQuoted && counts.has(char)) counts.set(char, (counts.get(char) ?? 0) + 1);
		// The second one of two quotes within a cell opens it again.
		isStart = char === '"' || (!isQuoted && DELIMITERS.includes(char));
	}
	const [most = ","] = DELIMITERS.toSorted((one, other) => (counts.get(other) ?? 0) - (counts.get(one) ?? 0));
	return most;
}

async function readCsv(bytes: Buffer, maxRows: number): Promise<Table> {
	if (!isUtf8(bytes)) throw new TableProblem("The CSV is not UTF-8. Save it as “CSV UTF-8”.");
	const { parseCsv, stripBom } = await import("hucre/csv");
	const whole = withoutDosEnd(stripBom(bytes.toString("utf8")));
	const [delimiterLine = "", given] = DELIMITER_LINE.exec(whole) ?? [];
	const text = whole.slice(delimiterLine.length);
	const delimiter = given ?? findDelimiter(text);
	const problem = findQuoteProblem(text, delimiter);
	if (problem !== null) throw new TableProblem(problem);
	const table = parseCsv(text, { delimiter, typeInference: false, maxRows: maxRows + 2 });
	limitCells([table]);
	// Without type inference every cell is a text.
	return table.map((line) => line.map((cell) => withoutGuard(String(cell ?? ""))));
}

async function readRowsOfCsv(bytes: Buffer, sheets: readonly SheetColumns[], maxRows: number): Promise<InputRow[][]> {
	const [only] = sheets;
	if (sheets.length !== 1 || only === undefined) {
		throw new TableProblem("The template has several sheets: a CSV holds one. Upload a workbook (XLSX).");
	}
	return [readRowsOfTable(await readCsv(bytes, maxRows), only.columns, "", maxRows)];
}

async function readWorkbook(bytes: Buffer, maxRows: number): Promise<Sheet[]> {
	const repaired = repairWorkbook(bytes);
	const { readXlsx } = await import("hucre/xlsx");
	const workbook = await readXlsx(repaired, { maxRows: maxRows + 2, readStyles: true }).catch((error: unknown) => {
		throw new TableProblem(`${BROKEN_WORKBOOK} ${error instanceof Error ? error.message : ""}`.trim().slice(0, 300));
	});
	limitCells(workbook.sheets.map(({ rows }) => rows));
	return workbook.sheets;
}

async function readRowsOfWorkbook(
	bytes: Buffer,
	sheets: readonly SheetColumns[],
	maxRows: number,
): Promise<ReadFile<InputRow[][]>> {
	const found = await readWorkbook(bytes, maxRows);
	if (sheets.length === 1 && sheets[0] !== undefined) {
		const titled = found.find(
			({ name }) => name.toLowerCase() === readSheetTitles([sheets[0]?.name ?? null])[0]?.toLowerCase(),
		);
		const sheet = titled ?? found[0];
		const rows = readRowsOfTable(sheet === undefined ? [] : buildTable(sheet), sheets[0].columns, "", maxRows);
		return { content: [rows], notes: sheet === undefined ? [] : buildSheetNotes(sheet) };
	}
	const titles = readSheetTitles(sheets.map(({ name }) => name));
	const stranger = found.find(({ name }) => !titles.some((title) => title.toLowerCase() === name.toLowerCase()));
	if (stranger !== undefined) {
		throw new TableProblem(`The template has no sheet "${stranger.name}". It has: ${titles.join(", ")}.`);
	}
	const content = sheets.map(({ columns }, index) => {
		const title = titles[index] ?? "";
		const sheet = found.find(({ name }) => name.toLowerCase() === title.toLowerCase());
		return readRowsOfTable(sheet === undefined ? [] : buildTable(sheet), columns, title, maxRows);
	});
	return { content, notes: found.flatMap(buildSheetNotes) };
}

/** A note on rows that a filter or a person hides: they are read like the others. */
function buildSheetNotes({ name, rows, rowDefs }: Sheet): string[] {
	const hidden = [...(rowDefs ?? [])]
		.filter(([row, { hidden }]) => hidden === true && (rows[row] ?? []).some((cell) => cell !== null && cell !== ""))
		.map(([row]) => row + 1)
		.sort((one, other) => one - other);
	if (hidden.length === 0) return [];
	const listed = hidden.slice(0, NOTED_ROWS).join(", ") + (hidden.length > NOTED_ROWS ? ", …" : "");
	const what = hidden.length === 1 ? "1 hidden row is" : `${hidden.length} hidden rows are`;
	return [`Sheet "${name}": ${what} read, too (${listed}). Delete what should not be read.`];
}

/** The cells of a sheet as they are shown. @throws TableProblem at the first that cannot be read */
function buildTable({ name, rows, cells }: Sheet): Table {
	return rows.map((line, row) =>
		line.map((value, column): TableCell => {
			const cell = cells?.get(`${row},${column}`);
			if (cell === undefined && !(value instanceof Date)) return value;
			const shown = formatShownCell({
				value,
				hasFormula: cell?.formula !== undefined,
				isError: cell?.type === "error",
				format: cell?.style?.numFmt ?? null,
			});
			if ("problem" in shown) {
				throw new TableProblem(`Sheet "${name}": the cell ${formatColumnLetters(column)}${row + 1} ${shown.problem}`);
			}
			return shown.value;
		}),
	);
}

/** A for 0, Z for 25, AA for 26. */
function formatColumnLetters(column: number): string {
	const last = String.fromCharCode(65 + (column % 26));
	return column < 26 ? last : formatColumnLetters(Math.floor(column / 26) - 1) + last;
}

/** Rows by sheet, in the order of the sheets. @throws TableProblem */
export async function readRows(
	bytes: Uint8Array,
	sheets: readonly SheetColumns[],
	maxRows: number,
): Promise<ReadFile<InputRow[][]>> {
	const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	if (isZip(buffer)) return readRowsOfWorkbook(buffer, sheets, maxRows);
	return { content: await readRowsOfCsv(buffer, sheets, maxRows), notes: [] };
}

/** The tables of a file, whatever their columns are. @throws TableProblem */
export async function readTables(bytes: Uint8Array, maxRows: number): Promise<FileTable[]> {
	const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	if (!isZip(buffer)) {
		return [{ name: null, rows: readTextsOfTable(await readCsv(buffer, maxRows), maxRows), problem: null }];
	}
	return (await readWorkbook(buffer, maxRows)).map((sheet) => {
		try {
			const notes = buildSheetNotes(sheet);
			const rows = readTextsOfTable(buildTable(sheet), maxRows);
			return { name: sheet.name, rows, problem: null, ...(notes.length > 0 ? { notes } : {}) };
		} catch (error) {
			if (!(error instanceof TableProblem)) throw error;
			return { name: sheet.name, rows: [], problem: error.message };
		}
	});
}

/** A workbook with a sheet for each, the first line of which names the columns. */
export async function buildEmptyWorkbook(sheets: readonly SheetColumns[]): Promise<Uint8Array> {
	const titles = readSheetTitles(sheets.map(({ name }) => name));
	const written = sheets.map(({ columns }, index) => ({
		name: titles[index] ?? "",
		rows: [columns.map((column) => column.name)],
	}));
	// Loaded when the first workbook is asked for: every start would wait for it.
	const { writeXlsx } = await import("hucre/xlsx");
	const output = await writeXlsx({ sheets: written });
	return output;
}

export const buildEmptyCsv = ({ columns }: SheetColumns): string => formatCsvLine(columns.map(({ name }) => name));
