/**
 * The rows of a segment as a capture looks for them, in *slots*: their places in all packs one after another. Packs are only added, at the end, so that
 * what was put together for one capture serves the next.
 */
import { createHashIndex } from "./hash-index.ts";
import { createIntegers } from "./lists.ts";
import { type PackColumns, SHORT_HASH } from "./packs.ts";

/** What there is at a moment; stays as it is when more packs are added. */
export interface SegmentRows {
	/** How many there are. */
	readonly slots: number;
	/** By slot. */
	readonly versions: Int32Array;
	readonly lengths: Int32Array;
	/** Objects of a slot: from `starts[slot]` to `starts[slot + 1]` of the columns after it. */
	readonly starts: Int32Array;
	readonly entries: Int32Array;
	readonly ordinals: Int32Array;
	/** The slot of a version, -1 where there is none. */
	slotOf(version: number): number;
	/** The slot of a text by its hash, a string of one character for each byte; -1 where there is none. */
	find(digest: string): number;
	/** Whether a slot's text has a hash. */
	isAt(slot: number, digest: string): boolean;
	/** HASH bytes of a row's canonical text; null where it is that of its text. */
	rowHash(slot: number): Buffer | null;
}

export interface GrowingRows {
	/** Which of a segment's packs, in order, are not in it yet; null where it has others. */
	missing(packs: readonly number[]): number[] | null;
	add(pack: Pick<PackColumns, "seq" | "rows" | "objects" | "hashes">): void;
	now(): SegmentRows;
	/** That it takes, about. */
	bytes(): number;
}

export function createSegmentRows(): GrowingRows {
	const packs: number[] = [];
	const versions = createIntegers(1024);
	const lengths = createIntegers(1024);
	const starts = createIntegers(1024);
	const entries = createIntegers(1024);
	const ordinals = createIntegers(1024);
	const index = createHashIndex();
	const respelt = new Map<number, Buffer>();
	/** By version, counted from 1. */
	let places = new Int32Array(1024);
	starts.push(0);

	function place(version: number, slot: number): void {
		if (version >= places.length) {
			const larger = new Int32Array(Math.max(places.length * 2, version + 1));
			larger.set(places);
			places = larger;
		}
		places[version] = slot + 1;
	}

	return {
		missing(wanted) {
			return packs.every((seq, at) => wanted[at] === seq) ? wanted.slice(packs.length) : null;
		},
		add({ seq, rows, objects, hashes }) {
			packs.push(seq);
			const first = versions.count();
			const firstObject = entries.count();
			versions.append(rows.versions);
			lengths.append(rows.lengths);
			entries.append(objects.entries);
			ordinals.append(objects.ordinals);
			index.append(hashes.texts);
			for (let row = 0; row < rows.versions.length; row++) {
				place(rows.versions[row] as number, first + row);
				starts.push(firstObject + (objects.starts[row + 1] as number));
				const hash = hashes.row(row);
				if (hash !== null) respelt.set(first + row, hash);
			}
		},
		now() {
			const slots = versions.count();
			const within = (slot: number) => (slot < slots ? slot : -1);
			return {
				slots,
				versions: versions.all(),
				lengths: lengths.all(),
				starts: starts.all(),
				entries: entries.all(),
				ordinals: ordinals.all(),
				slotOf: (version) => within((places[version] ?? 0) - 1),
				find: (digest) => within(index.find(digest)),
				isAt: index.isAt,
				rowHash: (slot) => respelt.get(slot) ?? null,
			};
		},
		bytes: () => versions.count() * SLOT_BYTES + entries.count() * 8 + places.byteLength + respelt.size * RESPELT_BYTES,
	};
}

/** Three integers, the hash, and up to four places in the index for each row. */
const SLOT_BYTES = 12 + SHORT_HASH + 16;
/** A view in a map. */
const RESPELT_BYTES = 150;
