/**
 * The canonical spelling of a row: what remains when key order, whitespace, escapes and number notation do not matter. It is itself JSON:
 *
 * - no whitespace; members sorted by the code points of their decoded keys, equal keys in their order;
 * - strings as ECMAScript's JSON.stringify writes them: only `"`, `\`, control characters and lone surrogates escaped;
 * - numbers by exact value (see numbers.ts);
 * - elements of `children` of a wrapped object sorted by their own canonical bytes, for their order is not drift. Other arrays keep their order.
 *
 * A row's hash is the SHA-256 of these bytes. Most controller rows are canonical as they come, and are hashed where they lie.
 */
import { SLOTS, type Tape } from "../../../platform/json/scan.ts";
import { ARRAY, ESCAPED, JsonTextError, KIND_MASK, OBJECT, STRING, UNUSUAL } from "../../../platform/json/tokens.ts";
import { compareRanges, tokenContent } from "./json-text.ts";
import { canonicalNumber } from "./numbers.ts";
import { isChildrenKey, wrappedBody } from "./shape.ts";

/** Nodes of children that are objects of their own, left out of their parent's text. */
export type Left = ReadonlySet<number>;
export const NOTHING: Left = new Set();

export interface Canonicalizer {
	/** Whether the recorded row, whitespace aside, already is its canonical spelling. */
	isCanonical(bytes: Buffer, tape: Tape): boolean;
	/** Canonical bytes of a row or child. The answer is overwritten by the next call. */
	write(bytes: Buffer, tape: Tape, node: number, left: Left): Buffer;
	/** Canonical bytes of any other value. The answer is overwritten by the next call. */
	writeValue(bytes: Buffer, tape: Tape, node: number): Buffer;
	/** Canonical bytes of an array of children without those in `left`. The answer is overwritten by the next call. */
	writeChildren(bytes: Buffer, tape: Tape, node: number, left: Left): Buffer;
}

export function createCanonicalizer(): Canonicalizer {
	let out = Buffer.allocUnsafeSlow(64 * 1024);
	let used = 0;
	/** By member count, the last order that sorted an object: rows of one class mostly share it. */
	const orders = new Map<number, number[]>();

	function room(bytes: number): void {
		if (used + bytes <= out.length) return;
		const larger = Buffer.allocUnsafeSlow(Math.max(out.length * 2, used + bytes));
		out.copy(larger, 0, 0, used);
		out = larger;
	}

	function put(byte: number): void {
		if (used === out.length) room(1);
		out[used++] = byte;
	}

	function copy(bytes: Buffer, start: number, end: number): void {
		room(end - start);
		if (end - start > 64) {
			bytes.copy(out, used, start, end);
			used += end - start;
		} else for (let at = start; at < end; at++) out[used++] = bytes[at] as number;
	}

	function text(value: string): void {
		room(value.length * 3);
		used += out.write(value, used);
	}

	function scalar(bytes: Buffer, nodes: Int32Array, node: number): void {
		const kind = nodes[node] as number;
		const start = nodes[node + 1] as number;
		const end = nodes[node + 2] as number;
		if ((kind & (ESCAPED | UNUSUAL)) === 0) copy(bytes, start, end);
		else if ((kind & KIND_MASK) === STRING) text(JSON.stringify(JSON.parse(bytes.toString("utf8", start, end))));
		else {
			const number = canonicalNumber(bytes.toString("latin1", start, end));
			if (number === undefined) throw new JsonTextError("size", start, "Number with too long an exponent");
			text(number);
		}
	}

	/** Writes the value at `node`; `asRow` where a wrapped object would be a managed object. Depth is bounded by the scanner. */
	function value(bytes: Buffer, nodes: Int32Array, node: number, asRow: boolean, left: Left): void {
		const kind = (nodes[node] as number) & KIND_MASK;
		if (kind === OBJECT) {
			const body = asRow ? wrappedBody(nodes, node) : -1;
			if (body < 0) members(bytes, nodes, node, false, left);
			else {
				put(0x7b);
				scalar(bytes, nodes, node + SLOTS);
				put(0x3a);
				members(bytes, nodes, body, true, left);
				put(0x7d);
			}
		} else if (kind === ARRAY) {
			put(0x5b);
			const end = nodes[node + 3] as number;
			for (let item = node + SLOTS; item < end; item = nodes[item + 3] as number) {
				if (item !== node + SLOTS) put(0x2c);
				value(bytes, nodes, item, false, left);
			}
			put(0x5d);
		} else scalar(bytes, nodes, node);
	}

	function members(bytes: Buffer, nodes: Int32Array, node: number, managed: boolean, left: Left): void {
		put(0x7b);
		let first = true;
		for (const key of sortedKeys(bytes, nodes, node)) {
			const isChildren =
				managed && ((nodes[key + SLOTS] as number) & KIND_MASK) === ARRAY && isChildrenKey(bytes, nodes, key);
			if (isChildren && left.size > 0 && !hasKept(nodes, key + SLOTS, left)) continue;
			if (!first) put(0x2c);
			first = false;
			const member = key + SLOTS;
			const kind = (nodes[key] as number) | (nodes[member] as number);
			const isPlain = ((nodes[member] as number) & KIND_MASK) > ARRAY && (kind & (ESCAPED | UNUSUAL)) === 0;
			if (isPlain && nodes[member + 1] === (nodes[key + 2] as number) + 1) {
				copy(bytes, nodes[key + 1] as number, nodes[member + 2] as number);
				continue;
			}
			scalar(bytes, nodes, key);
			put(0x3a);
			if (isChildren) children(bytes, nodes, member, left);
			else value(bytes, nodes, member, false, left);
		}
		put(0x7d);
	}

	function children(bytes: Buffer, nodes: Int32Array, node: number, left: Left): void {
		const base = used;
		const parts: Buffer[] = [];
		const end = nodes[node + 3] as number;
		for (let item = node + SLOTS; item < end; item = nodes[item + 3] as number) {
			if (left.has(item)) continue;
			value(bytes, nodes, item, true, left);
			parts.push(Buffer.from(out.subarray(base, used)));
			used = base;
		}
		put(0x5b);
		for (const [index, part] of parts.sort(Buffer.compare).entries()) {
			if (index > 0) put(0x2c);
			copy(part, 0, part.length);
		}
		put(0x5d);
	}

	function sortedKeys(bytes: Buffer, nodes: Int32Array, node: number): number[] {
		const keys: number[] = [];
		let escaped = 0;
		const end = nodes[node + 3] as number;
		for (let key = node + SLOTS; key < end; key = nodes[key + SLOTS + 3] as number) {
			keys.push(key);
			escaped |= nodes[key] as number;
		}
		if ((escaped & ESCAPED) !== 0) return sortedByContent(bytes, nodes, keys);
		if (isSorted(bytes, nodes, keys)) return keys;
		const known = orders.get(keys.length)?.map((index) => keys[index] as number);
		if (known && isStrictlySorted(bytes, nodes, known)) return known;
		const order = keys.map((_, index) => index);
		order.sort((a, b) => compareKeys(bytes, nodes, keys[a] as number, keys[b] as number));
		orders.set(keys.length, order);
		return order.map((index) => keys[index] as number);
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
			used = 0;
			value(bytes, tape.nodes, node, true, left);
			return out.subarray(0, used);
		},
		writeValue(bytes, tape, node) {
			used = 0;
			value(bytes, tape.nodes, node, false, NOTHING);
			return out.subarray(0, used);
		},
		writeChildren(bytes, tape, node, left) {
			used = 0;
			children(bytes, tape.nodes, node, left);
			return out.subarray(0, used);
		},
	};
}

/** Whether an array of children holds one that is not an object of its own. */
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

function isSorted(bytes: Buffer, nodes: Int32Array, keys: readonly number[]): boolean {
	for (let at = 1; at < keys.length; at++) {
		if (compareKeys(bytes, nodes, keys[at - 1] as number, keys[at] as number) > 0) return false;
	}
	return true;
}

/** Sorted and without equal keys: those must keep the order in which they came, which another object's order need not. */
function isStrictlySorted(bytes: Buffer, nodes: Int32Array, keys: readonly number[]): boolean {
	for (let at = 1; at < keys.length; at++) {
		if (compareKeys(bytes, nodes, keys[at - 1] as number, keys[at] as number) >= 0) return false;
	}
	return true;
}

function sortedByContent(bytes: Buffer, nodes: Int32Array, keys: number[]): number[] {
	const named = keys.map((key) => {
		const escaped = ((nodes[key] as number) & ESCAPED) !== 0;
		return { key, name: tokenContent(bytes, nodes[key + 1] as number, nodes[key + 2] as number, escaped) };
	});
	named.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
	return named.map(({ key }) => key);
}
