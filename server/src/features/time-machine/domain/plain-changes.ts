/**
 * Writes the entries of rows that are one object with nothing but attributes, all of them strings without escapes, in the order of their names: as a
 * controller answers most classes. Nothing is decoded; the bytes of the rows are compared and copied. Gives way where anything is less plain, so that
 * changes.ts alone says what an entry is.
 */
import type { Ignore } from "./ignore.ts";
import { compareRanges } from "./json-text.ts";
import { hasParts, partsText } from "./parts.ts";
import type { RowReader } from "./row-reader.ts";
import type { TextOut } from "./text-out.ts";

export interface PlainWriter {
	/** Whether it could; null where all that differs is ignored. Unless it is true, nothing is written. */
	write(out: TextOut, before: RowReader | null, after: RowReader | null): boolean | null;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const CLOSE = 0x7d;

const ROW_START = Buffer.from('{"');
const ATTRIBUTES_START = Buffer.from(':{"attributes":{"');
const ROW_END = Buffer.from("}}}");
const DN = Buffer.from('"dn"');

const TEXT = {
	DN: Buffer.from('"dn":'),
	CLASS_NAME: Buffer.from(',"class_name":'),
	OBJECT_KEY: Buffer.from(',"object":'),
	BEFORE: Buffer.from(',"before":'),
	AFTER: Buffer.from(',"after":'),
	CHANGES: Buffer.from(',"attribute_changes":['),
	KEY: Buffer.from('{"key":'),
	NEXT_KEY: Buffer.from(',{"key":'),
	OLD: Buffer.from(',"old":'),
	NEW: Buffer.from(',"new":'),
	NULL_TEXT: Buffer.from("null"),
	CLOSE: Buffer.from("}"),
	END: Buffer.from("]}"),
};

/** Where the tokens of a plain row are, quotes included. */
interface PlainRow {
	bytes: Buffer;
	/** The class's name begins behind the first brace and ends here. */
	classEnd: number;
	/** TOKENS integers for each attribute: start and end of its name, end of its value, which begins a colon after the name. */
	tokens: Int32Array;
	/** Integers of `tokens` that are the row's. */
	used: number;
	/** Where the dn's are in `tokens`. */
	dn: number;
}

const TOKENS = 3;
const CLASS_START = 1;

export function createPlainWriter(ignore: Ignore | null): PlainWriter {
	const [left, right] = [emptyRow(), emptyRow()];
	return {
		write(out, before, after) {
			const old = before === null || (before.ordinal() === 0 && readPlain(before.text(), left)) ? left : null;
			const now = after === null || (after.ordinal() === 0 && readPlain(after.text(), right)) ? right : null;
			if (old === null || now === null) return false;
			const shown = after === null ? old : now;
			if (before !== null && after !== null && !sameClass(old, now)) return false;
			const start = out.length();
			out.all(TEXT.DN);
			copyValue(out, shown, shown.dn);
			out.all(TEXT.CLASS_NAME);
			out.copy(shown.bytes, CLASS_START, shown.classEnd);
			if (before === null || after === null) {
				out.all(TEXT.OBJECT_KEY);
				out.all(shown.bytes);
				out.all(TEXT.CLOSE);
				return true;
			}
			out.all(TEXT.BEFORE);
			out.all(old.bytes);
			out.all(TEXT.AFTER);
			out.all(now.bytes);
			out.all(TEXT.CHANGES);
			if (writeChanges(out, ignore, old, now)) return true;
			out.cut(start);
			return null;
		},
	};
}

function emptyRow(): PlainRow {
	return { bytes: Buffer.alloc(0), classEnd: 0, tokens: new Int32Array(64 * TOKENS), used: 0, dn: 0 };
}

/** False where the row is not plain. It is known to be JSON without whitespace. */
function readPlain(bytes: Buffer, row: PlainRow): boolean {
	if (!startsWith(bytes, 0, ROW_START)) return false;
	row.bytes = bytes;
	row.classEnd = stringEnd(bytes, CLASS_START + 1);
	row.used = 0;
	row.dn = -1;
	if (row.classEnd < 0 || !startsWith(bytes, row.classEnd, ATTRIBUTES_START)) return false;
	let at = row.classEnd + ATTRIBUTES_START.length - 1;
	for (let before = -1; ; before = row.used, row.used += TOKENS) {
		if (bytes[at] !== QUOTE) return false;
		const nameEnd = stringEnd(bytes, at + 1);
		if (nameEnd < 0 || bytes[nameEnd + 1] !== QUOTE) return false;
		const valueEnd = stringEnd(bytes, nameEnd + 2);
		if (valueEnd < 0) return false;
		if (row.used + TOKENS > row.tokens.length) row.tokens = larger(row.tokens);
		const { tokens } = row;
		tokens[row.used] = at;
		tokens[row.used + 1] = nameEnd;
		tokens[row.used + 2] = valueEnd;
		if (before >= 0 && !ascends(row, before, row.used)) return false;
		if (nameEnd - at === DN.length && startsWith(bytes, at, DN)) row.dn = row.used;
		if (bytes[valueEnd] === CLOSE) {
			row.used += TOKENS;
			return row.dn >= 0 && valueEnd + ROW_END.length === bytes.length && startsWith(bytes, valueEnd, ROW_END);
		}
		at = valueEnd + 1;
	}
}

/** The position after the quote that ends a string; -1 where it has escapes. */
function stringEnd(bytes: Buffer, from: number): number {
	for (let at = from; at < bytes.length; at++) {
		const byte = bytes[at] as number;
		if (byte === QUOTE) return at + 1;
		if (byte === BACKSLASH) return -1;
	}
	return -1;
}

function startsWith(bytes: Buffer, at: number, wanted: Buffer): boolean {
	for (let step = 0; step < wanted.length; step++) if (bytes[at + step] !== wanted[step]) return false;
	return true;
}

function larger(tokens: Int32Array): Int32Array {
	const found = new Int32Array(tokens.length * 2);
	found.set(tokens);
	return found;
}

function ascends({ bytes, tokens }: PlainRow, before: number, at: number): boolean {
	const [start, end] = [(tokens[before] as number) + 1, (tokens[before + 1] as number) - 1];
	return compareRanges(bytes, start, end, (tokens[at] as number) + 1, (tokens[at + 1] as number) - 1) < 0;
}

/** False where all that differs is ignored. */
function writeChanges(out: TextOut, ignore: Ignore | null, old: PlainRow, now: PlainRow): boolean {
	const className = ignore === null ? "" : now.bytes.toString("latin1", CLASS_START + 1, now.classEnd - 1);
	let first = true;
	let ignored = false;
	for (let left = 0, right = 0; left < old.used || right < now.used; ) {
		const order = left >= old.used ? 1 : right >= now.used ? -1 : compareNames(old, left, now, right);
		const changed = order !== 0 || !sameValue(old, left, now, right);
		const name = !changed ? "" : order <= 0 ? nameAt(old, left) : nameAt(now, right);
		if (changed && ignore?.(className, name) === true) ignored = true;
		else if (changed) {
			out.all(first ? TEXT.KEY : TEXT.NEXT_KEY);
			first = false;
			if (order <= 0) copyName(out, old, left);
			else copyName(out, now, right);
			out.all(TEXT.OLD);
			if (order <= 0) copyValue(out, old, left);
			else out.all(TEXT.NULL_TEXT);
			out.all(TEXT.NEW);
			if (order >= 0) copyValue(out, now, right);
			else out.all(TEXT.NULL_TEXT);
			const before = order <= 0 ? { row: old, at: left } : null;
			writeParts(out, name, before, order >= 0 ? { row: now, at: right } : null);
			out.all(TEXT.CLOSE);
		}
		if (order <= 0) left += TOKENS;
		if (order >= 0) right += TOKENS;
	}
	out.all(TEXT.END);
	return !(first && ignored);
}

interface Value {
	row: PlainRow;
	at: number;
}

/** Values are decoded only where there can be something to tell. */
function writeParts(out: TextOut, name: string, old: Value | null, now: Value | null): void {
	const named = hasParts(name);
	if (named === false || (named === undefined && !hasComma(old) && !hasComma(now))) return;
	out.text(partsText(name, old && valueText(old), now && valueText(now)));
}

function hasComma(value: Value | null): boolean {
	if (value === null) return false;
	const { bytes } = value.row;
	for (let at = valueStart(value.row, value.at); at < valueEnd(value.row, value.at); at++)
		if (bytes[at] === COMMA) return true;
	return false;
}

const valueStart = ({ tokens }: PlainRow, at: number): number => (tokens[at + 1] as number) + 1;
const valueEnd = ({ tokens }: PlainRow, at: number): number => tokens[at + 2] as number;

function valueText({ row, at }: Value): string {
	return row.bytes.toString("utf8", valueStart(row, at), valueEnd(row, at));
}

/** Byte string. */
function nameAt({ bytes, tokens }: PlainRow, at: number): string {
	return bytes.toString("latin1", (tokens[at] as number) + 1, (tokens[at + 1] as number) - 1);
}

function copyName(out: TextOut, { bytes, tokens }: PlainRow, at: number): void {
	out.copy(bytes, tokens[at] as number, tokens[at + 1] as number);
}

function copyValue(out: TextOut, row: PlainRow, at: number): void {
	out.copy(row.bytes, valueStart(row, at), valueEnd(row, at));
}

function sameClass(a: PlainRow, b: PlainRow): boolean {
	return a.classEnd === b.classEnd && sameBytes(a.bytes, CLASS_START, b.bytes, CLASS_START, a.classEnd - CLASS_START);
}

function sameValue(a: PlainRow, left: number, b: PlainRow, right: number): boolean {
	const start = valueStart(a, left);
	const other = valueStart(b, right);
	const length = valueEnd(a, left) - start;
	return valueEnd(b, right) - other === length && sameBytes(a.bytes, start, b.bytes, other, length);
}

function sameBytes(a: Buffer, start: number, b: Buffer, other: number, length: number): boolean {
	for (let step = 0; step < length; step++) if (a[start + step] !== b[other + step]) return false;
	return true;
}

/** The order of two names' bytes. */
function compareNames(a: PlainRow, left: number, b: PlainRow, right: number): number {
	const start = (a.tokens[left] as number) + 1;
	const end = (a.tokens[left + 1] as number) - 1;
	const other = (b.tokens[right] as number) + 1;
	const otherEnd = (b.tokens[right + 1] as number) - 1;
	const shared = Math.min(end - start, otherEnd - other);
	for (let step = 0; step < shared; step++) {
		const difference = (a.bytes[start + step] as number) - (b.bytes[other + step] as number);
		if (difference !== 0) return difference;
	}
	return end - start - (otherEnd - other);
}
