/**
 * Texts in files that spreadsheets open. Every writer of CSV, in the service and in the web
 * interface, guards its cells by these functions.
 */

/** What a spreadsheet takes for the beginning of a formula, or skips before one. */
const FORMULA = /^[=+\-@\t\r\n]/;
const PLAIN_NUMBER = /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** A leading apostrophe before text that a spreadsheet would run; plain numbers stay numbers. */
export const guardText = (text: string): string => (FORMULA.test(text) && !PLAIN_NUMBER.test(text) ? `'${text}` : text);

/** The text before `guardText`. */
export const withoutGuard = (text: string): string => (/^'[=+\-@\t\r\n]/.test(text) ? text.slice(1) : text);

/** One cell of CSV (RFC 4180), guarded, and quoted where it must be. */
export function csvCell(text: string): string {
	const guarded = guardText(text);
	return /[",\r\n]/.test(guarded) || guarded !== guarded.trim() ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}
