/** The tokens of JSON text and where they end. */

export const OBJECT = 1;
export const ARRAY = 2;
export const STRING = 3;
export const NUMBER = 4;
export const TRUE = 5;
export const FALSE = 6;
export const NULL = 7;
/** The kind of a node without its flags. */
export const KIND_MASK = 7;
/** Flag of a string that holds a backslash. */
export const ESCAPED = 8;
/** Flag of a number that is anything but a plain integer of at most 40 characters. */
export const UNUSUAL = 16;

/** Integers longer than this are flagged UNUSUAL. */
export const PLAIN_DIGITS = 40;

export type JsonTextCode = "syntax" | "encoding" | "depth" | "size";

/**
 * Text that is not JSON, or more than the limits allow. `offset` counts bytes from the start of the
 * text.
 */
export class JsonTextError extends Error {
	override readonly name = "JsonTextError";
	readonly code: JsonTextCode;
	readonly offset: number;
	constructor(code: JsonTextCode, offset: number, what: string) {
		super(`${what} at byte ${offset}`);
		this.code = code;
		this.offset = offset;
	}
}

/** The end of the string that starts at `at`; its complement (`~end`) when it holds a backslash. */
export function findStringEnd(bytes: Buffer, at: number, end: number): number {
	let escaped = false;
	let pos = at + 1;
	while (pos < end) {
		const byte = bytes[pos] as number;
		if (byte > 0x22 && byte !== 0x5c) pos++;
		else if (byte === 0x22) return escaped ? ~(pos + 1) : pos + 1;
		else if (byte === 0x5c) {
			escaped = true;
			pos = escapeEnd(bytes, pos, end);
		} else if (byte >= 0x20) pos++;
		else throw new JsonTextError("syntax", pos, "Control character in a string");
	}
	throw new JsonTextError("syntax", end, "Unexpected end");
}

function escapeEnd(bytes: Buffer, at: number, end: number): number {
	if (at + 1 >= end) throw new JsonTextError("syntax", end, "Unexpected end");
	const byte = bytes[at + 1] as number;
	if (byte !== 0x75) {
		if (!ESCAPES.has(byte)) throw new JsonTextError("syntax", at, "Unknown escape");
		return at + 2;
	}
	for (let pos = at + 2; pos < at + 6; pos++) {
		if (pos >= end) throw new JsonTextError("syntax", end, "Unexpected end");
		const digit = (bytes[pos] as number) | 0x20;
		if (!((digit >= 0x61 && digit <= 0x66) || isDigit(bytes[pos] as number)))
			throw new JsonTextError("syntax", pos, "Unknown escape");
	}
	return at + 6;
}

const ESCAPES = new Set(Buffer.from('"\\/bfnrt'));

/** The end of the number that starts at `at`; its complement when it is UNUSUAL. */
export function findNumberEnd(bytes: Buffer, at: number, end: number): number {
	const negative = bytes[at] === 0x2d;
	const first = negative ? at + 1 : at;
	let pos = findDigitsEnd(bytes, first, end);
	const zero = bytes[first] === 0x30;
	if (zero && pos > first + 1) throw new JsonTextError("syntax", first + 1, "Number with a leading zero");
	let plain = pos - at <= PLAIN_DIGITS && !(negative && zero);
	if (pos < end && bytes[pos] === 0x2e) {
		plain = false;
		pos = findDigitsEnd(bytes, pos + 1, end);
	}
	if (pos < end && ((bytes[pos] as number) | 0x20) === 0x65) {
		plain = false;
		const sign = pos + 1 < end ? bytes[pos + 1] : 0;
		pos = findDigitsEnd(bytes, sign === 0x2b || sign === 0x2d ? pos + 2 : pos + 1, end);
	}
	return plain ? pos : ~pos;
}

function findDigitsEnd(bytes: Buffer, at: number, end: number): number {
	let pos = at;
	while (pos < end && isDigit(bytes[pos] as number)) pos++;
	if (pos === at) throw buildUnexpectedError(bytes, at, end);
	return pos;
}

const WORDS: Record<number, Buffer> = {
	[TRUE]: Buffer.from("true"),
	[FALSE]: Buffer.from("false"),
	[NULL]: Buffer.from("null"),
};

/** The end of `true`, `false` or `null`, whichever the kind says. */
export function findLiteralEnd(bytes: Buffer, at: number, end: number, kind: number): number {
	const word = WORDS[kind] as Buffer;
	let length = at + word.length > end ? -1 : 0;
	while (length >= 0 && length < word.length) length = bytes[at + length] === word[length] ? length + 1 : -1;
	if (length < 0) throw buildUnexpectedError(bytes, at, end);
	return at + length;
}

function isDigit(byte: number): boolean {
	return byte >= 0x30 && byte <= 0x39;
}

/** The error of a byte, or the end, where the grammar does not want it. */
export function buildUnexpectedError(bytes: Buffer, at: number, end: number): JsonTextError {
	if (at >= end) return new JsonTextError("syntax", end, "Unexpected end");
	const byte = bytes[at] as number;
	const shown = byte > 0x20 && byte < 0x7f ? `"${String.fromCharCode(byte)}"` : `0x${byte.toString(16)}`;
	return new JsonTextError("syntax", at, `Unexpected ${shown}`);
}
