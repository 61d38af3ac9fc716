/** Reads objects by place. Their rows are scanned on demand. */
import { createScanner, restartScanner, type Scanner, SLOTS, scanValue } from "../../../core/json/scan.ts";
import { ESCAPED } from "../../../core/json/tokens.ts";
import type { Left } from "./canonical.ts";
import { readTokenContent } from "./json-text.ts";
import { getObjects, type ManagedObject } from "./objects.ts";

/** Returns the text of a pack. */
export type PackText = (pack: number) => Buffer;

/** The texts of the packs of both sides of a comparison. */
export interface PackTexts {
	readonly from: PackText;
	readonly to: PackText;
}

/** An object in its row. */
export interface Side {
	scanner: Scanner;
	/** Nodes of children that are objects themselves. */
	own: Left;
	object: ManagedObject;
}

export interface RowReader {
	/** Moves to the place that begins at `places[at]`. Returns false if the object is absent. */
	open(places: Int32Array, at: number): boolean;
	/** The row as captured. */
	text(): Buffer;
	/** The ordinal of the current place. */
	ordinal(): number;
	/**
	 * The object of the current place. Scans its row, once for consecutive places in the same row.
	 */
	side(): Side;
}

const NONE: Left = new Set();

export function createRowReader(getText: PackText): RowReader {
	const scanner = createScanner(Buffer.alloc(0));
	let row = { pack: -1, start: -1 };
	let text: Buffer = scanner.bytes;
	let wanted = 0;
	let own = NONE;
	let objects: Map<number, ManagedObject> | null = null;
	return {
		open(places, at) {
			const [pack = -1, start = 0, length = 0] = [places[at], places[at + 1], places[at + 2]];
			if (pack < 0) return false;
			wanted = places[at + 3] as number;
			if (row.pack === pack && row.start === start) return true;
			text = getText(pack).subarray(start, start + length);
			row = { pack, start };
			objects = null;
			return true;
		},
		text: () => text,
		ordinal: () => wanted,
		side() {
			if (objects === null) {
				restartScanner(scanner, text);
				scanValue(scanner, true);
				const found = getObjects(scanner.bytes, scanner.tape);
				own = found.own;
				objects = new Map(found.objects.map((object) => [object.ordinal, object]));
			}
			const object = objects.get(wanted);
			if (object === undefined) throw new Error("The index of a snapshot does not match its rows");
			return { scanner, own, object };
		},
	};
}

/** Calls `visit` with the node of each key of an object. */
export function iterateKeys(nodes: Int32Array, object: number, visit: (key: number) => void): void {
	const end = nodes[object + 3] as number;
	for (let key = object + SLOTS; key < end; key = nodes[key + SLOTS + 3] as number) visit(key);
}

/** A key as a byte string. */
export function decodeKeyName(bytes: Buffer, nodes: Int32Array, key: number): string {
	const escaped = ((nodes[key] as number) & ESCAPED) !== 0;
	return readTokenContent(bytes, nodes[key + 1] as number, nodes[key + 2] as number, escaped);
}

/** The text of a value as captured. */
export function readRawText({ scanner: { bytes, tape } }: Pick<Side, "scanner">, node: number): string {
	return bytes.toString("utf8", tape.nodes[node + 1], tape.nodes[node + 2]);
}
