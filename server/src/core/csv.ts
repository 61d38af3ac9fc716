import { formatCsvCell } from "@weft/contracts/spreadsheet";

/** One line of CSV (RFC 4180). Text that a spreadsheet would run gets a leading apostrophe. */
export const formatCsvLine = (cells: readonly unknown[]): string => `${cells.map(formatCell).join(",")}\r\n`;

/**
 * A line of text before the CSV, after `# `. It is not quoted, so that readers skip it as a
 * comment; whatever a spreadsheet would split off as a formula gets an apostrophe.
 */
export const formatCsvComment = (text: string): string =>
	`# ${text.replace(/\s+/g, " ").replace(/([,;]["\s]*)(?=[=+\-@])/g, "$1'")}\r\n`;

function formatCell(value: unknown): string {
	if (value === null || value === undefined) return "";
	return formatCsvCell(
		typeof value === "string" ? value : typeof value === "object" ? JSON.stringify(value) : String(value),
	);
}
