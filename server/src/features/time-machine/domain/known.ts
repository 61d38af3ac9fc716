/**
 * What a history's segment already has, as the next capture is read against it: its rows, in *slots* (their places in all packs one after another), and
 * which of them the latest snapshot has. A row that is known is recognised by the hash of its text, and need not be understood again.
 */
import { asBuffer } from "./bytes.ts";
import { type Manifest, readChain, type StoredManifest } from "./manifest.ts";
import { createNames, type Names } from "./names-lookup.ts";
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
	names: Uint8Array[];
	/** The latest snapshot's manifest, from the whole one before it on. */
	chain: StoredManifest[];
}

/** The latest snapshot as it was captured: rows that are the same again are recognised by their bytes, which takes less than hashing them. */
export interface Before {
	/** result_data without insignificant whitespace. */
	readonly text: Uint8Array;
	/** Bytes before the first row. */
	readonly headBytes: number;
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
	/** Whether the row is what stands at a place. */
	is(row: number, bytes: Buffer, at: number): boolean;
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
	const latest = readChain(chain);
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
		names: createNames(names),
		before: before && rowsOf(before, list, lengths),
	};
}

function rowsOf({ text, headBytes, rowHashes }: Before, list: Int32Array, lengths: Int32Array): KnownBefore {
	const whole = asBuffer(text);
	// One comma is between rows.
	const starts = new Int32Array(list.length + 1);
	starts[0] = headBytes;
	for (let row = 0; row < list.length; row++)
		starts[row + 1] = (starts[row] as number) + (lengths[list[row] as number] as number) + 1;
	return {
		is(row, bytes, at) {
			const [start, end] = [starts[row] as number, (starts[row + 1] as number) - 1];
			return bytes.compare(whole, start, end, at, at + end - start) === 0;
		},
		rowHashes: asBuffer(rowHashes),
	};
}
