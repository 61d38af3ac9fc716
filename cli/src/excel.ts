/** Rows of runs as a workbook for Excel, in flat memory however many there are. */
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CELL_LETTERS_MAX, formatCellText, readSheetCell } from "@weft/contracts/spreadsheet";
import { buildInputError } from "./errors.ts";

/** Lines of a sheet; each time they are read from the beginning. */
export interface Sheet {
	readonly heads: readonly string[];
	/** Characters of the longest value of each column. */
	readonly lengths: ReadonlyMap<string, number>;
	rows(): AsyncIterable<readonly unknown[]>;
}

/** Widths of columns, in letters. */
const WIDTHS = { least: 8, most: 60 };

/**
 * Writes a workbook with bold heads that stay in view, and columns as wide as their values. An
 * earlier file of this name is replaced when the new one is complete.
 * @throws CliError if the folder cannot be written to
 */
export async function writeExcel(file: string, { heads, lengths, rows }: Sheet): Promise<void> {
	const { writeXlsxStream } = await import("hucre/xlsx");
	async function* iterateCells() {
		for await (const row of rows()) yield row.map(getCell);
	}
	const columns = heads.map((header) => ({
		header,
		width: Math.min(WIDTHS.most, Math.max(WIDTHS.least, header.length + 2, (lengths.get(header) ?? 0) + 2)),
	}));
	const bytes = writeXlsxStream(iterateCells(), { name: "Rows", columns, freezePane: { rows: 1 } });
	const next = `${file}.${process.pid}.new`;
	try {
		await pipeline(Readable.fromWeb(bytes as Parameters<typeof Readable.fromWeb>[0]), createWriteStream(next));
		await rename(next, file);
	} catch (error) {
		await rm(next, { force: true });
		const { code, syscall } = error as NodeJS.ErrnoException;
		if (syscall !== "open" && syscall !== "rename") throw error;
		throw buildInputError(`${file} cannot be written (${code}).`);
	}
}

/** @throws CliError for a value that is longer than a cell */
function getCell(value: unknown): string | number {
	const text = formatCellText(value);
	if (text.length > CELL_LETTERS_MAX)
		throw buildInputError(`A value of ${text.length} letters is too long for a cell of Excel. Use --format csv.`);
	return readSheetCell(text);
}
