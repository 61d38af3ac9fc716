/**
 * Cells of a workbook as its program shows them. A spreadsheet stores days and times as numbers,
 * and leading zeros only in a cell's format (ECMA-376 part 1, sections 18.3.1.4 and 18.8.31).
 */
import type { TableCell } from "./tables.ts";

interface SheetCell {
	/** The stored value; null where there is none. */
	readonly value: string | number | boolean | Date | null;
	readonly hasFormula: boolean;
	/** `#N/A` and the like, rather than a text that reads the same. */
	readonly isError: boolean;
	/** The number format, as `0.00` or `h:mm`; null for the general one. */
	readonly format: string | null;
}

const DAY_MS = 86_400_000;
/** Midnight of serial number 0 in the two date systems. */
const EPOCH_1900 = Date.UTC(1899, 11, 31);
const EPOCH_1904 = Date.UTC(1904, 0, 1);
const ERRORS = /^#(?:N\/A|REF!|VALUE!|DIV\/0!|NAME\?|NULL!|NUM!|SPILL!|CALC!|FIELD!|BLOCKED!|CONNECT!|BUSY!|UNKNOWN!)$/;
/** Digits with zeros in front, and signs between them: `00000`, `000-0000`. */
const PADDED = /^(?:[0 \-/:]*\.)*[ \-/:]*0[ \-/:]*0[0 \-/:]*$/;

/** The value to read, or why the cell cannot be read and the remedy. */
export function formatShownCell(cell: SheetCell): { readonly value: TableCell } | { readonly problem: string } {
	const { value, format } = cell;
	if (cell.isError || (cell.hasFormula && typeof value === "string" && ERRORS.test(value))) {
		return { problem: `holds the error ${String(value).slice(0, 20)}. Correct it in the sheet.` };
	}
	if (cell.hasFormula && value === null) {
		return {
			problem:
				"has a formula without a stored result. Save the file in a spreadsheet program, or replace the formula by its value.",
		};
	}
	if (value instanceof Date) return { value: formatDate(value, format ?? "") };
	if (typeof value === "number" && format !== null && PADDED.test(format)) return { value: padNumber(value, format) };
	return { value };
}

/** A whole number in a format of zeros; other numbers are left alone. */
function padNumber(value: number, format: string): string | number {
	if (!Number.isSafeInteger(value) || value < 0) return value;
	const zeros = format.replace(/[^0]/g, "").length;
	const digits = String(value).padStart(zeros, "0");
	let at = digits.length;
	let text = "";
	for (const char of [...format].reverse()) text = (char === "0" ? digits[--at] : char) + text;
	return digits.slice(0, at) + text;
}

/** `2026-03-01`, `2026-03-01 13:45`, `13:45:30`, or hours above 24 where the format counts them. */
function formatDate(date: Date, format: string): string {
	if (Number.isNaN(date.getTime())) return "";
	const parts = format.replace(/"[^"]*"|\\./g, "").toLowerCase();
	const isElapsed = /\[[hms]+\]/.test(parts);
	const hasDay = !isElapsed && (/[yd]/.test(parts.replace(/\[[^\][]*\]/g, "")) || !/[hs]/.test(parts));
	const ms = Math.round(date.getTime() / 1_000) * 1_000;
	const rounded = new Date(ms);
	const epoch = ms >= EPOCH_1904 ? EPOCH_1904 : EPOCH_1900;
	const clock = isElapsed ? formatElapsed(ms - epoch) : rounded.toISOString().slice(11, 19);
	const time = clock.endsWith(":00") && !parts.includes("s") ? clock.slice(0, -3) : clock;
	if (!hasDay) return time;
	const day = rounded.toISOString().slice(0, 10);
	return ms % DAY_MS === 0 ? day : `${day} ${time}`;
}

function formatElapsed(ms: number): string {
	const seconds = ms / 1_000;
	const two = (value: number) => String(value).padStart(2, "0");
	return `${two(Math.floor(seconds / 3_600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}
