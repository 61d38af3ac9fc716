/** Colours of terminal output: SGR sequences as spans, other control sequences removed. Pure. */
export interface Span {
	readonly text: string;
	/** A colour's name, such as `red`; null for the default. */
	readonly color: string | null;
	readonly bold: boolean;
}

const COLORS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const SEQUENCE = /\u001b\[([0-9;?]*)([@-~])|\u001b[@-Z\\-_]|[\u0000-\u0008\u000b-\u001a\u007f]/g;

/** One line; colours do not carry over to the next. */
export function splitSpans(line: string): Span[] {
	const spans: Span[] = [];
	let color: string | null = null;
	let bold = false;
	let from = 0;
	const push = (to: number) => {
		if (to > from) spans.push({ text: line.slice(from, to), color, bold });
	};
	for (const match of line.matchAll(SEQUENCE)) {
		push(match.index);
		from = match.index + match[0].length;
		if (match[2] !== "m") continue;
		for (const code of (match[1] ?? "").split(";").map(Number)) {
			if (code === 0) [color, bold] = [null, false];
			else if (code === 1) bold = true;
			else if (code === 22) bold = false;
			else if (code === 39) color = null;
			else if (code >= 30 && code <= 37) color = COLORS[code - 30] ?? null;
			else if (code >= 90 && code <= 97) color = COLORS[code - 90] ?? null;
		}
	}
	push(line.length);
	return spans;
}

/** The line as it is read and searched. */
export const stripToPlainText = (line: string): string => line.replace(SEQUENCE, "");
