/**
 * The rows of a segment as a capture looks them up. A row is addressed by its *slot*: its position
 * in all packs of the segment, one after another.
 */
import { type PackColumns, SHORT_HASH } from "./packs.ts";
import { lowerBound } from "./search.ts";

export interface SegmentRows {
	/** Number of rows. */
	readonly slots: number;
	/** Version and text length in bytes, by slot. */
	readonly versions: Int32Array;
	readonly lengths: Int32Array;
	/** The objects of a slot are at `starts[slot]` to `starts[slot + 1]` of the next two columns. */
	readonly starts: Int32Array;
	readonly entries: Int32Array;
	readonly ordinals: Int32Array;
	/** The slot of a version; -1 if the segment does not have it. */
	getSlot(version: number): number;
	/** Whether the text of a slot has a SHA-256 digest (binary string). */
	isText(slot: number, digest: string): boolean;
	/** The slot whose text has a SHA-256 digest (binary string); -1 if there is none. */
	findText(digest: string): number;
	/** Digest of a row's canonical text as a binary string; null if the row's text is canonical. */
	canonicalDigest(slot: number): string | null;
}

/** @param packs all packs of the segment, ascending by version */
export function createSegmentRows(packs: readonly Pick<PackColumns, "rows" | "objects" | "hashes">[]): SegmentRows {
	const versions = concatColumns(packs.map(({ rows }) => rows.versions));
	/** First slot of each pack. */
	const firstSlots = new Int32Array(packs.length);
	const starts = new Int32Array(versions.length + 1);
	let slot = 0;
	for (const [at, { objects }] of packs.entries()) {
		firstSlots[at] = slot;
		const firstObject = starts[slot] as number;
		for (const end of objects.starts.subarray(1)) starts[++slot] = firstObject + end;
	}
	/** The hashes of a slot's pack, and its row there. */
	function locateSlot(slot: number) {
		const at = lowerBound(firstSlots, slot + 1) - 1;
		return { hashes: (packs[at] as (typeof packs)[number]).hashes, row: slot - (firstSlots[at] as number) };
	}
	return {
		slots: versions.length,
		versions,
		lengths: concatColumns(packs.map(({ rows }) => rows.lengths)),
		starts,
		entries: concatColumns(packs.map(({ objects }) => objects.entries)),
		ordinals: concatColumns(packs.map(({ objects }) => objects.ordinals)),
		getSlot(version) {
			const found = lowerBound(versions, version);
			return versions[found] === version ? found : -1;
		},
		isText(slot, digest) {
			const { hashes, row } = locateSlot(slot);
			return hashes.isText(row, digest.slice(0, SHORT_HASH));
		},
		findText(digest) {
			const text = digest.slice(0, SHORT_HASH);
			for (let at = packs.length - 1; at >= 0; at--) {
				const row = (packs[at] as (typeof packs)[number]).hashes.findText(text);
				if (row >= 0) return (firstSlots[at] as number) + row;
			}
			return -1;
		},
		canonicalDigest(slot) {
			const { hashes, row } = locateSlot(slot);
			return hashes.row(row)?.toString("latin1") ?? null;
		},
	};
}

function concatColumns(columns: readonly Int32Array[]): Int32Array {
	const all = new Int32Array(columns.reduce((sum, { length }) => sum + length, 0));
	let at = 0;
	for (const column of columns) {
		all.set(column, at);
		at += column.length;
	}
	return all;
}
