/** Reads tables from texts: the clipboard of a spreadsheet, and CSV. Pure. */
import { withoutGuard } from "@weft/contracts/spreadsheet";

/**
 * Reads the text of a spreadsheet or a CSV. A cell is quoted if its closing quote ends it; other
 * quotes are part of the text, as spreadsheets copy them.
 */
export function parseTable(text: string): string[][] {
	const separator = findSeparator(text);
	const rows: string[][] = [];
	for (let at = 0; at < text.length; ) {
		const { cells, end } = readLine(text, at, separator);
		rows.push(cells.map(withoutGuard));
		at = end + (text.startsWith("\r\n", end) ? 2 : 1);
	}
	return rows;
}

/** Tabs, else semicolons, else commas. A comma before a space belongs to a sentence or a list. */
function findSeparator(text: string): string {
	const found = ["\t", ";", ","].find((separator) => {
		const [, ...others] = readLine(text, 0, separator).cells;
		return separator === "," ? others.some((cell) => !cell.startsWith(" ")) : others.length > 0;
	});
	return found ?? "\t";
}

function readLine(text: string, from: number, separator: string): { readonly cells: string[]; readonly end: number } {
	const cells: string[] = [];
	let at = from;
	for (;;) {
		const { cell, end } = readCell(text, at, separator);
		cells.push(cell);
		if (text[end] !== separator) return { cells, end };
		at = end + 1;
	}
}

function readCell(text: string, at: number, separator: string): { readonly cell: string; readonly end: number } {
	const isEnd = (place: number) =>
		place >= text.length || text[place] === separator || text[place] === "\n" || text[place] === "\r";
	if (text[at] === '"') {
		let close = text.indexOf('"', at + 1);
		while (close >= 0 && text[close + 1] === '"') close = text.indexOf('"', close + 2);
		if (close >= 0 && isEnd(close + 1))
			return { cell: text.slice(at + 1, close).replaceAll('""', '"'), end: close + 1 };
	}
	let end = at;
	while (!isEnd(end)) end++;
	return { cell: text.slice(at, end), end };
}
