/**
 * What a history's segment already has, as the next capture is read against it: its rows, in *slots* (their places in all packs one after another), and
 * which of them the latest snapshot has. A row that is known is recognised by the hash of its text, and need not be understood again.
 */
import { asBuffer } from "./bytes.ts";
import { type Manifest, manifestOf, readChain, type StoredManifest } from "./manifest.ts";
import type { Names } from "./names-lookup.ts";
import { type PackColumns, SHORT_HASH } from "./packs.ts";

/** What comes next in a segment. */
export interface Counters {
	nextVersion: number;
	nextEntry: number;
	nextPack: number;
}

/** A segment as far as a capture needs it. */
export interface SegmentState {
	counters: Counters;
	packs: Pick<PackColumns, "rows" | "objects" | "hashes">[];
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
	/** How many there are. */
	slots: number;
	/** By slot. */
	versions: Int32Array;
	lengths: Int32Array;
	/** SHORT_HASH bytes each, of the texts. */
	hashes: Buffer;
	/** HASH bytes of a row's canonical text; null where it is that of its text. */
	rowHash(slot: number): Buffer | null;
	/** Objects of a slot: from `starts[slot]` to `starts[slot + 1]` of the columns after it. */
	starts: Int32Array;
	entries: Int32Array;
	ordinals: Int32Array;
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
export function readKnown({ counters, packs, names, chain }: SegmentState, before: Before | null = null): Known {
	const slots = packs.reduce((sum, { rows }) => sum + rows.versions.length, 0);
	const objectCount = packs.reduce((sum, { objects }) => sum + objects.entries.length, 0);
	const versions = new Int32Array(slots);
	const lengths = new Int32Array(slots);
	const starts = new Int32Array(slots + 1);
	const entries = new Int32Array(objectCount);
	const ordinals = new Int32Array(objectCount);
	const hashes = Buffer.allocUnsafeSlow(slots * SHORT_HASH);
	const respelt = new Map<number, Buffer>();
	const bySlot = new Int32Array(counters.nextVersion).fill(-1);
	let slot = 0;
	let object = 0;
	for (const { rows, objects, hashes: own } of packs) {
		versions.set(rows.versions, slot);
		lengths.set(rows.lengths, slot);
		entries.set(objects.entries, object);
		ordinals.set(objects.ordinals, object);
		own.texts.copy(hashes, slot * SHORT_HASH);
		for (let row = 0; row < rows.versions.length; row++) {
			const hash = own.row(row);
			if (hash !== null) respelt.set(slot + row, hash);
			bySlot[rows.versions[row] as number] = slot + row;
			starts[slot + row + 1] = object + (objects.starts[row + 1] as number);
		}
		slot += rows.versions.length;
		object += objects.entries.length;
	}
	const latest = before === null ? readChain(chain) : manifestOf(before, before.versions);
	const list = latest.versions.map((version) => bySlot[version] ?? -1);
	return {
		counters,
		latest,
		list,
		slots,
		versions,
		lengths,
		hashes,
		rowHash: (at) => respelt.get(at) ?? null,
		starts,
		entries,
		ordinals,
		names,
		before: before && rowsOf(before, list, lengths),
	};
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
