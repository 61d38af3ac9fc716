/**
 * What a history's segment already has, as the next capture is read against it: its rows, and which of them the latest snapshot has. A row that is known
 * is recognised by the hash of its text, and need not be understood again.
 */
import { asBuffer } from "./bytes.ts";
import { type Manifest, manifestOf, readChain, type StoredManifest } from "./manifest.ts";
import type { Names } from "./names-lookup.ts";
import type { SegmentRows } from "./segment-rows.ts";

/** What comes next in a segment. */
export interface Counters {
	nextVersion: number;
	nextEntry: number;
	nextPack: number;
}

/** A segment as far as a capture needs it. */
export interface SegmentState {
	counters: Counters;
	rows: SegmentRows;
	names: Names;
	/** The latest snapshot's manifest, from the whole one before it on. */
	chain: StoredManifest[];
}

/** The latest snapshot as it was captured: rows that are the same again are recognised by their bytes, which takes less than hashing them. */
export interface Before {
	/** result_data without insignificant whitespace. */
	readonly text: Uint8Array;
	/** Bytes before the first row and after the last one. */
	readonly headBytes: number;
	readonly tailBytes: number;
	/** Row by row, as its manifest has them. */
	readonly versions: Int32Array;
	/** HASH bytes each, of the rows' canonical texts, row by row. */
	readonly rowHashes: Uint8Array;
}

export interface Known {
	counters: Counters;
	latest: Manifest;
	/** The slots of the latest snapshot's rows, row by row. */
	list: Int32Array;
	rows: SegmentRows;
	names: Names;
	/** Row by row of `list`; null where the latest snapshot's text is not at hand. */
	before: KnownBefore | null;
}

interface KnownBefore {
	/**
	 * How many rows, from a row on, stand at a place as they did, with one comma between them and a comma or the end of the rows after them; and how many
	 * bytes that is.
	 */
	run(row: number, bytes: Buffer, at: number, end: number): { rows: number; length: number };
	/** HASH bytes each. */
	rowHashes: Buffer;
}

/** @param before of the latest snapshot, if it is at hand */
export function readKnown({ counters, rows, names, chain }: SegmentState, before: Before | null = null): Known {
	const latest = before === null ? readChain(chain) : manifestOf(before, before.versions);
	const list = new Int32Array(latest.versions.length);
	for (let row = 0; row < list.length; row++) list[row] = rows.slotOf(latest.versions[row] as number);
	return { counters, latest, list, rows, names, before: before && rowsOf(before, list, rows.lengths) };
}

/** Rows that are compared at once, at most. */
const MOST_AT_ONCE = 64;

function rowsOf({ text, headBytes, rowHashes }: Before, list: Int32Array, lengths: Int32Array): KnownBefore | null {
	if (list.includes(-1)) return null;
	const whole = asBuffer(text);
	// One comma is between rows.
	const starts = new Int32Array(list.length + 1);
	starts[0] = headBytes;
	for (let row = 0; row < list.length; row++)
		starts[row + 1] = (starts[row] as number) + (lengths[list[row] as number] as number) + 1;
	return {
		run(row, bytes, at, end) {
			let rows = 0;
			let length = 0;
			let grows = true;
			// A comparison costs more than the bytes of a row: as many rows at once as have been the same, fewer after a change.
			for (let step = 1; step > 0; ) {
				const next = row + rows;
				step = Math.min(step, list.length - next);
				const [from, to] = [starts[next] as number, (starts[next + step] as number) - 1];
				const start = at + (rows === 0 ? 0 : length + 1);
				const isSame =
					step > 0 &&
					isAfterRow(bytes, start + to - from, end) &&
					bytes.compare(whole, from, to, start, start + to - from) === 0;
				if (!isSame) {
					grows = false;
					step >>= 1;
					continue;
				}
				rows += step;
				length = start + to - from - at;
				if (bytes[at + length] !== COMMA) break;
				step = grows ? Math.min(step * 2, MOST_AT_ONCE) : step >> 1;
			}
			return { rows, length };
		},
		rowHashes: asBuffer(rowHashes),
	};
}

const [COMMA, CLOSE] = [0x2c, 0x5d];

/** Whether what stands at a place can only come after a row. */
export function isAfterRow(bytes: Buffer, at: number, end: number): boolean {
	return at < end && (bytes[at] === COMMA || bytes[at] === CLOSE);
}
