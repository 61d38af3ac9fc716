/**
 * Finds the large lists and objects of a JSON text, and how each can be parsed in pieces. Unlike
 * core/json/scan.ts it lets other requests have turns and leaves the check of the syntax to the
 * parser, which reads every piece anyway.
 */
import { setImmediate as nextEventLoopTurn } from "node:timers/promises";

/** Bytes that are read before other requests get a turn. */
const TURN_BYTES = 4 * 1024 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** A part of the text, in bytes. */
export interface Range {
	readonly start: number;
	/** Exclusive. */
	readonly end: number;
}

/** A list or an object of more bytes than a piece. */
interface Container {
	/** After its closing bracket. */
	readonly end: number;
	/** Neighbouring elements or members up to the size of a piece, with their commas. */
	readonly parts: readonly Range[];
}

/** A list or an object that is open. */
interface Frame {
	start: number;
	opening: number;
	partStart: number;
	parts: { start: number; end: number }[];
}

/**
 * By the position of the opening bracket. Everything else of the syntax is checked when the pieces
 * are parsed.
 * @throws SyntaxError for brackets that do not match, RangeError for deeper nesting than `maxDepth`
 */
export async function listContainers(
	bytes: Buffer,
	{ maxDepth, pieceBytes }: { readonly maxDepth: number; readonly pieceBytes: number },
): Promise<ReadonlyMap<number, Container>> {
	const found = new Map<number, Container>();
	// One frame per level, used again and again.
	const frames: Frame[] = [];
	let depth = 0;
	let at = 0;

	function endPart(frame: Frame, end: number): void {
		const last = frame.parts.at(-1);
		if (last !== undefined && end - last.start <= pieceBytes) last.end = end;
		else frame.parts.push({ start: frame.partStart, end });
		frame.partStart = end + 1;
	}

	function openFrame(opening: number): void {
		if (depth === maxDepth) throw new RangeError(`The body is nested more than ${maxDepth} levels deep.`);
		const frame = frames[depth] ?? { start: 0, opening, partStart: 0, parts: [] };
		frames[depth] = frame;
		depth++;
		frame.start = at;
		frame.opening = opening;
		frame.partStart = at + 1;
		if (frame.parts.length > 0) frame.parts = [];
	}

	function closeFrame(opening: number): void {
		const frame = depth === 0 ? undefined : frames[depth - 1];
		if (frame?.opening !== opening) throw new SyntaxError("a bracket is closed that was not opened");
		depth--;
		if (at + 1 - frame.start <= pieceBytes) return;
		endPart(frame, at);
		found.set(frame.start, { end: at + 1, parts: frame.parts });
	}

	function readUpTo(end: number): void {
		for (; at < end; at++) {
			switch (bytes[at]) {
				case QUOTE:
					for (at++; at < bytes.length && bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at++;
					break;
				case COMMA: {
					const frame = frames[depth - 1];
					if (frame !== undefined) endPart(frame, at);
					break;
				}
				case OPEN_LIST:
					openFrame(OPEN_LIST);
					break;
				case OPEN_OBJECT:
					openFrame(OPEN_OBJECT);
					break;
				case CLOSE_LIST:
					closeFrame(OPEN_LIST);
					break;
				case CLOSE_OBJECT:
					closeFrame(OPEN_OBJECT);
					break;
			}
		}
	}

	while (at < bytes.length) {
		readUpTo(Math.min(at + TURN_BYTES, bytes.length));
		await nextEventLoopTurn();
	}
	if (depth > 0) throw new SyntaxError("a bracket is not closed");
	return found;
}
