/** One line of CSV (RFC 4180). */
export const csvLine = (cells: readonly unknown[]): string => `${cells.map(cell).join(",")}\r\n`;

/** What a spreadsheet would run as a formula gets an apostrophe in front. */
function cell(value: unknown): string {
	if (value === null || value === undefined) return "";
	const text = typeof value === "string" ? value : typeof value === "object" ? JSON.stringify(value) : String(value);
	const harmless = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
	return /[",\r\n]/.test(harmless) || harmless !== harmless.trim() ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
