/**
 * Writes the entries of rows that are one object with nothing but attributes, in the order of their names: as a controller answers most classes. Nothing
 * is decoded; the bytes of the rows are compared and copied. Gives way where anything is less plain, so that changes.ts alone says what an entry is.
 */
import type { Canonicalizer } from "./canonical.ts";
import type { Ignore } from "./ignore.ts";
import { SLOTS } from "./json-scan.ts";
import { compareRanges } from "./json-text.ts";
import { ARRAY, ESCAPED, KIND_MASK, STRING, UNUSUAL } from "./json-tokens.ts";
import { hasParts, partsText } from "./parts.ts";
import { keyName, type RowReader, raw } from "./row-reader.ts";
import { isDnKey } from "./shape.ts";
import type { TextOut } from "./text-out.ts";

export interface PlainWriter {
	/** Whether it could; null where all that differs is ignored. Unless it is true, nothing is written. */
	write(out: TextOut, before: RowReader | null, after: RowReader | null): boolean | null;
}

const COMMA = 0x2c;

/** The class's key, of the row's node: an object, a key, the class's value. */
const CLASS = SLOTS;

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

export function createPlainWriter(canonicalizer: Canonicalizer, ignore: Ignore | null): PlainWriter {
	return {
		write(out, before, after) {
			const shown = after ?? before;
			if (shown === null || !isPlain(before) || !isPlain(after)) return false;
			if (before !== null && after !== null && !sameToken(before, CLASS, after, CLASS)) return false;
			const dn = dnOf(shown);
			if (dn < 0) return false;
			const start = out.length();
			out.all(TEXT.DN);
			copyToken(out, shown, dn);
			out.all(TEXT.CLASS_NAME);
			copyToken(out, shown, CLASS);
			if (before === null || after === null) {
				out.all(TEXT.OBJECT_KEY);
				copyToken(out, shown, 0);
				out.all(TEXT.CLOSE);
				return true;
			}
			out.all(TEXT.BEFORE);
			copyToken(out, before, 0);
			out.all(TEXT.AFTER);
			copyToken(out, after, 0);
			out.all(TEXT.CHANGES);
			const written = writeChanges(out, { canonicalizer, ignore }, before, after);
			if (written !== true) out.cut(start);
			return written;
		},
	};
}

function isPlain(row: RowReader | null): boolean {
	if (row === null) return true;
	return row.plainAttributes() >= 0 && ((row.scanner.tape.nodes[CLASS] as number) & ESCAPED) === 0;
}

/** The node of the dn; -1 where it is anything but a plain string that occurs once. */
function dnOf(row: RowReader): number {
	const { bytes, tape } = row.scanner;
	const { nodes } = tape;
	const attributes = row.plainAttributes();
	const end = nodes[attributes + 3] as number;
	let found = -1;
	for (let key = attributes + SLOTS; key < end; key = nodes[key + SLOTS + 3] as number) {
		if (!isDnKey(bytes, nodes, key)) continue;
		if (found >= 0 || nodes[key + SLOTS] !== STRING) return -1;
		found = key + SLOTS;
	}
	return found;
}

/** False where the attributes of a side are not in the order of their names; null where all that differs is ignored. */
function writeChanges(
	out: TextOut,
	{ canonicalizer, ignore }: { canonicalizer: Canonicalizer; ignore: Ignore | null },
	before: RowReader,
	after: RowReader,
): boolean | null {
	const old = createKeys(before);
	const now = createKeys(after);
	const className = ignore === null ? "" : nameAt(after, CLASS);
	let first = true;
	let ignored = false;
	for (;;) {
		const [left, right] = [old.key(), now.key()];
		if (left < 0 && right < 0) break;
		const order = left < 0 ? 1 : right < 0 ? -1 : compareTokens(before, left, after, right);
		const changed =
			order !== 0 ||
			(!sameToken(before, left + SLOTS, after, right + SLOTS) &&
				(isCertain(before, left + SLOTS, after, right + SLOTS) ||
					canonical(canonicalizer, before, left + SLOTS) !== canonical(canonicalizer, after, right + SLOTS)));
		const name = !changed ? "" : order <= 0 ? nameAt(before, left) : nameAt(after, right);
		if (changed && ignore?.(className, name) === true) ignored = true;
		else if (changed) {
			out.all(first ? TEXT.KEY : TEXT.NEXT_KEY);
			first = false;
			if (order <= 0) copyToken(out, before, left);
			else copyToken(out, after, right);
			out.all(TEXT.OLD);
			if (order <= 0) copyToken(out, before, left + SLOTS);
			else out.all(TEXT.NULL_TEXT);
			out.all(TEXT.NEW);
			if (order >= 0) copyToken(out, after, right + SLOTS);
			else out.all(TEXT.NULL_TEXT);
			writeParts(out, name, order <= 0 ? memberAt(before, left) : null, order >= 0 ? memberAt(after, right) : null);
			out.all(TEXT.CLOSE);
		}
		if ((order <= 0 && !old.step()) || (order >= 0 && !now.step())) return false;
	}
	out.all(TEXT.END);
	if (!old.isPlain() || !now.isPlain()) return false;
	return first && ignored ? null : true;
}

interface Value {
	row: RowReader;
	node: number;
}

function memberAt(row: RowReader, key: number): Value {
	return { row, node: key + SLOTS };
}

/** Values are decoded only where there can be something to tell. */
function writeParts(out: TextOut, name: string, old: Value | null, now: Value | null): void {
	const named = hasParts(name);
	if (named === false || (named === undefined && !hasComma(old) && !hasComma(now))) return;
	const [before, after] = [old && raw(old.row, old.node), now && raw(now.row, now.node)];
	out.text(partsText(name, before, after));
}

function hasComma(value: Value | null): boolean {
	if (value === null) return false;
	const { bytes, tape } = value.row.scanner;
	if (((tape.nodes[value.node] as number) & KIND_MASK) !== STRING) return false;
	for (let at = tape.nodes[value.node + 1] as number; at < (tape.nodes[value.node + 2] as number); at++)
		if (bytes[at] === COMMA) return true;
	return false;
}

function nameAt({ scanner: { bytes, tape } }: RowReader, key: number): string {
	return keyName(bytes, tape.nodes, key);
}

/** The attributes of a row one after another, as long as their names ascend and are spelt without escapes. */
function createKeys(row: RowReader) {
	const { bytes, tape } = row.scanner;
	const { nodes } = tape;
	const attributes = row.plainAttributes();
	const end = nodes[attributes + 3] as number;
	let at = attributes + SLOTS;
	return {
		/** -1 at the end. */
		key: () => (at < end ? at : -1),
		isPlain: () => at >= end,
		/** False where the next name is not greater. */
		step(): boolean {
			const before = at;
			at = nodes[at + SLOTS + 3] as number;
			if (((nodes[before] as number) & ESCAPED) !== 0) return false;
			if (at >= end) return true;
			return (
				compareRanges(
					bytes,
					(nodes[before + 1] as number) + 1,
					(nodes[before + 2] as number) - 1,
					(nodes[at + 1] as number) + 1,
					(nodes[at + 2] as number) - 1,
				) < 0
			);
		},
	};
}

function copyToken(out: TextOut, { scanner: { bytes, tape } }: RowReader, node: number): void {
	out.copy(bytes, tape.nodes[node + 1] as number, tape.nodes[node + 2] as number);
}

function sameToken(a: RowReader, left: number, b: RowReader, right: number): boolean {
	const start = a.scanner.tape.nodes[left + 1] as number;
	const length = (a.scanner.tape.nodes[left + 2] as number) - start;
	const other = b.scanner.tape.nodes[right + 1] as number;
	if ((b.scanner.tape.nodes[right + 2] as number) - other !== length) return false;
	const { bytes } = a.scanner;
	const others = b.scanner.bytes;
	for (let step = 0; step < length; step++) if (bytes[start + step] !== others[other + step]) return false;
	return true;
}

/** The order of two strings' bytes, quotes left out. */
function compareTokens(a: RowReader, left: number, b: RowReader, right: number): number {
	const start = (a.scanner.tape.nodes[left + 1] as number) + 1;
	const end = (a.scanner.tape.nodes[left + 2] as number) - 1;
	const other = (b.scanner.tape.nodes[right + 1] as number) + 1;
	const otherEnd = (b.scanner.tape.nodes[right + 2] as number) - 1;
	const shared = Math.min(end - start, otherEnd - other);
	for (let step = 0; step < shared; step++) {
		const difference = (a.scanner.bytes[start + step] as number) - (b.scanner.bytes[other + step] as number);
		if (difference !== 0) return difference;
	}
	return end - start - (otherEnd - other);
}

/** Whether values with different spellings are different values: strings without escapes, plain integers, words. */
function isCertain(a: RowReader, left: number, b: RowReader, right: number): boolean {
	const kinds = [a.scanner.tape.nodes[left] as number, b.scanner.tape.nodes[right] as number];
	return kinds.every((kind) => (kind & KIND_MASK) > ARRAY && (kind & (ESCAPED | UNUSUAL)) === 0);
}

function canonical(canonicalizer: Canonicalizer, { scanner: { bytes, tape } }: RowReader, node: number): string {
	return canonicalizer.writeValue(bytes, tape, node).toString("latin1");
}
