/**
 * Parses a large JSON body in pieces, with turns of the event loop in between: a body of the
 * largest accepted size would hold the loop for half a second when it is parsed at once.
 */
import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import { listContainers, type Range } from "./json-index.ts";

/** Bytes that are parsed at once. A single longer text is parsed whole. */
export const PIECE_BYTES = 256 * 1024;
/** Bytes of one text: a longer one would hold the loop, and no route has a use for it. */
const MAX_TEXT_BYTES = 16 * 1024 * 1024;
/** Members of one object: to add more takes ever longer, and no route has a use for them. */
const MAX_MEMBERS = 100_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;

interface Options {
	/** Deepest nesting. */
	readonly maxDepth: number;
	/** Called with each piece once it is parsed. */
	readonly visit: (piece: unknown) => void;
}

/**
 * The value of a JSON text in UTF-8: equal to what `JSON.parse` gives.
 * @throws SyntaxError; RangeError, with a message for users, for deeper nesting than `maxDepth`, a
 * text of more than 16 MB, and an object of more than 100,000 members
 */
export async function parseLargeJson(bytes: Buffer, { maxDepth, visit }: Options): Promise<unknown> {
	const containers = await listContainers(bytes, { maxDepth, pieceBytes: PIECE_BYTES });
	let parsed = 0;

	async function parsePiece(text: string): Promise<unknown> {
		const piece: unknown = JSON.parse(text);
		visit(piece);
		parsed += text.length;
		if (parsed >= PIECE_BYTES) {
			parsed = 0;
			await nextEventLoopTurn();
		}
		return piece;
	}

	const getText = ({ start, end }: Range): string => bytes.toString("utf8", start, end);

	async function parseRange(range: Range): Promise<unknown> {
		const { start, end } = trimRange(bytes, range);
		const opening = bytes[start];
		const isContainer = opening === OPEN_LIST || opening === OPEN_OBJECT;
		if (!isContainer && end - start > MAX_TEXT_BYTES) {
			throw new RangeError(`The body has a text of more than ${MAX_TEXT_BYTES / 1024 ** 2} MB.`);
		}
		if (end - start <= PIECE_BYTES || !isContainer) return parsePiece(getText({ start, end }));
		const container = containers.get(start);
		if (container?.end !== end) throw new SyntaxError("something follows the end of a list or an object");
		const { parts } = container;
		if (parts.length === 1 && parts.every((part) => isBlank(bytes, part))) return opening === OPEN_LIST ? [] : {};
		return opening === OPEN_LIST ? parseList(parts) : parseObject(parts);
	}

	async function parseList(parts: readonly Range[]): Promise<unknown[]> {
		const list: unknown[] = [];
		for (const part of parts) {
			if (isBlank(bytes, part)) throw new SyntaxError("an element is missing");
			if (isLarge(part)) list.push(await parseRange(part));
			else for (const element of (await parsePiece(`[${getText(part)}]`)) as unknown[]) list.push(element);
		}
		return list;
	}

	async function parseObject(parts: readonly Range[]): Promise<Record<string, unknown>> {
		const object: Record<string, unknown> = {};
		let members = 0;
		function countMembers(added: number): void {
			members += added;
			if (members > MAX_MEMBERS) {
				throw new RangeError(`The body has an object of more than ${MAX_MEMBERS.toLocaleString("en")} members.`);
			}
		}
		for (const part of parts) {
			if (isBlank(bytes, part)) throw new SyntaxError("a member is missing");
			if (isLarge(part)) {
				const { key, value } = splitMember(bytes, part);
				const name = JSON.parse(getText(key)) as string;
				visit(name);
				countMembers(1);
				defineMember(object, name, await parseRange(value));
			} else {
				const some = (await parsePiece(`{${getText(part)}}`)) as Record<string, unknown>;
				const names = Object.keys(some);
				countMembers(names.length);
				for (const name of names) defineMember(object, name, some[name]);
			}
		}
		return object;
	}

	return parseRange({ start: 0, end: bytes.length });
}

const isLarge = ({ start, end }: Range): boolean => end - start > PIECE_BYTES;

/** As `JSON.parse` does, makes a property of a member named `__proto__`. */
function defineMember(object: Record<string, unknown>, name: string, value: unknown): void {
	if (name === "__proto__") {
		Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true });
	} else object[name] = value;
}

/** Key and value of one member. */
function splitMember(bytes: Buffer, range: Range): { readonly key: Range; readonly value: Range } {
	const { start, end } = trimRange(bytes, range);
	if (bytes[start] !== QUOTE) throw new SyntaxError("a member has no name");
	let at = start + 1;
	while (at < end && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
	const rest = trimRange(bytes, { start: at + 1, end });
	if (bytes[rest.start] !== COLON) throw new SyntaxError("a member has no value");
	return { key: { start, end: at + 1 }, value: { start: rest.start + 1, end } };
}

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** The range without white space around it. */
function trimRange(bytes: Buffer, { start, end }: Range): Range {
	let from = start;
	let to = end;
	while (from < to && isSpace(bytes[from])) from++;
	while (to > from && isSpace(bytes[to - 1])) to--;
	return { start: from, end: to };
}

function isBlank(bytes: Buffer, range: Range): boolean {
	const { start, end } = trimRange(bytes, range);
	return start === end;
}
