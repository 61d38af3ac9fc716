/**
 * Texts in files that spreadsheets open. Every writer of CSV, in the service and in the web
 * interface, guards its cells by these functions.
 */

/**
 * Formats a value as the text of a cell. Null and absent values are empty, lists of plain values
 * have commas, other objects are JSON.
 */
export function formatCellText(value: unknown): string {
	if (value === null || value === undefined) return "";
	if (Array.isArray(value) && value.every((item) => typeof item !== "object")) return value.join(", ");
	return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** A column that a head of a file may name. */
export interface NamedColumn {
	readonly name: string;
	readonly label?: string | null | undefined;
}

/** The ways to compare a head with a name, the strictest first. */
const COMPARISONS: readonly ((text: string) => string)[] = [
	(text) => text.trim(),
	(text) => text.trim().toLowerCase(),
	(text) => text.toLowerCase().replace(/[\s_-]+/g, ""),
];

/**
 * Finds the columns that the heads of a table name: by name, then by label, in any case, and with
 * other separators between words. A looser comparison counts only where it fits one column alone.
 * @returns an index into `columns` for each head; -1 for none. No index occurs twice.
 */
export function matchHeads(heads: readonly string[], columns: readonly NamedColumn[]): number[] {
	const found = heads.map(() => -1);
	const taken = new Set<number>();
	for (const compare of COMPARISONS)
		for (const readText of [({ name }: NamedColumn) => name, ({ label }: NamedColumn) => label ?? ""]) {
			const keys = columns.map((column) => compare(readText(column)));
			for (const [at, head] of heads.entries()) {
				const key = compare(head);
				const column = keys.indexOf(key);
				if (found[at] !== -1 || key === "" || column < 0 || taken.has(column)) continue;
				if (keys.lastIndexOf(key) !== column) continue;
				found[at] = column;
				taken.add(column);
			}
		}
	return found;
}

/**
 * What a spreadsheet takes for the beginning of a formula, or skips before one; also after
 * apostrophes, so that `withoutGuard` gives every guarded text back.
 */
const FORMULA = /^'*[=+\-@\t\r\n]/;
const PLAIN_NUMBER = /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** A leading apostrophe before text that a spreadsheet would run; plain numbers stay numbers. */
export const guardText = (text: string): string => (FORMULA.test(text) && !PLAIN_NUMBER.test(text) ? `'${text}` : text);

/** A line of cells for the clipboard of a spreadsheet. Line breaks and tabs become blanks. */
export const formatTsvLine = (cells: readonly string[]): string =>
	cells.map((cell) => guardText(cell.replace(/[\t\r\n]+/g, " "))).join("\t");

/** The text before `guardText`. */
export const withoutGuard = (text: string): string => (/^'+[=+\-@\t\r\n]/.test(text) ? text.slice(1) : text);

/**
 * One cell of CSV (RFC 4180), guarded, and quoted where it must be: also around the semicolons and
 * tabs at which spreadsheets of other languages split a line.
 */
export function formatCsvCell(text: string): string {
	const guarded = guardText(text);
	return /[",;\t\r\n]/.test(guarded) || guarded !== guarded.trim() ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}

/** Letters that a cell of Excel can have. */
export const CELL_LETTERS_MAX = 32_767;

/** A text as a cell of a workbook: a number where the cell shows the same letters, or the text. */
export const readSheetCell = (text: string): string | number =>
	text !== "" && String(Number(text)) === text ? Number(text) : text;
