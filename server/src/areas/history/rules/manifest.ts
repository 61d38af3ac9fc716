/**
 * A manifest describes a snapshot: the versions of its rows in order, and the text around them. It
 * is stored as a keyframe, or as a delta to the snapshot before it in the segment. The delta of an
 * equal text is empty.
 */
import { createWriter, openColumns, type Reader, sealColumns, viewAsBuffer, type Writer } from "./bytes.ts";

export interface Manifest {
	/** Bytes before the first row and after the last. */
	head: Buffer;
	tail: Buffer;
	/** Of the rows, in order. */
	versions: Int32Array;
}

/**
 * A manifest in its stored form. The payload is null if nothing differs from the snapshot before.
 */
export interface StoredManifest {
	/** True for a keyframe, false for a delta. */
	whole: boolean;
	payload: Uint8Array | null;
}

/** Flag of a delta that leaves the text around the rows unchanged. */
const SAME_ENDS = 1;

/** The manifest of a text whose rows have these versions. */
export function getManifest(
	{ text, headBytes, tailBytes }: { text: Uint8Array; headBytes: number; tailBytes: number },
	versions: Int32Array,
): Manifest {
	const whole = viewAsBuffer(text);
	return { head: whole.subarray(0, headBytes), tail: whole.subarray(whole.length - tailBytes), versions };
}

export function encodeKeyframe(manifest: Manifest): StoredManifest {
	const out = createWriter(1024);
	writeEnds(out, manifest);
	out.runs(manifest.versions);
	return { whole: true, payload: sealColumns(out.bytes()) };
}

export function encodeDelta(before: Manifest, after: Manifest): StoredManifest {
	const sameEnds = before.head.equals(after.head) && before.tail.equals(after.tail);
	if (sameEnds && hasSameValues(before.versions, after.versions)) return { whole: false, payload: null };
	const out = createWriter(1024);
	out.varint(sameEnds ? SAME_ENDS : 0);
	if (!sameEnds) writeEnds(out, after);
	const { removed, added } = diffVersions(before.versions, after.versions);
	out.runs(removed);
	out.runs(added);
	const { steps, inserted } = editScript(before.versions, after.versions);
	out.varint(steps.length);
	for (const value of steps) out.varint(value);
	out.runs(inserted);
	return { whole: false, payload: sealColumns(out.bytes()) };
}

/** The last manifest of a chain that starts with a keyframe. */
export function readChain(chain: readonly StoredManifest[]): Manifest {
	const all = readAll(chain);
	const last = all.at(-1);
	if (last === undefined) throw new Error("A snapshot without a manifest");
	return last;
}

/** All manifests of a chain that starts with a keyframe. */
export function readAll(chain: readonly StoredManifest[]): Manifest[] {
	const all: Manifest[] = [];
	for (const { whole, payload } of chain) {
		const before = all.at(-1);
		if (!whole && before === undefined) throw new Error("A chain of manifests must start with a keyframe");
		if (payload === null) {
			if (before === undefined) throw new Error("A keyframe without a payload");
			all.push(before);
		} else if (whole || before === undefined) all.push(readKeyframe(payload));
		else all.push(readDelta(payload, before));
	}
	return all;
}

function readKeyframe(payload: Uint8Array): Manifest {
	const input = openColumns(payload);
	const { head, tail } = readEnds(input);
	return { head, tail, versions: input.runs() };
}

function readDelta(payload: Uint8Array, before: Manifest): Manifest {
	const input = openColumns(payload);
	const flags = input.varint();
	const { head, tail } = (flags & SAME_ENDS) === 0 ? readEnds(input) : before;
	input.runs();
	input.runs();
	const steps = input.column(input.varint());
	const inserted = input.runs();
	let length = inserted.length;
	for (let at = 0; at < steps.length; at += 3) length += steps[at] as number;
	const versions = new Int32Array(length);
	let from = 0;
	let to = 0;
	let taken = 0;
	for (let at = 0; at < steps.length; at += 3) {
		const kept = from + (steps[at] as number);
		while (from < kept) versions[to++] = before.versions[from++] as number;
		from += steps[at + 1] as number;
		const stop = taken + (steps[at + 2] as number);
		while (taken < stop) versions[to++] = inserted[taken++] as number;
	}
	return { head, tail, versions };
}

const NOTHING = new Int32Array(0);

/**
 * The versions that a delta removes and adds, without the list that it applies to: ascending, each
 * as often as it goes or comes. A keyframe adds all its versions, row by row.
 */
export function readChanges({ whole, payload }: StoredManifest): Changes {
	if (payload === null) return { removed: NOTHING, added: NOTHING };
	if (whole) return { removed: NOTHING, added: readKeyframe(payload).versions };
	const input = openColumns(payload);
	const flags = input.varint();
	if ((flags & SAME_ENDS) === 0) readEnds(input);
	return { removed: input.runs(), added: input.runs() };
}

export interface Changes {
	/** Versions, each as often as it goes or comes. Ascending in deltas. */
	removed: Int32Array;
	added: Int32Array;
}

/** Sums up the changes of consecutive deltas. */
export function sumChanges(deltas: readonly StoredManifest[]): Changes {
	if (deltas.length === 1) return readChanges(deltas[0] as StoredManifest);
	const counts = new Map<number, number>();
	for (const delta of deltas) {
		const { removed, added } = readChanges(delta);
		for (const version of removed) counts.set(version, (counts.get(version) ?? 0) - 1);
		for (const version of added) counts.set(version, (counts.get(version) ?? 0) + 1);
	}
	const list = (sign: number) => {
		const found: number[] = [];
		for (const [version, count] of counts) for (let left = count * sign; left > 0; left--) found.push(version);
		return Int32Array.from(found).sort();
	};
	return { removed: list(-1), added: list(1) };
}

/**
 * Versions that one of two lists has more often than the other, as often as the surplus. Ascending.
 */
export function diffVersions(before: Int32Array, after: Int32Array): Changes {
	const counts = new Int32Array(findEnd(before, after));
	for (let at = 0; at < before.length; at++) (counts[before[at] as number] as number)--;
	for (let at = 0; at < after.length; at++) (counts[after[at] as number] as number)++;
	const removed: number[] = [];
	const added: number[] = [];
	for (let version = 0; version < counts.length; version++) {
		const count = counts[version] as number;
		for (let left = count; left > 0; left--) added.push(version);
		for (let left = count; left < 0; left++) removed.push(version);
	}
	return { removed: Int32Array.from(removed), added: Int32Array.from(added) };
}

/**
 * The edit script from one list to the other, which keeps as many rows as possible: triples of the
 * numbers of rows kept, dropped and inserted, and the inserted versions.
 */
function editScript(before: Int32Array, after: Int32Array): { steps: number[]; inserted: number[] } {
	const places = listPlacesIn(before, after);
	const kept = findLongestAscending(places);
	const steps: number[] = [];
	const inserted: number[] = [];
	let from = 0;
	for (let at = 0; at < after.length || from < before.length; ) {
		let keep = 0;
		while (at < after.length && kept[at] === 1 && places[at] === from) {
			keep++;
			at++;
			from++;
		}
		let insert = 0;
		while (at < after.length && kept[at] === 0) {
			inserted.push(after[at] as number);
			insert++;
			at++;
		}
		const next = at < after.length ? (places[at] as number) : before.length;
		steps.push(keep, next - from, insert);
		from = next;
	}
	return { steps, inserted };
}

/**
 * Position of each version of `after` in `before`, -1 if there is none. No position occurs twice.
 */
function listPlacesIn(before: Int32Array, after: Int32Array): Int32Array {
	const first = new Int32Array(findEnd(before, after)).fill(-1);
	const next = new Int32Array(before.length);
	for (let at = before.length - 1; at >= 0; at--) {
		const version = before[at] as number;
		next[at] = first[version] as number;
		first[version] = at;
	}
	const places = new Int32Array(after.length);
	for (let at = 0; at < after.length; at++) {
		const version = after[at] as number;
		const place = first[version] as number;
		if (place >= 0) first[version] = next[place] as number;
		places[at] = place;
	}
	return places;
}

/**
 * The greatest version plus one. It is at most a small multiple of the number of rows of a segment.
 */
function findEnd(...lists: Int32Array[]): number {
	let end = 0;
	for (const list of lists) for (let at = 0; at < list.length; at++) end = Math.max(end, (list[at] as number) + 1);
	return end;
}

/** Marks the longest ascending subsequence of the non-negative numbers (patience sorting). */
function findLongestAscending(numbers: Int32Array): Uint8Array {
	const marked = new Uint8Array(numbers.length);
	/** End of the best subsequence of each length. */
	const ends = new Int32Array(numbers.length);
	let longest = 0;
	const previous = new Int32Array(numbers.length);
	for (let at = 0; at < numbers.length; at++) {
		const value = numbers[at] as number;
		if (value < 0) continue;
		let low = longest;
		if (low > 0 && (numbers[ends[low - 1] as number] as number) >= value) {
			low = 0;
			for (let high = longest - 1; low < high; ) {
				const middle = (low + high) >> 1;
				if ((numbers[ends[middle] as number] as number) < value) low = middle + 1;
				else high = middle;
			}
		}
		previous[at] = low === 0 ? -1 : (ends[low - 1] as number);
		ends[low] = at;
		longest = Math.max(longest, low + 1);
	}
	for (let at = longest === 0 ? -1 : (ends[longest - 1] as number); at >= 0; at = previous[at] as number)
		marked[at] = 1;
	return marked;
}

function hasSameValues(a: Int32Array, b: Int32Array): boolean {
	let at = 0;
	while (at < a.length && a[at] === b[at]) at++;
	return at === a.length && at === b.length;
}

function writeEnds(out: Writer, { head, tail }: Manifest): void {
	for (const part of [head, tail]) {
		out.varint(part.length);
		out.raw(part);
	}
}

function readEnds(input: Reader): { head: Buffer; tail: Buffer } {
	const head = input.raw(input.varint());
	return { head, tail: input.raw(input.varint()) };
}
