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
import { SLOTS, type Tape } from "../../../platform/json/scan.ts";
import { ARRAY, ESCAPED, JsonTextError, KIND_MASK, OBJECT, STRING, UNUSUAL } from "../../../platform/json/tokens.ts";
import { createUtf8Writer } from "../../../platform/utf8-writer.ts";
import { compareByteStrings, compareRanges, tokenContent } from "./json-text.ts";
import { canonicalNumber } from "./numbers.ts";
import { isChildrenKey, wrappedBody } from "./shape.ts";

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

export function createCanonicalizer(): Canonicalizer {
	const out = createUtf8Writer();

	function writeScalar(bytes: Buffer, nodes: Int32Array, node: number): void {
		const kind = nodes[node] as number;
		const start = nodes[node + 1] as number;
		const end = nodes[node + 2] as number;
		if ((kind & (ESCAPED | UNUSUAL)) === 0) out.copy(bytes, start, end);
		else if ((kind & KIND_MASK) === STRING) out.text(JSON.stringify(JSON.parse(bytes.toString("utf8", start, end))));
		else {
			const number = canonicalNumber(bytes.toString("latin1", start, end));
			if (number === undefined) throw new JsonTextError("size", start, "Number with too long an exponent");
			out.text(number);
		}
	}

	/**
	 * Writes the value at `node`. With `asRow`, a wrapped object is a managed object. The scanner
	 * limits the depth.
	 */
	function writeNode(bytes: Buffer, nodes: Int32Array, node: number, asRow: boolean, left: Left): void {
		const kind = (nodes[node] as number) & KIND_MASK;
		if (kind === OBJECT) {
			const body = asRow ? wrappedBody(nodes, node) : -1;
			if (body < 0) writeMembers(bytes, nodes, node, false, left);
			else {
				out.byte(0x7b);
				writeScalar(bytes, nodes, node + SLOTS);
				out.byte(0x3a);
				writeMembers(bytes, nodes, body, true, left);
				out.byte(0x7d);
			}
		} else if (kind === ARRAY) {
			out.byte(0x5b);
			const end = nodes[node + 3] as number;
			for (let item = node + SLOTS; item < end; item = nodes[item + 3] as number) {
				if (item !== node + SLOTS) out.byte(0x2c);
				writeNode(bytes, nodes, item, false, left);
			}
			out.byte(0x5d);
		} else writeScalar(bytes, nodes, node);
	}

	function writeMembers(bytes: Buffer, nodes: Int32Array, node: number, managed: boolean, left: Left): void {
		out.byte(0x7b);
		let first = true;
		for (const key of sortedKeys(bytes, nodes, node)) {
			const isChildren =
				managed && ((nodes[key + SLOTS] as number) & KIND_MASK) === ARRAY && isChildrenKey(bytes, nodes, key);
			if (isChildren && left.size > 0 && !hasKept(nodes, key + SLOTS, left)) continue;
			if (!first) out.byte(0x2c);
			first = false;
			const member = key + SLOTS;
			writeScalar(bytes, nodes, key);
			out.byte(0x3a);
			if (isChildren) writeSortedChildren(bytes, nodes, member, left);
			else writeNode(bytes, nodes, member, false, left);
		}
		out.byte(0x7d);
	}

	function writeSortedChildren(bytes: Buffer, nodes: Int32Array, node: number, left: Left): void {
		const base = out.length();
		const parts: Buffer[] = [];
		const end = nodes[node + 3] as number;
		for (let item = node + SLOTS; item < end; item = nodes[item + 3] as number) {
			if (left.has(item)) continue;
			writeNode(bytes, nodes, item, true, left);
			parts.push(Buffer.from(out.bytes().subarray(base)));
			out.cut(base);
		}
		out.byte(0x5b);
		for (const [index, part] of parts.sort(Buffer.compare).entries()) {
			if (index > 0) out.byte(0x2c);
			out.all(part);
		}
		out.byte(0x5d);
	}

	return {
		isCanonical(bytes, tape) {
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
		},
		write(bytes, tape, node, left) {
			out.cut(0);
			writeNode(bytes, tape.nodes, node, true, left);
			return out.bytes();
		},
		writeValue(bytes, tape, node) {
			out.cut(0);
			writeNode(bytes, tape.nodes, node, false, NOTHING);
			return out.bytes();
		},
		writeChildren(bytes, tape, node, left) {
			out.cut(0);
			writeSortedChildren(bytes, tape.nodes, node, left);
			return out.bytes();
		},
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
function sortedKeys(bytes: Buffer, nodes: Int32Array, node: number): number[] {
	const named: { key: number; name: string }[] = [];
	const end = nodes[node + 3] as number;
	for (let key = node + SLOTS; key < end; key = nodes[key + SLOTS + 3] as number) {
		const escaped = ((nodes[key] as number) & ESCAPED) !== 0;
		named.push({ key, name: tokenContent(bytes, nodes[key + 1] as number, nodes[key + 2] as number, escaped) });
	}
	return named.sort((a, b) => compareByteStrings(a.name, b.name)).map(({ key }) => key);
}
