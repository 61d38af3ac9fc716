/**
 * The canonical text of a row, which is independent of key order, whitespace, escapes and number
 * notation. It is JSON:
 *
 * - no whitespace; members sorted by the code points of their decoded keys, equal keys in their
 *   order;
 * - strings as ECMAScript's JSON.stringify writes them: only `"`, `\`, control characters and lone
 *   surrogates escaped;
 * - numbers by exact value (see numbers.ts);
 * - elements of `children` of a wrapped object sorted by their canonical bytes, because their order
 *   is not drift. Other arrays keep their order.
 *
 * A row's hash is the SHA-256 of these bytes. Most rows of controllers are canonical already and
 * are hashed in place.
 */
import { SLOTS, type Tape } from "../../../core/json/scan.ts";
import { ARRAY, ESCAPED, JsonTextError, KIND_MASK, OBJECT, STRING, UNUSUAL } from "../../../core/json/tokens.ts";
import { createUtf8Writer } from "../../../core/utf8-writer.ts";
import { compareByteStrings, compareRanges, readTokenContent } from "./json-text.ts";
import { canonicalizeNumber } from "./numbers.ts";
import { isChildrenKey, readWrappedBody } from "./shape.ts";

/** Nodes of children that are objects themselves: they are left out of their parent's text. */
export type Left = ReadonlySet<number>;
export const NOTHING: Left = new Set();

export interface Canonicalizer {
	/** Whether the row on the tape, whitespace aside, is canonical already. */
	isCanonical(bytes: Buffer, tape: Tape): boolean;
	/** Canonical bytes of a row or child. The next call overwrites the result. */
	write(bytes: Buffer, tape: Tape, node: number, left: Left): Buffer;
	/** Canonical bytes of any other value. The next call overwrites the result. */
	writeValue(bytes: Buffer, tape: Tape, node: number): Buffer;
	/**
	 * Canonical bytes of an array of children without those in `left`. The next call overwrites the
	 * result.
	 */
	writeChildren(bytes: Buffer, tape: Tape, node: number, left: Left): Buffer;
}

/** The buffer that canonical text is written to. */
interface CanonicalizerState {
	readonly out: ReturnType<typeof createUtf8Writer>;
}

function writeScalar(canonicalizer: CanonicalizerState, bytes: Buffer, nodes: Int32Array, node: number): void {
	const kind = nodes[node] as number;
	const start = nodes[node + 1] as number;
	const end = nodes[node + 2] as number;
	if ((kind & (ESCAPED | UNUSUAL)) === 0) canonicalizer.out.copy(bytes, start, end);
	else if ((kind & KIND_MASK) === STRING)
		canonicalizer.out.text(JSON.stringify(JSON.parse(bytes.toString("utf8", start, end))));
	else {
		const number = canonicalizeNumber(bytes.toString("latin1", start, end));
		if (number === undefined) throw new JsonTextError("size", start, "Number with too long an exponent");
		canonicalizer.out.text(number);
	}
}

/**
 * Writes the value at `node`. With `asRow`, a wrapped object is a managed object. The scanner
 * limits the depth.
 */
function writeNode(
	canonicalizer: CanonicalizerState,
	bytes: Buffer,
	nodes: Int32Array,
	node: number,
	asRow: boolean,
	left: Left,
): void {
	const kind = (nodes[node] as number) & KIND_MASK;
	if (kind === OBJECT) {
		const body = asRow ? readWrappedBody(nodes, node) : -1;
		if (body < 0) writeMembers(canonicalizer, bytes, nodes, node, false, left);
		else {
			canonicalizer.out.byte(0x7b);
			writeScalar(canonicalizer, bytes, nodes, node + SLOTS);
			canonicalizer.out.byte(0x3a);
			writeMembers(canonicalizer, bytes, nodes, body, true, left);
			canonicalizer.out.byte(0x7d);
		}
	} else if (kind === ARRAY) {
		canonicalizer.out.byte(0x5b);
		const end = nodes[node + 3] as number;
		for (let item = node + SLOTS; item < end; item = nodes[item + 3] as number) {
			if (item !== node + SLOTS) canonicalizer.out.byte(0x2c);
			writeNode(canonicalizer, bytes, nodes, item, false, left);
		}
		canonicalizer.out.byte(0x5d);
	} else writeScalar(canonicalizer, bytes, nodes, node);
}

function writeMembers(
	canonicalizer: CanonicalizerState,
	bytes: Buffer,
	nodes: Int32Array,
	node: number,
	managed: boolean,
	left: Left,
): void {
	canonicalizer.out.byte(0x7b);
	let first = true;
	for (const key of sortKeys(bytes, nodes, node)) {
		const isChildren =
			managed && ((nodes[key + SLOTS] as number) & KIND_MASK) === ARRAY && isChildrenKey(bytes, nodes, key);
		if (isChildren && left.size > 0 && !hasKept(nodes, key + SLOTS, left)) continue;
		if (!first) canonicalizer.out.byte(0x2c);
		first = false;
		const member = key + SLOTS;
		writeScalar(canonicalizer, bytes, nodes, key);
		canonicalizer.out.byte(0x3a);
		if (isChildren) writeSortedChildren(canonicalizer, bytes, nodes, member, left);
		else writeNode(canonicalizer, bytes, nodes, member, false, left);
	}
	canonicalizer.out.byte(0x7d);
}

function writeSortedChildren(
	canonicalizer: CanonicalizerState,
	bytes: Buffer,
	nodes: Int32Array,
	node: number,
	left: Left,
): void {
	const base = canonicalizer.out.length();
	const parts: Buffer[] = [];
	const end = nodes[node + 3] as number;
	for (let item = node + SLOTS; item < end; item = nodes[item + 3] as number) {
		if (left.has(item)) continue;
		writeNode(canonicalizer, bytes, nodes, item, true, left);
		parts.push(Buffer.from(canonicalizer.out.bytes().subarray(base)));
		canonicalizer.out.cut(base);
	}
	canonicalizer.out.byte(0x5b);
	for (const [index, part] of parts.sort(Buffer.compare).entries()) {
		if (index > 0) canonicalizer.out.byte(0x2c);
		canonicalizer.out.all(part);
	}
	canonicalizer.out.byte(0x5d);
}

function isCanonicalRow(bytes: Buffer<ArrayBufferLike>, tape: Tape): boolean {
	const { nodes, used: end } = tape;
	for (let node = 0; node < end; node += SLOTS) {
		const kind = nodes[node] as number;
		if ((kind & (ESCAPED | UNUSUAL)) !== 0) return false;
		if (kind !== OBJECT) continue;
		const stop = nodes[node + 3] as number;
		let before = -1;
		for (let key = node + SLOTS; key < stop; key = nodes[key + SLOTS + 3] as number) {
			if (((nodes[key] as number) & ESCAPED) !== 0) return false;
			if (before >= 0 && compareKeys(bytes, nodes, before, key) > 0) return false;
			if (nodes[key + SLOTS] === ARRAY && isChildrenKey(bytes, nodes, key)) return false;
			before = key;
		}
	}
	return true;
}

function writeRow(
	canonicalizer: CanonicalizerState,
	bytes: Buffer<ArrayBufferLike>,
	tape: Tape,
	node: number,
	left: Left,
): Buffer<ArrayBufferLike> {
	canonicalizer.out.cut(0);
	writeNode(canonicalizer, bytes, tape.nodes, node, true, left);
	return canonicalizer.out.bytes();
}

function writeTopValue(
	canonicalizer: CanonicalizerState,
	bytes: Buffer<ArrayBufferLike>,
	tape: Tape,
	node: number,
): Buffer<ArrayBufferLike> {
	canonicalizer.out.cut(0);
	writeNode(canonicalizer, bytes, tape.nodes, node, false, NOTHING);
	return canonicalizer.out.bytes();
}

function writeRowChildren(
	canonicalizer: CanonicalizerState,
	bytes: Buffer<ArrayBufferLike>,
	tape: Tape,
	node: number,
	left: Left,
): Buffer<ArrayBufferLike> {
	canonicalizer.out.cut(0);
	writeSortedChildren(canonicalizer, bytes, tape.nodes, node, left);
	return canonicalizer.out.bytes();
}

export function createCanonicalizer(): Canonicalizer {
	const canonicalizer: CanonicalizerState = { out: createUtf8Writer() };

	return {
		isCanonical: isCanonicalRow,
		write: (bytes, tape, node, left) => writeRow(canonicalizer, bytes, tape, node, left),
		writeValue: (bytes, tape, node) => writeTopValue(canonicalizer, bytes, tape, node),
		writeChildren: (bytes, tape, node, left) => writeRowChildren(canonicalizer, bytes, tape, node, left),
	};
}

/** Whether an array of children has one that is not an object itself. */
export function hasKept(nodes: Int32Array, array: number, left: Left): boolean {
	const end = nodes[array + 3] as number;
	for (let item = array + SLOTS; item < end; item = nodes[item + 3] as number) if (!left.has(item)) return true;
	return false;
}

function compareKeys(bytes: Buffer, nodes: Int32Array, a: number, b: number): number {
	return compareRanges(
		bytes,
		(nodes[a + 1] as number) + 1,
		(nodes[a + 2] as number) - 1,
		(nodes[b + 1] as number) + 1,
		(nodes[b + 2] as number) - 1,
	);
}

/** The keys of an object in the order of their decoded names. Equal ones keep their order. */
function sortKeys(bytes: Buffer, nodes: Int32Array, node: number): number[] {
	const named: { key: number; name: string }[] = [];
	const end = nodes[node + 3] as number;
	for (let key = node + SLOTS; key < end; key = nodes[key + SLOTS + 3] as number) {
		const escaped = ((nodes[key] as number) & ESCAPED) !== 0;
		named.push({ key, name: readTokenContent(bytes, nodes[key + 1] as number, nodes[key + 2] as number, escaped) });
	}
	return named.sort((a, b) => compareByteStrings(a.name, b.name)).map(({ key }) => key);
}
