/** Where an object lies in each of some snapshots of a segment. */
import { toByteString } from "./json-text.ts";
import { readChain, readChanges } from "./manifest.ts";
import type { Names } from "./names-lookup.ts";
import { type ObjectHolders, type PackColumns, SHORT_HASH } from "./packs.ts";
import type { SegmentManifest } from "./rebase.ts";

/** A place as comparisons have it: pack, start, length, ordinal. */
type Place = [number, number, number, number];

/** The packs that hold an object. */
export function packsWith(dn: string, names: Pick<Names, "find">, holders: ObjectHolders): number[] {
	return holders(names.find(toByteString(dn)));
}

export interface TraceInput {
	dn: string;
	/** From a whole one on, ascending by position. */
	manifests: readonly SegmentManifest[];
	/** Those that hold the object. */
	packs: readonly PackColumns[];
	names: Pick<Names, "find">;
	/** Of the snapshots that are asked for, ascending. */
	positions: number[];
}

/**
 * Where the object lies in each of the snapshots, null where it is absent. Of several objects with the same dn the one with the lowest hash counts,
 * so that the order of rows makes no difference.
 */
export function trace({ dn, manifests, packs, names, positions }: TraceInput): (Place | null)[] {
	const places = candidates(packs, names.find(toByteString(dn)));
	const marks = marksOf(places.keys());
	const asked = new Set(positions);
	const present = new Map<number, number>();
	const found: (Place | null)[] = [];
	for (const manifest of manifests) {
		if (places.size > 0) follow(manifest, { places, marks }, present);
		if (asked.has(manifest.position)) found.push(lowest(places, present));
	}
	return found;
}

interface Candidate {
	place: Place;
	hash: string;
}

/** Versions whose row holds the object. */
function candidates(packs: readonly PackColumns[], wanted: readonly number[]): Map<number, Candidate> {
	const found = new Map<number, Candidate>();
	const bytes = Buffer.allocUnsafe(SHORT_HASH);
	for (const { seq, rows, objects, hashes } of packs) {
		let row = 0;
		for (let at = 0; at < objects.entries.length; at++) {
			if (!wanted.includes(objects.entries[at] as number)) continue;
			while ((objects.starts[row + 1] as number) <= at) row++;
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

/** A byte for each version up to the last of some, 1 for those: a list of all rows is looked through faster with it than with a set. */
function marksOf(versions: Iterable<number>): Uint8Array {
	const all = [...versions];
	const marks = new Uint8Array(Math.max(-1, ...all) + 1);
	for (const version of all) marks[version] = 1;
	return marks;
}

/** Counts how often each of the versions is in the list, from one snapshot to the next. */
function follow(
	manifest: SegmentManifest,
	{ places, marks }: { places: ReadonlyMap<number, unknown>; marks: Uint8Array },
	present: Map<number, number>,
): void {
	if (manifest.whole) {
		present.clear();
		for (const version of readChain([manifest]).versions)
			if (marks[version] === 1) present.set(version, (present.get(version) ?? 0) + 1);
		return;
	}
	const { removed, added } = readChanges(manifest);
	for (const version of places.keys()) {
		const change = countOf(added, version) - countOf(removed, version);
		if (change !== 0) present.set(version, (present.get(version) ?? 0) + change);
	}
}

/** How often an ascending list has a number. */
function countOf(ascending: Int32Array, value: number): number {
	let low = 0;
	let high = ascending.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((ascending[middle] as number) < value) low = middle + 1;
		else high = middle;
	}
	let end = low;
	while (ascending[end] === value) end++;
	return end - low;
}

function lowest(places: ReadonlyMap<number, Candidate>, present: ReadonlyMap<number, number>): Place | null {
	let best: Candidate | undefined;
	for (const [version, times] of present) {
		const candidate = times > 0 ? places.get(version) : undefined;
		if (candidate !== undefined && (best === undefined || candidate.hash < best.hash)) best = candidate;
	}
	return best?.place ?? null;
}
