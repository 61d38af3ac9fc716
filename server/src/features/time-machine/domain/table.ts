/**
 * The rows of one document while it is read: which of them the history knows, and of the others hashes, objects and dns. Then the document's hash: the
 * SHA-256 of its rows' hashes (32 bytes each, one after another), first the rows with a dn in the order of dn (code points; equal dns by hash), then
 * the rest in their order. So the envelope, `totalCount` and the order of rows with a dn do not matter.
 *
 * Equal rows share a *slot*: those of the history first, then new ones in the order in which they came.
 */
import { createHash, hash } from "node:crypto";
import type { Scanner } from "../../../platform/json/scan.ts";
import { JsonTextError } from "../../../platform/json/tokens.ts";
import { noPause, type Pause } from "../../../platform/workers/pause.ts";
import { createCanonicalizer, NOTHING } from "./canonical.ts";
import { createHashIndex } from "./hash-index.ts";
import { isAfterRow, type Known } from "./known.ts";
import { createIntegers, createRowHashes } from "./lists.ts";
import { encodeNames, type Name, type StoredNames } from "./names.ts";
import type { Ranks } from "./names-lookup.ts";
import { objectsOf } from "./objects.ts";
import { HASH, SHORT_HASH } from "./packs.ts";

/** Of rows that take next to nothing each. */
const PAUSE_ROWS = 1024;
const NO_ROWS = { rows: 0, length: 0 };

/** Bytes of all dns together. A child's dn repeats its parent's, so that a small text could ask for any number of them. */
const MAX_DN_BYTES = 256 * 1024 * 1024;

/** An object of a new row. */
interface FoundObject {
	/** Byte strings. */
	dn: string;
	className: string;
	ordinal: number;
	/** HASH bytes as a string: of the canonical text without the children that are objects of their own. */
	digest: string;
}

/** A row that the history does not have yet. */
export interface FreshRow {
	/** Where it is first in the compact text. */
	start: number;
	length: number;
	textHash: Buffer;
	/** Null where the text is canonical. */
	rowHash: Buffer | null;
	objects: { entry: number; ordinal: number; hash: Buffer }[];
}

export interface RowsRead {
	/** Lowercase hex. */
	hash: string;
	/** Row by row. */
	slots: Int32Array;
	fresh: FreshRow[];
	/** Names that the fresh rows bring, and the number after the last of all. */
	names: StoredNames[];
	nextEntry: number;
	/** Rows without a dn, and a short hash of them all. */
	looseRows: number;
	looseHash: Buffer;
	/** Whether no dn occurs twice: then rows that are the same in two snapshots say nothing about the others. */
	distinct: boolean;
	/** HASH bytes each, of the rows' canonical texts, row by row. */
	rowHashes: Buffer;
}

export interface Table {
	/** Takes rows that the history expects at this place, without reading them; gives how many, and their length. */
	predict(bytes: Buffer, at: number, end: number): { rows: number; length: number };
	/** Adds the row on the scanner's tape, whose compact text begins at `start`. Throws JsonTextError when there are too many bytes of dns. */
	add(scanner: Scanner, compact: Buffer, start: number): void;
	/** Forgets all rows. */
	clear(): void;
	finish(): RowsRead;
}

/** HASH bytes, as a string of one character for each. */
export function digestOf(bytes: Buffer): string {
	return hash("sha256", bytes, "binary");
}

export function createTable(known: Known | null, pause: Pause): Table {
	const canonicalizer = createCanonicalizer();
	const list = known?.list ?? new Int32Array(0);
	const knownSlots = known?.rows.slots ?? 0;
	const before = known?.before ?? null;
	/** Mostly there are as many rows as before, or a few more. */
	const expected = list.length + 1024;
	/** Of the rows that are new. */
	let index = createHashIndex();
	let slots = createIntegers(expected);
	let rowHashes = createRowHashes(expected);
	let fresh: { start: number; length: number; row: number; respelt: boolean; objects: FoundObject[] }[] = [];
	let dnBytes = 0;
	/** Where in the list the next row is expected, and where each slot is. */
	let next = 0;
	let placeOf: Int32Array | null = null;

	function push(slot: number, digest: string): void {
		rowHashes.push(digest);
		slots.push(slot);
	}
	/** A row that is there already: from the history, or from this document. */
	function repeat(slot: number, digest: string): void {
		if (slot < knownSlots) {
			push(slot, known?.rows.rowHash(slot)?.toString("latin1") ?? digest);
			return;
		}
		const { row, respelt } = fresh[slot - knownSlots] as (typeof fresh)[number];
		push(slot, respelt ? rowHashes.bytes().toString("latin1", row * HASH, (row + 1) * HASH) : digest);
	}
	function find(digest: string): number {
		const slot = known?.rows.find(digest) ?? -1;
		if (slot >= 0) return slot;
		const own = index.find(digest);
		return own < 0 ? -1 : knownSlots + own;
	}
	function placeAfter(slot: number): number {
		if (placeOf === null) {
			placeOf = new Int32Array(knownSlots).fill(-1);
			for (let at = list.length - 1; at >= 0; at--) placeOf[list[at] as number] = at;
		}
		return (placeOf[slot] ?? -1) + 1;
	}

	return {
		predict(bytes, at, end) {
			if (before !== null) {
				const run = before.run(next, bytes, at, end);
				if (run.rows === 0) return NO_ROWS;
				rowHashes.repeat(before.rowHashes, next, run.rows);
				slots.append(list.subarray(next, next + run.rows));
				next += run.rows;
				return run;
			}
			const slot = list[next] ?? -1;
			const length = known?.rows.lengths[slot] ?? 0;
			if (slot < 0 || !isAfterRow(bytes, at + length, end)) return NO_ROWS;
			const digest = digestOf(bytes.subarray(at, at + length));
			if (known?.rows.isAt(slot, digest) !== true) return NO_ROWS;
			repeat(slot, digest);
			next++;
			return { rows: 1, length };
		},
		add(scanner, compact, start) {
			const digest = digestOf(compact);
			const slot = find(digest);
			if (slot >= 0) {
				repeat(slot, digest);
				next = slot < knownSlots ? placeAfter(slot) : next + 1;
				return;
			}
			next++;
			const { bytes, tape } = scanner;
			const isCanonical = canonicalizer.isCanonical(bytes, tape);
			const rowDigest = isCanonical ? digest : digestOf(canonicalizer.write(bytes, tape, 0, NOTHING));
			const { objects, own } = objectsOf(bytes, tape);
			for (const { dn } of objects) dnBytes += dn.length;
			if (dnBytes > MAX_DN_BYTES) throw new JsonTextError("size", scanner.pos, "Too many bytes of dns");
			fresh.push({
				start,
				length: compact.length,
				row: slots.count(),
				respelt: !isCanonical,
				objects: objects.map(({ dn, ordinal, node, shape }) => ({
					dn,
					className: shape.className ?? "",
					ordinal,
					digest: node === 0 && shape.children < 0 ? rowDigest : digestOf(canonicalizer.write(bytes, tape, node, own)),
				})),
			});
			push(knownSlots + index.add(digest), rowDigest);
		},
		clear() {
			if (slots.count() === 0) return;
			index = createHashIndex();
			slots = createIntegers(expected);
			rowHashes = createRowHashes(expected);
			fresh = [];
			dnBytes = 0;
			next = 0;
		},
		finish() {
			const named = nameObjects(
				fresh.map(({ objects }) => objects),
				known,
			);
			const hashes = index.hashes();
			const rows = fresh.map(({ start, length, row, respelt, objects }, at): FreshRow => {
				pause();
				const textAt = at * SHORT_HASH;
				return {
					start,
					length,
					textHash: hashes.subarray(textAt, textAt + SHORT_HASH),
					rowHash: respelt ? rowHashes.bytes().subarray(row * HASH, (row + 1) * HASH) : null,
					objects: objects.map(({ ordinal, digest }, object) => ({
						entry: (named.entries[at] as number[])[object] as number,
						ordinal,
						hash: Buffer.from(digest.slice(0, SHORT_HASH), "latin1"),
					})),
				};
			});
			const ranked = rankRows(slots.all(), rows, known, named, pause);
			const hashed = hashRows(ranked.ofRow, rowHashes.bytes(), pause);
			return {
				...hashed,
				slots: slots.all(),
				fresh: rows,
				names: named.names,
				nextEntry: named.nextEntry,
				distinct: ranked.distinct,
				rowHashes: rowHashes.bytes(),
			};
		},
	};
}

interface Named {
	/** Object by object of each fresh row. */
	entries: number[][];
	names: StoredNames[];
	nextEntry: number;
	ranks: Ranks;
	/** The first number that `ranks.ofMore` begins with. */
	firstEntry: number;
}

/** Numbers for the objects of new rows: those that the segment has, and new ones in the order of dn. */
function nameObjects(rows: readonly FoundObject[][], known: Known | null): Named {
	const firstEntry = known?.counters.nextEntry ?? 0;
	const unknown: { dn: string; className: string; row: number; object: number }[] = [];
	const entries = rows.map((objects, row) =>
		objects.map(({ dn, className }, object) => {
			const entry = known?.names.entryOf(dn, className) ?? -1;
			if (entry < 0) unknown.push({ dn, className, row, object });
			return entry;
		}),
	);
	type Unknown = (typeof unknown)[number];
	const compare = (a: Unknown, b: Unknown): number => {
		if (a.dn !== b.dn) return a.dn < b.dn ? -1 : 1;
		return a.className < b.className ? -1 : a.className > b.className ? 1 : 0;
	};
	if (!unknown.every((one, at) => at === 0 || compare(unknown[at - 1] as Unknown, one) <= 0)) unknown.sort(compare);
	const made: Name[] = [];
	for (const { dn, className, row, object } of unknown) {
		const last = made.at(-1);
		if (last?.dn !== dn || last.className !== className) made.push({ entry: firstEntry + made.length, dn, className });
		(entries[row] as number[])[object] = firstEntry + made.length - 1;
	}
	const dns = made.map(({ dn }) => dn);
	const ranks = known?.names.ranks(dns) ?? ranksOf(dns);
	return { entries, names: encodeNames(made), nextEntry: firstEntry + made.length, ranks, firstEntry };
}

/** Of dns that are sorted, and where there are no others. */
function ranksOf(dns: readonly string[]): Ranks {
	const ofMore = new Int32Array(dns.length);
	let end = 0;
	for (const [at, dn] of dns.entries()) ofMore[at] = at > 0 && dns[at - 1] === dn ? end - 1 : end++;
	return { ofEntry: new Int32Array(0), ofMore, end };
}

/** The rank of each row's own dn, -1 where it has none; and whether no dn occurs twice among all objects. */
function rankRows(slots: Int32Array, fresh: readonly FreshRow[], known: Known | null, named: Named, pause: Pause) {
	const { ranks, firstEntry } = named;
	const rankOf = (entry: number): number =>
		(entry < firstEntry ? ranks.ofEntry[entry] : ranks.ofMore[entry - firstEntry]) as number;
	const seen = new Uint8Array(ranks.end);
	let distinct = true;
	function see(rank: number): void {
		if (seen[rank] === 1) distinct = false;
		seen[rank] = 1;
	}
	const rows = known?.rows;
	const knownSlots = rows?.slots ?? 0;
	const ofRow = new Int32Array(slots.length).fill(-1);
	for (let row = 0; row < slots.length; row++) {
		const slot = slots[row] as number;
		if (row % PAUSE_ROWS === 0) pause();
		if (rows !== undefined && slot < knownSlots) {
			for (let at = rows.starts[slot] as number; at < (rows.starts[slot + 1] as number); at++) {
				const rank = rankOf(rows.entries[at] as number);
				if (rows.ordinals[at] === 0) ofRow[row] = rank;
				see(rank);
			}
			continue;
		}
		for (const { entry, ordinal } of (fresh[slot - knownSlots] as FreshRow).objects) {
			const rank = rankOf(entry);
			if (ordinal === 0) ofRow[row] = rank;
			see(rank);
		}
	}
	return { ofRow, distinct };
}

/** Rows whose hashes are put together before they are hashed. */
const HASHED_ROWS = 1024;

/** The hash of a document. @param ranks where each row's dn stands in the order of dns, equal for equal ones; -1 where it has none */
export function hashRows(
	ranks: Int32Array,
	rowHashes: Buffer,
	pause = noPause,
): Pick<RowsRead, "hash" | "looseRows" | "looseHash"> {
	const { order, ranked } = sortRows(ranks, rowHashes);
	const [all, loose] = [createHash("sha256"), createHash("sha256")];
	const gather = createGather(rowHashes);
	for (let from = 0; from < order.length; ) {
		// None with a dn together with one without.
		const end = Math.min(from + HASHED_ROWS, from < ranked ? ranked : order.length);
		const hashes = gather(order, from, end);
		all.update(hashes);
		if (from >= ranked) loose.update(hashes);
		from = end;
		pause();
	}
	return {
		hash: all.digest("hex"),
		looseRows: order.length - ranked,
		looseHash: loose.digest().subarray(0, SHORT_HASH),
	};
}

/** The rows with a dn by rank, then by hash; after so many of them those without. */
function sortRows(ranks: Int32Array, rowHashes: Buffer): { order: Int32Array; ranked: number } {
	let end = 0;
	for (let row = 0; row < ranks.length; row++) end = Math.max(end, (ranks[row] as number) + 1);
	// Rows of a rank are from starts[rank] to starts[rank + 1].
	const starts = new Int32Array(end + 1);
	for (let row = 0; row < ranks.length; row++) {
		const rank = ranks[row] as number;
		if (rank >= 0) starts[rank + 1] = (starts[rank + 1] as number) + 1;
	}
	for (let rank = 0; rank < end; rank++) starts[rank + 1] = (starts[rank + 1] as number) + (starts[rank] as number);
	const ranked = starts[end] as number;
	const order = new Int32Array(ranks.length);
	const next = starts.slice();
	let loose = ranked;
	for (let row = 0; row < ranks.length; row++) {
		const rank = ranks[row] as number;
		if (rank < 0) {
			order[loose++] = row;
			continue;
		}
		order[next[rank] as number] = row;
		next[rank] = (next[rank] as number) + 1;
	}
	const compare = (a: number, b: number): number =>
		rowHashes.compare(rowHashes, b * HASH, (b + 1) * HASH, a * HASH, (a + 1) * HASH);
	for (let rank = 0; rank < end; rank++) {
		const first = starts[rank] as number;
		const last = starts[rank + 1] as number;
		if (last - first > 1) order.subarray(first, last).sort(compare);
	}
	return { order, ranked };
}

/** Hashes of rows one after another, in the same memory each time. Words are copied, for a call costs more than so few bytes. */
function createGather(rowHashes: Buffer): (rows: Int32Array, from: number, end: number) => Buffer {
	const words = HASH / 4;
	const all = new Int32Array(rowHashes.buffer, rowHashes.byteOffset, rowHashes.byteLength / 4);
	const found = new Int32Array(HASHED_ROWS * words);
	const bytes = Buffer.from(found.buffer);
	return (rows, from, end) => {
		let place = 0;
		for (let at = from; at < end; at++) {
			const start = (rows[at] as number) * words;
			for (let word = 0; word < words; word++) found[place++] = all[start + word] as number;
		}
		return bytes.subarray(0, place * 4);
	};
}
