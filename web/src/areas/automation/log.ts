/**
 * The output of a job, assembled from pieces with offsets. Known text is skipped, and a gap is
 * reported so that it can be filled. Keeps the last lines. Pure.
 */
import { stripToPlainText } from "./ansi.ts";

/** Older lines are in the downloaded file. */
export const KEPT_LINES = 20_000;

export interface Log {
	/** Offset behind the last piece, in UTF-16 code units. */
	readonly end: number;
	/** The last one may be incomplete. */
	readonly lines: readonly string[];
	/** How many lines came before the first one that is kept. */
	readonly dropped: number;
}

export const EMPTY_LOG: Log = { end: 0, lines: [""], dropped: 0 };

/** Null where something is missing before `offset`. */
export function withPiece(log: Log, offset: number, text: string): Log | null {
	if (offset > log.end) return null;
	const fresh = text.slice(log.end - offset);
	if (fresh === "") return log;
	const [first = "", ...rest] = fresh.split(/\r?\n/);
	const lines = [...log.lines.slice(0, -1), (log.lines.at(-1) ?? "") + first, ...rest];
	const over = Math.max(0, lines.length - KEPT_LINES);
	return { end: log.end + fresh.length, lines: over === 0 ? lines : lines.slice(over), dropped: log.dropped + over };
}

/** Indices of the lines that have the text, upper and lower case alike. */
export function getMatches(lines: readonly string[], text: string): number[] {
	const wanted = text.trim().toLowerCase();
	if (wanted === "") return [];
	return lines.flatMap((line, index) => (stripToPlainText(line).toLowerCase().includes(wanted) ? [index] : []));
}
