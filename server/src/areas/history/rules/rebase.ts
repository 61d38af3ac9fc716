/**
 * Deletes snapshots of a segment: the others keep their content, and rows that no other snapshot
 * has are deleted.
 */
import { encodeShorter } from "./append.ts";
import { encodeKeyframe, type Manifest, readAll, type StoredManifest } from "./manifest.ts";
import {
	decodeObjects,
	PACK_BYTES,
	type PackIndex,
	packAll,
	packVersions,
	type StoredPack,
	unpackRows,
} from "./packs.ts";

export interface SegmentManifest extends StoredManifest {
	snapshotId: string;
	position: number;
}

export interface Rebased {
	/** Manifests that must be encoded again, because the one that they depended on is deleted. */
	changed: SegmentManifest[];
	/**
	 * Packs of which some rows are left, grouped with adjacent ones; and packs of which no row is
	 * left.
	 */
	rewritten: number[][];
	dropped: number[];
	/** Versions that the remaining snapshots have, ascending. */
	alive: Int32Array;
}

/**
 * @param manifests all of the segment, by position
 * @param packs all of the segment, by version
 */
export function rebaseSegment(
	manifests: readonly SegmentManifest[],
	packs: readonly Pick<PackIndex, "seq" | "rows">[],
	removed: ReadonlySet<string>,
): Rebased {
	const changed: SegmentManifest[] = [];
	const alive = new Set<number>();
	let chain: SegmentManifest[] = [];
	function endChain(): void {
		const survivors = chain.some(({ snapshotId }) => removed.has(snapshotId))
			? relinkChain(chain, removed, alive)
			: collectVersions(chain, alive);
		changed.push(...survivors);
		chain = [];
	}
	for (const manifest of manifests) {
		if (manifest.whole && chain.length > 0) endChain();
		chain.push(manifest);
	}
	if (chain.length > 0) endChain();

	const dropped: number[] = [];
	const rewritten: number[][] = [];
	let neighbours: number[] = [];
	for (const { seq, rows } of packs) {
		const all = packVersions(rows);
		const left = all.reduce((sum, version) => sum + (alive.has(version) ? 1 : 0), 0);
		if (left === 0) dropped.push(seq);
		else if (left < all.length) neighbours.push(seq);
		else if (neighbours.length > 0) {
			rewritten.push(neighbours);
			neighbours = [];
		}
	}
	if (neighbours.length > 0) rewritten.push(neighbours);
	return { changed, rewritten, dropped, alive: Int32Array.from(alive).sort() };
}

/** Collects the versions of a chain that stays as it is. */
function collectVersions(chain: readonly SegmentManifest[], alive: Set<number>): SegmentManifest[] {
	let before: Manifest | undefined;
	for (const manifest of readAll(chain)) {
		if (manifest === before) continue;
		for (const version of manifest.versions) alive.add(version);
		before = manifest;
	}
	return [];
}

function relinkChain(
	chain: readonly SegmentManifest[],
	removed: ReadonlySet<string>,
	alive: Set<number>,
): SegmentManifest[] {
	const changed: SegmentManifest[] = [];
	let before: { manifest: Manifest; index: number } | undefined;
	for (const [index, manifest] of readAll(chain).entries()) {
		const stored = chain[index];
		if (stored === undefined || removed.has(stored.snapshotId)) continue;
		if (before?.manifest !== manifest) for (const version of manifest.versions) alive.add(version);
		if (before === undefined) {
			if (!stored.whole) changed.push({ ...stored, ...encodeKeyframe(manifest) });
		} else if (before.index !== index - 1) changed.push({ ...stored, ...encodeShorter(before.manifest, manifest) });
		before = { manifest, index };
	}
	return changed;
}

/** Packs the remaining rows of adjacent packs again, numbered from `seq` on. */
export function repackRows(
	packs: readonly StoredPack[],
	alive: Int32Array,
	seq: number,
	bytes = PACK_BYTES,
): StoredPack[] {
	const living = new Set(alive);
	return packAll(yieldLivingRows(), seq, bytes);
	function* yieldLivingRows() {
		for (const pack of packs) for (const row of unpackRows(pack)) if (living.has(row.version)) yield row;
	}
}

/** The entries that the rows of these packs have. */
export function getEntries(packs: readonly Pick<PackIndex, "objects">[]): Set<number> {
	const entries = new Set<number>();
	for (const { objects } of packs) for (const entry of decodeObjects(objects).entries) entries.add(entry);
	return entries;
}
