/** Locates an object in each of some snapshots of a segment. */
import { toByteString } from "./json-text.ts";
import { readChanges } from "./manifest.ts";
import type { Names } from "./names-lookup.ts";
import { type PackColumns, SHORT_HASH } from "./packs.ts";
import type { SegmentManifest } from "./rebase.ts";
import { findLastStart, lowerBound } from "./search.ts";

/** Pack, start, length, ordinal: as in a comparison's plan. */
type Place = [number, number, number, number];

export interface TraceInput {
	dn: string;
	/** From a keyframe on, ascending by position. */
	manifests: readonly SegmentManifest[];
	/** The packs that hold the object. */
	packs: readonly PackColumns[];
	names: Pick<Names, "find">;
	/** Positions of the wanted snapshots, ascending. */
	positions: number[];
}

/**
 * The place of the object in each of the snapshots, null if it is absent. Of several objects with
 * the same dn the one with the lowest hash counts, so the order of rows makes no difference.
 */
export function locateObject({ dn, manifests, packs, names, positions }: TraceInput): (Place | null)[] {
	const places = findCandidates(packs, names.find(toByteString(dn)));
	const followed = [...places.keys()];
	const asked = new Set(positions);
	const present = new Map<number, number>();
	const found: (Place | null)[] = [];
	for (const manifest of manifests) {
		if (followed.length > 0) updateCounts(manifest, followed, present);
		if (asked.has(manifest.position)) found.push(findLowestPlace(places, present));
	}
	return found;
}

interface Candidate {
	place: Place;
	hash: string;
}

/** The object's place by version, for versions whose row holds it. */
function findCandidates(packs: readonly PackColumns[], wanted: readonly number[]): Map<number, Candidate> {
	const found = new Map<number, Candidate>();
	const bytes = Buffer.allocUnsafe(SHORT_HASH);
	for (const { seq, rows, objects, hashes } of packs) {
		for (const at of listPositions(objects.entries, wanted)) {
			const row = findLastStart(objects.starts, at);
			const version = rows.versions[row] as number;
			hashes.copyObject(row, at, bytes, 0);
			const hash = bytes.toString("latin1");
			const known = found.get(version);
			if (known !== undefined && known.hash <= hash) continue;
			const place: Place = [
				seq,
				rows.starts[row] as number,
				rows.lengths[row] as number,
				objects.ordinals[at] as number,
			];
			found.set(version, { place, hash });
		}
	}
	return found;
}

/** Positions of some numbers, which are few, in a list. */
function listPositions(list: Int32Array, wanted: readonly number[]): number[] {
	const found: number[] = [];
	for (const one of wanted) for (let at = list.indexOf(one); at >= 0; at = list.indexOf(one, at + 1)) found.push(at);
	return found;
}

/** Updates how often each of the versions occurs, from one snapshot to the next. */
function updateCounts(manifest: SegmentManifest, followed: readonly number[], present: Map<number, number>): void {
	const { removed, added } = readChanges(manifest);
	if (manifest.whole) {
		present.clear();
		for (const version of followed) present.set(version, listPositions(added, [version]).length);
		return;
	}
	for (const version of followed) {
		const change = getCount(added, version) - getCount(removed, version);
		if (change !== 0) present.set(version, (present.get(version) ?? 0) + change);
	}
}

/** How often a number occurs in an ascending list. */
function getCount(ascending: Int32Array, value: number): number {
	const first = lowerBound(ascending, value);
	let end = first;
	while (ascending[end] === value) end++;
	return end - first;
}

function findLowestPlace(places: ReadonlyMap<number, Candidate>, present: ReadonlyMap<number, number>): Place | null {
	let best: Candidate | undefined;
	for (const [version, times] of present) {
		const candidate = times > 0 ? places.get(version) : undefined;
		if (candidate !== undefined && (best === undefined || candidate.hash < best.hash)) best = candidate;
	}
	return best?.place ?? null;
}
