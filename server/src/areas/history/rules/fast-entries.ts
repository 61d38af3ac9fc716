/**
 * The fast path of entry-writer.ts, which alone defines what an entry is. It writes entries of
 * simple rows: one object that has only attributes, all strings without escapes, sorted by name, as
 * controllers answer most classes. It walks both rows once, side by side, and copies bytes without
 * decoding them. It takes a sixth of the processor time of the general path, without which
 * comparing across 100 snapshots would miss its goal in docs/performance.md.
 */
import type { Utf8Writer } from "../../../core/utf8-writer.ts";
import type { Ignore } from "./ignore.ts";
import { getNaming, joinParts, type Naming } from "./parts.ts";
import type { RowReader } from "./row-reader.ts";

export interface FastWriter {
	/**
	 * Returns true if it wrote the entry, false if a row is not simple, null if all that differs is
	 * ignored. Writes nothing unless it returns true.
	 */
	write(out: Utf8Writer, before: RowReader | null, after: RowReader | null): boolean | null;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

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

/**
 * A pair of simple rows and the positions of their tokens, quotes included. A single row is paired
 * with itself.
 */
interface Pair {
	old: Buffer;
	now: Buffer;
	/** End of the class name, which begins after the first brace, in both rows. */
	classEnd: number;
	/** Position of the dn's value in `now`. */
	dnStart: number;
	dnEnd: number;
	/**
	 * SPAN integers for each attribute that differs: start and end of its name, of its old value and
	 * of its new value. An absent value begins at -1.
	 */
	changes: Int32Array;
	/** Integers of `changes` in use. */
	used: number;
}

const SPAN = 6;
const CLASS_START = 1;

export function createFastWriter(ignore: Ignore | null): FastWriter {
	const pair = createEmptyPair();
	const namings = new Map<string, Naming>();
	return {
		write(out, before, after) {
			const shown = after ?? before;
			if (shown === null || before?.ordinal() || after?.ordinal()) return false;
			pair.old = (before ?? shown).text();
			pair.now = shown.text();
			if (!readPair(pair)) return false;
			const start = out.length();
			out.all(TEXT.DN);
			out.copy(pair.now, pair.dnStart, pair.dnEnd);
			out.all(TEXT.CLASS_NAME);
			out.copy(pair.now, CLASS_START, pair.classEnd);
			if (before === null || after === null) {
				out.all(TEXT.OBJECT_KEY);
				out.all(pair.now);
				out.all(TEXT.CLOSE);
				return true;
			}
			out.all(TEXT.BEFORE);
			out.all(pair.old);
			out.all(TEXT.AFTER);
			out.all(pair.now);
			out.all(TEXT.CHANGES);
			if (writeChanges(out, ignore, namings, pair)) return true;
			out.cut(start);
			return null;
		},
	};
}

function createEmptyPair(): Pair {
	const none = Buffer.alloc(0);
	return { old: none, now: none, classEnd: 0, dnStart: 0, dnEnd: 0, changes: new Int32Array(64 * SPAN), used: 0 };
}

/** Positions of the next name: after the last attribute, and in a row that is not simple. */
const AFTER_LAST = -1;
const NOT_SIMPLE = -2;

/** False if a row is not simple or the classes differ. Both are valid JSON without whitespace. */
function readPair(pair: Pair): boolean {
	const { old, now } = pair;
	pair.classEnd = findStringEnd(now, CLASS_START + 1);
	const start = pair.classEnd + ATTRIBUTES_START.length - 1;
	if (pair.classEnd < 0 || !startsWith(now, 0, ROW_START) || !startsWith(now, pair.classEnd, ATTRIBUTES_START))
		return false;
	for (let at = 0; at <= start; at++) if (old[at] !== now[at]) return false;
	pair.dnStart = -1;
	pair.used = 0;
	let left = start;
	let right = start;
	let last = now;
	let lastName = AFTER_LAST;
	while (left >= 0 || right >= 0) {
		const order = left < 0 ? 1 : right < 0 ? -1 : compareNames(old, left, now, right);
		const row = order <= 0 ? old : now;
		const name = order <= 0 ? left : right;
		const nameEnd = findStringEnd(row, name + 1);
		if (nameEnd < 0 || (lastName >= 0 && compareNames(last, lastName, row, name) >= 0)) return false;
		last = row;
		lastName = name;
		const oldStart = order <= 0 ? nameEnd + 1 : -1;
		const nowStart = order >= 0 ? right + nameEnd - name + 1 : -1;
		if ((oldStart >= 0 && old[oldStart] !== QUOTE) || (nowStart >= 0 && now[nowStart] !== QUOTE)) return false;
		const inside = order === 0 ? 1 + countSharedLength(old, oldStart + 1, now, nowStart + 1) : 1;
		const oldEnd = oldStart < 0 ? 0 : findStringEnd(old, oldStart + inside);
		const nowEnd = nowStart < 0 ? 0 : findStringEnd(now, nowStart + inside);
		if (oldEnd < 0 || nowEnd < 0) return false;
		if (order <= 0) left = readNextName(old, oldEnd);
		if (order >= 0) right = readNextName(now, nowEnd);
		if (left === NOT_SIMPLE || right === NOT_SIMPLE) return false;
		if (order !== 0 || oldEnd !== oldStart + inside + 1 || nowEnd !== nowStart + inside + 1) {
			if (pair.used === pair.changes.length) pair.changes = growChanges(pair.changes);
			const { changes, used } = pair;
			changes[used] = name;
			changes[used + 1] = nameEnd;
			changes[used + 2] = oldStart;
			changes[used + 3] = oldEnd;
			changes[used + 4] = nowStart;
			changes[used + 5] = nowEnd;
			pair.used += SPAN;
		} else if (nameEnd - name === DN.length && startsWith(row, name, DN)) {
			pair.dnStart = nowStart;
			pair.dnEnd = nowEnd;
		}
	}
	return pair.dnStart >= 0;
}

/**
 * The position after the closing quote of a string; -1 if it has escapes. Unlike the function of
 * core/json/tokens.ts it stops at the first escape and does not throw, because rows that are not
 * simple are left to the general path.
 */
function findStringEnd(bytes: Buffer, from: number): number {
	for (let at = from; at < bytes.length; at++) {
		const byte = bytes[at] as number;
		if (byte === QUOTE) return at + 1;
		if (byte === BACKSLASH) return -1;
	}
	return -1;
}

/**
 * Number of equal bytes of two strings from some positions on, up to the end of one or an escape.
 */
function countSharedLength(a: Buffer, start: number, b: Buffer, other: number): number {
	const most = Math.min(a.length - start, b.length - other);
	let length = 0;
	for (; length < most; length++) {
		const byte = a[start + length];
		if (byte !== b[other + length] || byte === QUOTE || byte === BACKSLASH) break;
	}
	return length;
}

/** Compares two names without escapes by bytes. */
function compareNames(a: Buffer, name: number, b: Buffer, other: number): number {
	const at = 1 + countSharedLength(a, name + 1, b, other + 1);
	const left = a[name + at] as number;
	const right = b[other + at] as number;
	return left === right ? 0 : left === QUOTE ? -1 : right === QUOTE ? 1 : left - right;
}

/** The position of the name after a value. */
function readNextName(bytes: Buffer, valueEnd: number): number {
	if (bytes[valueEnd] === COMMA) return valueEnd + 1;
	const isEnd = valueEnd + ROW_END.length === bytes.length && startsWith(bytes, valueEnd, ROW_END);
	return isEnd ? AFTER_LAST : NOT_SIMPLE;
}

function startsWith(bytes: Buffer, at: number, wanted: Buffer): boolean {
	for (let step = 0; step < wanted.length; step++) if (bytes[at + step] !== wanted[step]) return false;
	return true;
}

function growChanges(changes: Int32Array): Int32Array {
	const found = new Int32Array(changes.length * 2);
	found.set(changes);
	return found;
}

/** False if all that differs is ignored. */
function writeChanges(
	out: Utf8Writer,
	ignore: Ignore | null,
	namings: Map<string, Naming>,
	{ old, now, classEnd, changes, used }: Pair,
): boolean {
	const className = ignore === null ? "" : now.toString("latin1", CLASS_START + 1, classEnd - 1);
	let first = true;
	for (let at = 0; at < used; at += SPAN) {
		const [nameStart, nameEnd] = [changes[at] as number, changes[at + 1] as number];
		const [oldStart, oldEnd] = [changes[at + 2] as number, changes[at + 3] as number];
		const [nowStart, nowEnd] = [changes[at + 4] as number, changes[at + 5] as number];
		const row = oldStart < 0 ? now : old;
		const name = row.toString("latin1", nameStart + 1, nameEnd - 1);
		const isList = ignore !== null && oldEnd - oldStart === nowEnd - nowStart && hasComma(old, oldStart, oldEnd);
		const [was, is] = isList
			? [readValueText(old, oldStart, oldEnd), readValueText(now, nowStart, nowEnd)]
			: [null, null];
		if (ignore?.(className, name, was, is) === true) continue;
		out.all(first ? TEXT.KEY : TEXT.NEXT_KEY);
		first = false;
		out.copy(row, nameStart, nameEnd);
		out.all(TEXT.OLD);
		if (oldStart < 0) out.all(TEXT.NULL_TEXT);
		else out.copy(old, oldStart, oldEnd);
		out.all(TEXT.NEW);
		if (nowStart < 0) out.all(TEXT.NULL_TEXT);
		else out.copy(now, nowStart, nowEnd);
		const naming = namings.get(name) ?? getNaming(name);
		namings.set(name, naming);
		if (naming !== "none" && (naming !== "open" || hasComma(old, oldStart, oldEnd) || hasComma(now, nowStart, nowEnd)))
			out.text(joinParts(naming, readValueText(old, oldStart, oldEnd), readValueText(now, nowStart, nowEnd)));
		out.all(TEXT.CLOSE);
	}
	out.all(TEXT.END);
	return !first || used === 0;
}

function hasComma(bytes: Buffer, start: number, end: number): boolean {
	for (let at = start; at < end; at++) if (bytes[at] === COMMA) return true;
	return false;
}

/** JSON text of a value; null if it is absent. */
function readValueText(bytes: Buffer, start: number, end: number): string | null {
	return start < 0 ? null : bytes.toString("utf8", start, end);
}
