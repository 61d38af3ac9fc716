/**
 * Pieces of JSON text: insignificant whitespace out, strings decoded and compared.
 *
 * A dn or a key is held as a *byte string*: a JavaScript string with one character per byte of its
 * UTF-8 form (a lone surrogate, which UTF-8 does not allow, follows the same three-byte pattern).
 * `<` on byte strings is the order of code points, unlike the order of UTF-16. ASCII text is
 * unchanged.
 */

/**
 * Copies valid JSON text without whitespace outside strings. Returns the position after the last
 * byte written. The text was validated by core/json/scan.ts.
 */
export function compactInto(source: Buffer, start: number, end: number, target: Buffer, at: number): number {
	let to = at;
	let inString = false;
	for (let pos = start; pos < end; pos++) {
		const byte = source[pos] as number;
		if (byte === 0x22) inString = !inString;
		else if (byte === 0x5c) target[to++] = source[pos++] as number;
		else if (byte <= 0x20 && !inString) continue;
		target[to++] = source[pos] as number;
	}
	return to;
}

/** The byte string that the string token at start..end (quotes included) stands for. */
export function readTokenContent(bytes: Buffer, start: number, end: number, escaped: boolean): string {
	if (!escaped) return bytes.toString("latin1", start + 1, end - 1);
	return toByteString(JSON.parse(bytes.toString("utf8", start, end)) as string);
}

/** The byte string of a text. */
export function toByteString(text: string): string {
	if (isAscii(text)) return text;
	if (!LONE_SURROGATE.test(text)) return Buffer.from(text, "utf8").toString("latin1");
	let out = "";
	for (const symbol of text) {
		const code = symbol.codePointAt(0) as number;
		if (code < 0xd800 || code > 0xdfff) out += Buffer.from(symbol, "utf8").toString("latin1");
		else out += String.fromCharCode(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f));
	}
	return out;
}

const LONE_SURROGATE = /\p{Surrogate}/u;

/** The text behind a byte string. */
export function decodeByteString(key: string): string {
	if (isAscii(key)) return key;
	const lone = /\xed[\xa0-\xbf][\x80-\xbf]/g;
	let out = "";
	let from = 0;
	for (const match of key.matchAll(lone)) {
		out += Buffer.from(key.slice(from, match.index), "latin1").toString("utf8");
		const [, second = 0, third = 0] = Buffer.from(match[0], "latin1");
		out += String.fromCharCode(0xd000 | ((second & 0x3f) << 6) | (third & 0x3f));
		from = match.index + 3;
	}
	return out + Buffer.from(key.slice(from), "latin1").toString("utf8");
}

/**
 * Order of byte strings, and so of the code points that they stand for: negative, zero or positive.
 */
export function compareByteStrings(a: string, b: string): number {
	return a < b ? -1 : a > b ? 1 : 0;
}

/** Order of byte ranges: negative, zero or positive. */
export function compareRanges(bytes: Buffer, a: number, aEnd: number, b: number, bEnd: number): number {
	const shared = Math.min(aEnd - a, bEnd - b);
	for (let step = 0; step < shared; step++) {
		const difference = (bytes[a + step] as number) - (bytes[b + step] as number);
		if (difference !== 0) return difference;
	}
	return aEnd - a - (bEnd - b);
}

function isAscii(text: string): boolean {
	for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false;
	return true;
}
