/** Reads objects where a comparison or a timeline places them: rows of packs' texts, scanned when they are asked for. */
import type { Left } from "./canonical.ts";
import { createScanner, rescan, type Scanner, SLOTS, scanValue } from "./json-scan.ts";
import { tokenContent } from "./json-text.ts";
import { ESCAPED, KIND_MASK, OBJECT } from "./json-tokens.ts";
import { type ManagedObject, objectsOf } from "./objects.ts";
import { isAttributesKey, wrappedBody } from "./shape.ts";

/** Gives the text of a pack. */
export type PackText = (pack: number) => Buffer;

/** An object in its row. */
export interface Side {
	scanner: Scanner;
	/** Nodes of children that are objects of their own. */
	own: Left;
	object: ManagedObject;
}

export interface RowReader {
	/** Scans the row at `places[at]…`; false where the place is of an absent object. A row stays scanned while others follow in it. */
	open(places: Int32Array, at: number): boolean;
	readonly scanner: Scanner;
	/** The ordinal of the place that was opened. */
	ordinal(): number;
	/**
	 * The node of the attributes, where the row is one object that has nothing but attributes, and the place is that object's; else -1. Most rows are
	 * such, and their entries can be copied.
	 */
	plainAttributes(): number;
	side(): Side;
}

const NONE: Left = new Set();

export function createRowReader(textOf: PackText): RowReader {
	const scanner = createScanner(Buffer.alloc(0));
	let row = { pack: -1, start: -1 };
	let wanted = 0;
	let own = NONE;
	let objects: Map<number, ManagedObject> | null = null;
	return {
		scanner,
		open(places, at) {
			const [pack = -1, start = 0, length = 0] = [places[at], places[at + 1], places[at + 2]];
			if (pack < 0) return false;
			wanted = places[at + 3] as number;
			if (row.pack === pack && row.start === start) return true;
			rescan(scanner, textOf(pack).subarray(start, start + length));
			scanValue(scanner, true);
			row = { pack, start };
			objects = null;
			return true;
		},
		ordinal: () => wanted,
		plainAttributes() {
			const { bytes, tape } = scanner;
			const { nodes } = tape;
			if (wanted !== 0) return -1;
			const body = wrappedBody(nodes, 0);
			const key = body + SLOTS;
			if (body < 0 || key >= (nodes[body + 3] as number) || nodes[key + SLOTS + 3] !== nodes[body + 3]) return -1;
			if (((nodes[key + SLOTS] as number) & KIND_MASK) !== OBJECT || !isAttributesKey(bytes, nodes, key)) return -1;
			return key + SLOTS;
		},
		side() {
			if (objects === null) {
				const found = objectsOf(scanner.bytes, scanner.tape);
				own = found.own;
				objects = new Map(found.objects.map((object) => [object.ordinal, object]));
			}
			const object = objects.get(wanted);
			if (object === undefined) throw new Error("A snapshot's index does not fit its rows");
			return { scanner, own, object };
		},
	};
}

/** Calls with the node of each key of an object. */
export function eachKey(nodes: Int32Array, object: number, visit: (key: number) => void): void {
	const end = nodes[object + 3] as number;
	for (let key = object + SLOTS; key < end; key = nodes[key + SLOTS + 3] as number) visit(key);
}

/** The byte string that a key spells. */
export function keyName(bytes: Buffer, nodes: Int32Array, key: number): string {
	const escaped = ((nodes[key] as number) & ESCAPED) !== 0;
	return tokenContent(bytes, nodes[key + 1] as number, nodes[key + 2] as number, escaped);
}

/** The text of a value as it was captured. */
export function raw({ scanner: { bytes, tape } }: Pick<Side, "scanner">, node: number): string {
	return bytes.toString("utf8", tape.nodes[node + 1], tape.nodes[node + 2]);
}
