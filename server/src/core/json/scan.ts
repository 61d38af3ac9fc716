/**
 * A strict JSON scanner over bytes (RFC 8259) that never builds values, so that nothing of the
 * spelling is lost: `1.0`, `1e400`, key order and duplicate keys stay what they were. It validates
 * one value at a time and can record it as a tape of nodes with byte ranges. It does not recurse:
 * depth and node count are limits, not stack overflows.
 */
import { isUtf8 } from "node:buffer";
import {
	ARRAY,
	buildUnexpectedError,
	ESCAPED,
	FALSE,
	findLiteralEnd,
	findNumberEnd,
	findStringEnd,
	JsonTextError,
	NULL,
	NUMBER,
	OBJECT,
	STRING,
	TRUE,
	UNUSUAL,
} from "./tokens.ts";

/**
 * Integers in a tape per node: kind and flags, start, end (exclusive), index of the node after this
 * one's subtree.
 */
export const SLOTS = 4;
const MAX_DEPTH = 512;
const MAX_NODES = 4_000_000;

/**
 * Nodes in document order; an object's subtree is key, value, key, value. `used` counts integers,
 * not nodes.
 */
export interface Tape {
	nodes: Int32Array;
	used: number;
}

/** A position in a text. `blank` counts the insignificant whitespace passed so far. */
export interface Scanner {
	bytes: Buffer;
	end: number;
	readonly tape: Tape;
	readonly stack: Int32Array;
	readonly maxNodes: number;
	pos: number;
	blank: number;
}

/** A scanner at the start of `bytes`. Throws JsonTextError when they are not UTF-8. */
export function createScanner(bytes: Uint8Array, options: { maxDepth?: number; maxNodes?: number } = {}): Scanner {
	if (!isUtf8(bytes)) throw new JsonTextError("encoding", findInvalidUtf8(bytes), "Not UTF-8");
	return {
		bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
		end: bytes.byteLength,
		tape: { nodes: new Int32Array(4096), used: 0 },
		stack: new Int32Array(options.maxDepth ?? MAX_DEPTH),
		maxNodes: options.maxNodes ?? MAX_NODES,
		pos: 0,
		blank: 0,
	};
}

/** Restarts a scanner on text that is known to be UTF-8, reusing its tape. */
export function restartScanner(scanner: Scanner, bytes: Buffer): void {
	scanner.bytes = bytes;
	scanner.end = bytes.length;
	scanner.pos = 0;
	scanner.blank = 0;
	scanner.tape.used = 0;
}

/** Passes whitespace and gives the byte that follows, -1 at the end. */
export function peekByte(scanner: Scanner): number {
	const { bytes, end } = scanner;
	let at = scanner.pos;
	while (at < end && isBlank(bytes[at] as number)) at++;
	scanner.blank += at - scanner.pos;
	scanner.pos = at;
	return at < end ? (bytes[at] as number) : -1;
}

/** Passes one structural byte, whitespace before it included. */
export function expectByte(scanner: Scanner, byte: number): void {
	if (peekByte(scanner) !== byte) throw buildUnexpectedError(scanner.bytes, scanner.pos, scanner.end);
	scanner.pos++;
}

/** Fails unless only whitespace is left. */
export function expectEnd(scanner: Scanner): void {
	if (peekByte(scanner) !== -1) throw buildUnexpectedError(scanner.bytes, scanner.pos, scanner.end);
}

/** Passes a string and gives its decoded text. */
export function readString(scanner: Scanner): string {
	if (peekByte(scanner) !== 0x22) throw buildUnexpectedError(scanner.bytes, scanner.pos, scanner.end);
	const start = scanner.pos;
	const found = findStringEnd(scanner.bytes, start, scanner.end);
	scanner.pos = found < 0 ? ~found : found;
	const inner = scanner.bytes.toString("utf8", start + 1, scanner.pos - 1);
	return found < 0 ? (JSON.parse(`"${inner}"`) as string) : inner;
}

const VALUE = 0;
const FIRST_VALUE = 1;
const KEY = 2;
const FIRST_KEY = 3;
const AFTER = 4;

/**
 * Passes one value, whatever it holds. With `record` the scanner's tape holds exactly that value
 * afterwards; its first node starts at the value's first byte. Throws JsonTextError.
 */
export function scanValue(scanner: Scanner, record: boolean): void {
	passValue(scanner, record, 0);
}

/** Passes one value and appends it to the tape. Throws JsonTextError. */
export function appendValue(scanner: Scanner): void {
	passValue(scanner, true, scanner.tape.used);
}

/** Adds a node without others below it, and gives its place. */
export function appendNode({ tape, maxNodes }: Scanner, kind: number, start: number, end: number): number {
	const node = tape.used;
	const nodes = node + SLOTS > tape.nodes.length ? growTape(tape, maxNodes, start) : tape.nodes;
	nodes[node] = kind;
	nodes[node + 1] = start;
	nodes[node + 2] = end;
	nodes[node + 3] = node + SLOTS;
	tape.used = node + SLOTS;
	return node;
}

/**
 * Passes an object and appends it to the tape. Throws JsonTextError.
 * @param value called behind each colon with the node of the key: passes the value, and adds it to
 * the tape
 */
export function appendObject(scanner: Scanner, value: (key: number) => void): void {
	const { tape } = scanner;
	expectByte(scanner, 0x7b);
	const object = appendNode(scanner, OBJECT, scanner.pos - 1, 0);
	if (peekByte(scanner) === 0x7d) scanner.pos++;
	else
		do {
			value(appendKey(scanner));
		} while (isFollowed(scanner));
	tape.nodes[object + 2] = scanner.pos;
	tape.nodes[object + 3] = tape.used;
}

function appendKey(scanner: Scanner): number {
	if (peekByte(scanner) !== 0x22) throw buildUnexpectedError(scanner.bytes, scanner.pos, scanner.end);
	const start = scanner.pos;
	const stop = findStringEnd(scanner.bytes, start, scanner.end);
	scanner.pos = stop < 0 ? ~stop : stop;
	const key = appendNode(scanner, stop < 0 ? STRING | ESCAPED : STRING, start, scanner.pos);
	expectByte(scanner, 0x3a);
	return key;
}

/** Passes a comma, or the end of an object. */
function isFollowed(scanner: Scanner): boolean {
	const byte = peekByte(scanner);
	if (byte !== 0x2c && byte !== 0x7d) throw buildUnexpectedError(scanner.bytes, scanner.pos, scanner.end);
	scanner.pos++;
	return byte === 0x2c;
}

function passValue(scanner: Scanner, record: boolean, place: number): void {
	const { bytes, end, stack, tape } = scanner;
	let nodes = tape.nodes;
	let used = place;
	let depth = 0;
	let inObject = false;
	let state = VALUE;
	let blank = scanner.blank;
	let at = scanner.pos;
	for (;;) {
		let byte = at < end ? (bytes[at] as number) : -1;
		while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) {
			blank++;
			byte = ++at < end ? (bytes[at] as number) : -1;
		}
		if (state >= FIRST_KEY ? byte === (inObject ? 0x7d : 0x5d) : state === FIRST_VALUE && byte === 0x5d) {
			at++;
			const open = stack[--depth] as number;
			if (record) {
				const node = open >> 1;
				nodes[node + 2] = at;
				nodes[node + 3] = used;
			}
			inObject = depth > 0 && ((stack[depth - 1] as number) & 1) === 1;
			state = AFTER;
		} else if (state === AFTER) {
			if (byte !== 0x2c) throw buildUnexpectedError(bytes, at, end);
			at++;
			state = inObject ? KEY : VALUE;
			continue;
		} else {
			if (record && used + SLOTS > nodes.length) nodes = growTape(tape, scanner.maxNodes, at);
			const start = at;
			let kind = NULL;
			if (byte === 0x22) {
				const stop = findStringEnd(bytes, at, end);
				kind = stop < 0 ? STRING | ESCAPED : STRING;
				at = stop < 0 ? ~stop : stop;
				if (state >= KEY) {
					if (record) {
						nodes[used] = kind;
						nodes[used + 1] = start;
						nodes[used + 2] = at;
						nodes[used + 3] = used + SLOTS;
						used += SLOTS;
					}
					while (at < end && isBlank(bytes[at] as number)) {
						blank++;
						at++;
					}
					if (at >= end || bytes[at] !== 0x3a) throw buildUnexpectedError(bytes, at, end);
					at++;
					state = VALUE;
					continue;
				}
			} else if (state >= KEY) {
				throw buildUnexpectedError(bytes, at, end);
			} else if (byte === 0x7b || byte === 0x5b) {
				if (depth === stack.length) throw new JsonTextError("depth", at, `Nested deeper than ${depth} levels`);
				inObject = byte === 0x7b;
				stack[depth++] = (used << 1) | (inObject ? 1 : 0);
				if (record) {
					nodes[used] = inObject ? OBJECT : ARRAY;
					nodes[used + 1] = start;
					used += SLOTS;
				}
				at++;
				state = inObject ? FIRST_KEY : FIRST_VALUE;
				continue;
			} else if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) {
				const stop = findNumberEnd(bytes, at, end);
				kind = stop < 0 ? NUMBER | UNUSUAL : NUMBER;
				at = stop < 0 ? ~stop : stop;
			} else {
				kind = byte === 0x74 ? TRUE : byte === 0x66 ? FALSE : NULL;
				at = findLiteralEnd(bytes, at, end, kind);
			}
			if (record) {
				nodes[used] = kind;
				nodes[used + 1] = start;
				nodes[used + 2] = at;
				nodes[used + 3] = used + SLOTS;
				used += SLOTS;
			}
			state = AFTER;
		}
		if (depth === 0) {
			scanner.pos = at;
			scanner.blank = blank;
			if (record) tape.used = used;
			return;
		}
	}
}

function isBlank(byte: number): boolean {
	return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function growTape(tape: Tape, maxNodes: number, at: number): Int32Array {
	if (tape.nodes.length >= maxNodes * SLOTS) throw new JsonTextError("size", at, "Too many values in one row");
	const larger = new Int32Array(Math.min(tape.nodes.length * 2, maxNodes * SLOTS));
	larger.set(tape.nodes);
	tape.nodes = larger;
	return larger;
}

/**
 * The offset of the first sequence that is not UTF-8. A prefix is good when it is UTF-8 but for at
 * most three bytes at its end.
 */
function findInvalidUtf8(bytes: Uint8Array): number {
	let good = 0;
	let bad = bytes.byteLength;
	while (bad - good > 1) {
		const middle = (good + bad) >>> 1;
		if ([0, 1, 2, 3].some((cut) => cut <= middle && isUtf8(bytes.subarray(0, middle - cut)))) good = middle;
		else bad = middle;
	}
	return good;
}
