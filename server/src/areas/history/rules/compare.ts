/**
 * Compares two snapshots by the hashes of their objects: which were added, deleted or modified,
 * counted by class, and where the rows are that show them. Objects match by dn and differ if their
 * hashes do. Equal objects are never read.
 *
 * A dn that occurs several times in a snapshot stands for the set of its distinct contents.
 * Contents that both sides have are unchanged. The others are paired in the order of hashes and
 * reported as modified, a surplus as added or deleted. Thus the order of rows makes no difference.
 */
import { decodeByteString } from "./json-text.ts";
import type { Names } from "./names-lookup.ts";
import { SHORT_HASH } from "./packs.ts";

export const ADDED = 0;
export const DELETED = 1;
export const MODIFIED = 2;
/** How an object changed. */
export type ChangeKind = typeof ADDED | typeof DELETED | typeof MODIFIED;

export const KIND_NAMES = { [ADDED]: "added", [DELETED]: "deleted", [MODIFIED]: "modified" } as const;

interface Counts {
	added: number;
	deleted: number;
	modified: number;
}

export interface ComparePlan extends Counts {
	total: number;
	/** By class name; `""` if unknown. A modified object counts under its later class. */
	summary: Record<string, Counts>;
	/**
	 * Changes in the order of dn. Each has PLACE integers per side: pack (-1 if the object is
	 * absent), start, length, ordinal.
	 */
	places: Int32Array;
	/** Index in `classes` of the class that each change counts under. */
	classNumbers: Int32Array;
	classes: string[];
}

/** Integers per side of a change. */
export const PLACE = 4;

/** Objects in the order of dn, equal dns by hash. */
export interface Objects {
	/** Rank of the dn: equal for equal dns, also on the other side. */
	keys: Int32Array;
	compareHash(at: number, other: Objects, otherAt: number): number;
	hash(at: number): { bytes: Buffer; start: number };
	/** Copies the place to position `to` of `target`. */
	copyPlace(at: number, target: Int32Array, to: number): void;
	/** Byte string. */
	getClass(at: number): string;
}

/** Greater than any number of objects. */
const OBJECTS = 2 ** 24;

export function sortObjects(
	{ entries, hashes, places }: { entries: Int32Array; hashes: Buffer; places: Int32Array },
	getKey: (entry: number) => number,
	names: Pick<Names, "getClass">,
): Objects {
	const sorted = new Float64Array(entries.length);
	for (let at = 0; at < sorted.length; at++) sorted[at] = getKey(entries[at] as number) * OBJECTS + at;
	sorted.sort();
	const keys = new Int32Array(sorted.length);
	const order = new Int32Array(sorted.length);
	for (let at = 0; at < sorted.length; at++) {
		keys[at] = Math.floor((sorted[at] as number) / OBJECTS);
		order[at] = (sorted[at] as number) - (keys[at] as number) * OBJECTS;
	}
	const hash = (at: number) => ({ bytes: hashes, start: (order[at] as number) * SHORT_HASH });
	for (let at = 0; at < keys.length; ) {
		const end = runEnd(keys, at, keys[at]);
		if (end - at > 1)
			order.subarray(at, end).sort((a, b) => {
				const [left, right] = [a * SHORT_HASH, b * SHORT_HASH];
				return hashes.compare(hashes, right, right + SHORT_HASH, left, left + SHORT_HASH);
			});
		at = end;
	}
	return {
		keys,
		hash,
		compareHash(at, other, otherAt) {
			const { start } = hash(at);
			const { bytes, start: from } = other.hash(otherAt);
			return hashes.compare(bytes, from, from + SHORT_HASH, start, start + SHORT_HASH);
		},
		copyPlace(at, target, to) {
			const from = (order[at] as number) * PLACE;
			for (let step = 0; step < PLACE; step++) target[to + step] = places[from + step] as number;
		},
		getClass: (at) => names.getClass(entries[order[at] as number] as number),
	};
}

/** Collects changes, each given by the indexes of its sides; -1 for an absent one. */
function collectChanges(from: Objects, to: Objects, most: number) {
	const places = new Int32Array(most * 2 * PLACE);
	const classes = new Map<string, number>();
	const classNumbers: number[] = [];
	return {
		add(before: number, after: number): void {
			const place = classNumbers.length * 2 * PLACE;
			if (before < 0) places[place] = -1;
			else from.copyPlace(before, places, place);
			if (after < 0) places[place + PLACE] = -1;
			else to.copyPlace(after, places, place + PLACE);
			const name = after < 0 ? from.getClass(before) : to.getClass(after);
			const known = classes.get(name) ?? classes.size;
			classes.set(name, known);
			classNumbers.push(known);
		},
		plan: (): ComparePlan =>
			countChanges({
				places: places.slice(0, classNumbers.length * 2 * PLACE),
				classNumbers: Int32Array.from(classNumbers),
				classes: [...classes.keys()].map(decodeByteString),
			}),
	};
}

/** A plan of the given changes: indexes of both sides, -1 for an absent one. */
export function planOfChanges(from: Objects, to: Objects, pairs: readonly (readonly [number, number])[]): ComparePlan {
	const changes = collectChanges(from, to, pairs.length);
	for (const [before, after] of pairs) changes.add(before, after);
	return changes.plan();
}

/** The changes from one snapshot to the other. */
export function planCompare(from: Objects, to: Objects): ComparePlan {
	const changes = collectChanges(from, to, from.keys.length + to.keys.length);
	const change = changes.add;
	const left = from.keys;
	const right = to.keys;
	let a = 0;
	let b = 0;
	while (a < left.length || b < right.length) {
		const leftKey = left[a] ?? Number.POSITIVE_INFINITY;
		const rightKey = right[b] ?? Number.POSITIVE_INFINITY;
		const key = Math.min(leftKey, rightKey);
		const aEnd = runEnd(left, a, key);
		const bEnd = runEnd(right, b, key);
		if (aEnd - a === 1 && bEnd - b === 1) {
			if (from.compareHash(a, to, b) !== 0) change(a, b);
		} else compareRuns(from, a, aEnd, to, b, bEnd, change);
		a = aEnd;
		b = bEnd;
	}
	return changes.plan();
}

function countChanges(changes: Pick<ComparePlan, "places" | "classNumbers" | "classes">): ComparePlan {
	const totals: Counts = { added: 0, deleted: 0, modified: 0 };
	const byClass = changes.classes.map((): Counts => ({ added: 0, deleted: 0, modified: 0 }));
	for (const [change, of] of changes.classNumbers.entries()) {
		const field = KIND_NAMES[getKind(changes.places, change)];
		totals[field]++;
		(byClass[of] as Counts)[field]++;
	}
	const summary = changes.classes
		.map((name, of): [string, Counts] => [name, byClass[of] as Counts])
		.filter(([, { added, deleted, modified }]) => added + deleted + modified > 0);
	return { ...totals, total: changes.classNumbers.length, summary: Object.fromEntries(summary), ...changes };
}

/** Indexes of the changes that modify an object. */
export function listModifiedChanges(plan: Pick<ComparePlan, "places" | "classNumbers">): number[] {
	return Array.from(plan.classNumbers.keys()).filter((change) => getKind(plan.places, change) === MODIFIED);
}

/** A plan of some of the changes, in the given order, counted again. */
export function selectChanges(plan: ComparePlan, changes: readonly number[]): ComparePlan {
	return joinChanges(
		plan,
		changes.map((change) => [change, change]),
	);
}

/**
 * A plan of the earlier side of one change and the later side of another; -1 for an absent side.
 * The later side decides the class.
 */
export function joinChanges(
	{ places, classNumbers, classes }: ComparePlan,
	pairs: readonly [number, number][],
): ComparePlan {
	const chosen = new Int32Array(pairs.length * 2 * PLACE);
	for (const [at, sides] of pairs.entries())
		for (const [side, change] of sides.entries())
			for (let step = 0; step < PLACE; step++)
				chosen[(at * 2 + side) * PLACE + step] =
					change < 0 ? -1 : (places[(change * 2 + side) * PLACE + step] as number);
	const classOfPair = ([before, after]: readonly [number, number]) =>
		classNumbers[after < 0 ? before : after] as number;
	return countChanges({ places: chosen, classNumbers: Int32Array.from(pairs, classOfPair), classes });
}

/** The kind of a change, by its index. */
export function getKind(places: Int32Array, change: number): ChangeKind {
	if ((places[change * 2 * PLACE] as number) < 0) return ADDED;
	return (places[(change * 2 + 1) * PLACE] as number) < 0 ? DELETED : MODIFIED;
}

/** The plan with added objects first, then deleted and modified ones, each in the order of dn. */
export function sortByKind(plan: ComparePlan): ComparePlan {
	const changes = Array.from(plan.classNumbers.keys());
	const kinds = changes.map((change) => getKind(plan.places, change));
	return selectChanges(
		plan,
		[ADDED, DELETED, MODIFIED].flatMap((kind) => changes.filter((change) => kinds[change] === kind)),
	);
}

/** How many changes a plan of places has. */
export const countPlaces = (places: Int32Array): number => places.length / (2 * PLACE);

/** A copy of the places of at most `most` changes from `from` on. */
export const selectPlaces = (places: Int32Array, from: number, most: number): Int32Array<ArrayBuffer> =>
	places.slice(2 * PLACE * from, 2 * PLACE * (from + most)) as Int32Array<ArrayBuffer>;

/**
 * The places of the changes from `from` on that show about `maxBytes` of rows, at least one; and
 * the index after them.
 */
export function getPage(
	places: Int32Array,
	from: number,
	maxBytes: number,
): { places: Int32Array; next: number | null } {
	const count = places.length / (2 * PLACE);
	/** The last row of each pack: consecutive changes of one row count its bytes once. */
	const rows: [Map<number, number>, Map<number, number>] = [new Map(), new Map()];
	let bytes = 0;
	let at = from;
	for (; at < count && (bytes < maxBytes || at === from); at++)
		for (const side of [0, 1] as const) {
			const place = (2 * at + side) * PLACE;
			const pack = places[place] as number;
			const start = places[place + 1] as number;
			if (pack < 0 || rows[side].get(pack) === start) continue;
			bytes += places[place + 2] as number;
			rows[side].set(pack, start);
		}
	return { places: places.subarray(from * 2 * PLACE, at * 2 * PLACE), next: at < count ? at : null };
}

/** Bytes of the changes' rows, each as often as it is shown. */
export function countShownBytes(places: Int32Array): number {
	let bytes = 0;
	for (let at = 0; at < places.length; at += PLACE) if ((places[at] as number) >= 0) bytes += places[at + 2] as number;
	return bytes;
}

/** Numbers of the packs that hold the rows of these changes, ascending. */
export function listNeededPacks(places: Int32Array): { from: number[]; to: number[] } {
	const sides: [Set<number>, Set<number>] = [new Set(), new Set()];
	for (let at = 0; at < places.length; at += PLACE) {
		const pack = places[at] as number;
		if (pack >= 0) sides[((at / PLACE) & 1) as 0 | 1].add(pack);
	}
	const [from, to] = sides.map((side) => [...side].sort((a, b) => a - b)) as [number[], number[]];
	return { from, to };
}

function runEnd(keys: Int32Array, start: number, key: number | undefined): number {
	let end = start;
	while (end < keys.length && keys[end] === key) end++;
	return end;
}

/** Compares runs of equal dns, sorted by hash. Equal contents of one side count once. */
function compareRuns(
	from: Objects,
	aStart: number,
	aEnd: number,
	to: Objects,
	bStart: number,
	bEnd: number,
	change: (before: number, after: number) => void,
): void {
	const before: number[] = [];
	const after: number[] = [];
	let a = aStart;
	let b = bStart;
	while (a < aEnd || b < bEnd) {
		const order = a >= aEnd ? 1 : b >= bEnd ? -1 : from.compareHash(a, to, b);
		if (order < 0) before.push(a);
		else if (order > 0) after.push(b);
		const [atA, atB] = [a, b];
		if (order <= 0) while (a < aEnd && from.compareHash(atA, from, a) === 0) a++;
		if (order >= 0) while (b < bEnd && to.compareHash(atB, to, b) === 0) b++;
	}
	for (let at = 0; at < Math.max(before.length, after.length); at++) change(before[at] ?? -1, after[at] ?? -1);
}
