/** Quotes of a CSV (RFC 4180, section 2): readers take the rest of a file for one cell silently. */

/**
 * The first quote that does not enclose a whole cell, as a sentence with its line in the file; null
 * when all do. Takes a text without byte order mark.
 */
export function findQuoteProblem(text: string, delimiter: string): string | null {
	const line = (at: number) => text.slice(0, at).split(/\r\n|\r|\n/).length;
	const isEnd = (at: number) =>
		at >= text.length || text[at] === "\n" || text[at] === "\r" || text.startsWith(delimiter, at);
	const remedy = 'Write a quote inside a cell twice ("") and enclose the whole cell in quotes.';
	let at = 0;
	while (at < text.length) {
		if (text[at] === '"') {
			const end = findClosingQuote(text, at + 1);
			if (end === null) return `Line ${line(at)}: the cell that begins with a quote has no closing quote. ${remedy}`;
			if (!isEnd(end + 1)) {
				return `Line ${line(end)}: text follows the closing quote of the cell that begins on line ${line(at)}. ${remedy}`;
			}
			at = end + 1;
		}
		while (!isEnd(at)) at++;
		at += text.startsWith(delimiter, at) ? delimiter.length : 1;
	}
	return null;
}

function findClosingQuote(text: string, from: number): number | null {
	let at = text.indexOf('"', from);
	while (at >= 0 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
	return at < 0 ? null : at;
}
