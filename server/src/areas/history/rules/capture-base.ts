/**
 * What a capture is read against: the rows and names of the segment that it may extend, and the
 * latest snapshot. A row that the segment has is recognised by the hash of its text and not parsed.
 */
import { type Manifest, readChain, type StoredManifest } from "./manifest.ts";
import type { Names } from "./names-lookup.ts";
import type { SegmentRows } from "./segment-rows.ts";

/** The next free number of each kind in a segment. */
export interface Counters {
	nextVersion: number;
	nextEntry: number;
	nextPack: number;
}

export interface CaptureBase {
	counters: Counters;
	rows: SegmentRows;
	names: Names;
	latest: Manifest;
	/** The slots of the latest snapshot's rows, in order. */
	latestSlots: Int32Array;
}

/** @param chain manifests of the latest snapshot, from its keyframe on */
export function createCaptureBase({
	counters,
	rows,
	names,
	chain,
}: Pick<CaptureBase, "counters" | "rows" | "names"> & { chain: readonly StoredManifest[] }): CaptureBase {
	const latest = readChain(chain);
	return { counters, rows, names, latest, latestSlots: latest.versions.map((version) => rows.getSlot(version)) };
}
