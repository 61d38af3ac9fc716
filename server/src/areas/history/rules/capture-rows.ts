/**
 * Collects the rows of one capture while it is parsed: rows that the segment has are referenced,
 * new rows get hashes, objects and names. Then it computes the document's hash: the SHA-256 of the
 * rows' canonical digests (32 bytes each), first the rows with a dn in the order of dn (code
 * points; equal dns by digest), then the others in their order. The envelope, `totalCount` and the
 * order of rows with a dn therefore do not matter.
 *
 * Equal rows share a *slot*: those of the segment first, then new ones in the order of appearance.
 */
import { createHash, type Hash, hash } from "node:crypto";
import type { Scanner } from "../../../core/json/scan.ts";
import { JsonTextError } from "../../../core/json/tokens.ts";
import type { Canonicalizer } from "./canonical.ts";
import { createCanonicalizer, NOTHING } from "./canonical.ts";
import type { CaptureBase } from "./capture-base.ts";
import { compareByteStrings } from "./json-text.ts";
import { encodeNames, type Name, type StoredNames } from "./names.ts";
import { getObjects } from "./objects.ts";
import { SHORT_HASH } from "./packs.ts";

/**
 * Limit of all dns together, in bytes: a child's dn repeats its parent's, so a small text can imply
 * a lot of them.
 */
const MAX_DN_BYTES = 256 * 1024 * 1024;
/** Digests that are hashed with one call. */
const DIGESTS_PER_UPDATE = 4096;

/** An object of a new row. */
interface FoundObject {
	/** Byte strings. */
	dn: string;
	className: string;
	ordinal: number;
	/** SHA-256 (binary string) of the canonical text without children that are objects themselves. */
	digest: string;
}

/** A new row. Digests are SHA-256 as binary strings. */
interface FoundRow {
	start: number;
	length: number;
	textDigest: string;
	/** Of the canonical text; null if the text is canonical. */
	canonicalDigest: string | null;
	objects: FoundObject[];
}

/** A row that the segment does not have yet. */
interface NewCaptureRow {
	/** Position of its first occurrence in the compact text, in bytes. */
	start: number;
	length: number;
	/** The first SHORT_HASH bytes. */
	textHash: Buffer;
	/** HASH bytes of the canonical text; null if the text is canonical. */
	rowHash: Buffer | null;
	objects: { entry: number; ordinal: number; hash: Buffer }[];
}

interface DocumentHash {
	/** Lowercase hex. */
	hash: string;
	/** Number of rows without a dn, and a short hash of them. */
	looseRows: number;
	looseHash: Buffer;
}

export interface CaptureRows extends DocumentHash {
	/** Slots of the rows, in order. */
	slots: Int32Array;
	newRows: NewCaptureRow[];
	/** Names that the new rows add, and the number after the last name of the segment. */
	names: StoredNames[];
	nextEntry: number;
	/**
	 * True if no dn occurs twice. Then equal rows of two snapshots cannot affect how other rows
	 * compare.
	 */
	distinct: boolean;
}

export interface RowCollector {
	/**
	 * Adds the row that follows in the latest snapshot if it stands at this position, without
	 * parsing it. Returns its length in bytes, 0 if another row stands there.
	 */
	addExpected(bytes: Buffer, at: number, end: number): number;
	/**
	 * Adds the row on the scanner's tape, whose compact text begins at `start`. Throws JsonTextError
	 * if the dns of all rows exceed their limit.
	 */
	add(scanner: Scanner, compact: Buffer, start: number): void;
	/** Removes all rows. */
	clear(): void;
	finish(): CaptureRows;
}

/** SHA-256 as a binary string: one character per byte. */
export function computeDigest(bytes: Buffer): string {
	return hash("sha256", bytes, "binary");
}

/** The rows of a capture so far, and those of the base that it is compared with. */
interface CollectorState {
	readonly base: CaptureBase | null;
	readonly canonicalizer: Canonicalizer;
	readonly baseSlots: number;
	/** Slots of the new rows by text digest. */
	readonly newSlots: Map<string, number>;
	slots: number[];
	/** Canonical digests, row by row. */
	digests: string[];
	rows: FoundRow[];
	dnBytes: number;
	/** Index of the row of the latest snapshot that is expected next. */
	next: number;
	firstRowOfSlot: Map<number, number> | undefined;
}

function findSlot(collector: CollectorState, textDigest: string): number {
	const slot = collector.base?.rows.findText(textDigest) ?? -1;
	return slot >= 0 ? slot : (collector.newSlots.get(textDigest) ?? -1);
}

/** Adds a row that has a slot. */
function appendKnownRow(collector: CollectorState, slot: number, textDigest: string): void {
	const canonical =
		slot < collector.baseSlots
			? collector.base?.rows.canonicalDigest(slot)
			: (collector.rows[slot - collector.baseSlots] as FoundRow).canonicalDigest;
	collector.slots.push(slot);
	collector.digests.push(canonical ?? textDigest);
}

/** Index of the row after a slot's first row in the latest snapshot. */
function findRowAfter(collector: CollectorState, slot: number): number {
	collector.firstRowOfSlot ??= new Map(
		Array.from(collector.base?.latestSlots ?? [], (own, row): [number, number] => [own, row]).reverse(),
	);
	return (collector.firstRowOfSlot.get(slot) ?? -1) + 1;
}

function addExpectedRow(collector: CollectorState, bytes: Buffer<ArrayBufferLike>, at: number, end: number): number {
	const slot = collector.base?.latestSlots[collector.next] ?? -1;
	const length = collector.base?.rows.lengths[slot] ?? 0;
	if (slot < 0 || !isRowEnd(bytes, at + length, end)) return 0;
	const digest = computeDigest(bytes.subarray(at, at + length));
	if (!collector.base?.rows.isText(slot, digest)) return 0;
	appendKnownRow(collector, slot, digest);
	collector.next++;
	return length;
}

function addRow(collector: CollectorState, scanner: Scanner, compact: Buffer<ArrayBufferLike>, start: number): void {
	const textDigest = computeDigest(compact);
	const slot = findSlot(collector, textDigest);
	collector.next = slot >= 0 && slot < collector.baseSlots ? findRowAfter(collector, slot) : collector.next + 1;
	if (slot >= 0) {
		appendKnownRow(collector, slot, textDigest);
		return;
	}
	const { bytes, tape } = scanner;
	const isCanonical = collector.canonicalizer.isCanonical(bytes, tape);
	const digest = isCanonical ? textDigest : computeDigest(collector.canonicalizer.write(bytes, tape, 0, NOTHING));
	const { objects, own } = getObjects(bytes, tape);
	for (const { dn } of objects) collector.dnBytes += dn.length;
	if (collector.dnBytes > MAX_DN_BYTES) throw new JsonTextError("size", scanner.pos, "Too many bytes of dns");
	collector.newSlots.set(textDigest, collector.baseSlots + collector.rows.length);
	collector.slots.push(collector.baseSlots + collector.rows.length);
	collector.digests.push(digest);
	collector.rows.push({
		start,
		length: compact.length,
		textDigest,
		canonicalDigest: isCanonical ? null : digest,
		objects: objects.map(({ dn, ordinal, node, shape }) => ({
			dn,
			className: shape.className ?? "",
			ordinal,
			digest:
				node === 0 && shape.children < 0
					? digest
					: computeDigest(collector.canonicalizer.write(bytes, tape, node, own)),
		})),
	});
}

function clearRows(collector: CollectorState): void {
	collector.newSlots.clear();
	collector.slots = [];
	collector.digests = [];
	collector.rows = [];
	collector.dnBytes = 0;
	collector.next = 0;
}

function finishRows(collector: CollectorState): CaptureRows {
	const { entries, names, nextEntry } = nameObjects(collector.rows, collector.base);
	const { dns, nested } = readDns(collector.slots, collector.rows, collector.base);
	const sorted = sortRows(dns, collector.digests);
	return {
		...hashSorted(sorted),
		slots: Int32Array.from(collector.slots),
		newRows: collector.rows.map(({ start, length, textDigest, canonicalDigest, objects }, row) => ({
			start,
			length,
			textHash: hashShort(textDigest),
			rowHash: canonicalDigest === null ? null : Buffer.from(canonicalDigest, "latin1"),
			objects: objects.map(({ ordinal, digest }, object) => ({
				entry: (entries[row] as number[])[object] as number,
				ordinal,
				hash: hashShort(digest),
			})),
		})),
		names,
		nextEntry,
		distinct: areDistinct(sorted.named, nested),
	};
}

export function createRowCollector(base: CaptureBase | null): RowCollector {
	const collector: CollectorState = {
		base,
		canonicalizer: createCanonicalizer(),
		baseSlots: base?.rows.slots ?? 0,
		newSlots: new Map(),
		slots: [],
		digests: [],
		rows: [],
		dnBytes: 0,
		next: 0,
		firstRowOfSlot: undefined,
	};

	return {
		addExpected: (bytes, at, end) => addExpectedRow(collector, bytes, at, end),
		add: (scanner, compact, start) => addRow(collector, scanner, compact, start),
		clear: () => clearRows(collector),
		finish: () => finishRows(collector),
	};
}

const [COMMA, CLOSING_BRACKET] = [0x2c, 0x5d];

/** Whether a row can end in front of a position: a longer row may begin with the same bytes. */
function isRowEnd(bytes: Buffer, at: number, end: number): boolean {
	return at < end && (bytes[at] === COMMA || bytes[at] === CLOSING_BRACKET);
}

function hashShort(digest: string): Buffer {
	return Buffer.from(digest.slice(0, SHORT_HASH), "latin1");
}

/**
 * Numbers the objects of new rows: names that the segment has keep their number, new ones are
 * numbered in the order of dn.
 */
function nameObjects(rows: readonly FoundRow[], base: CaptureBase | null) {
	const firstEntry = base?.counters.nextEntry ?? 0;
	const unnamed: { dn: string; className: string; row: number; object: number }[] = [];
	const entries = rows.map(({ objects }, row) =>
		objects.map(({ dn, className }, object) => {
			const entry = base?.names.getEntry(dn, className) ?? -1;
			if (entry < 0) unnamed.push({ dn, className, row, object });
			return entry;
		}),
	);
	unnamed.sort((a, b) => compareByteStrings(a.dn, b.dn) || compareByteStrings(a.className, b.className));
	const added: Name[] = [];
	for (const { dn, className, row, object } of unnamed) {
		const last = added.at(-1);
		if (last?.dn !== dn || last.className !== className)
			added.push({ entry: firstEntry + added.length, dn, className });
		(entries[row] as number[])[object] = firstEntry + added.length - 1;
	}
	return { entries, names: encodeNames(added), nextEntry: firstEntry + added.length };
}

/** Each row's own dn, null if it has none; and the dns of all nested objects. */
function readDns(slots: readonly number[], rows: readonly FoundRow[], base: CaptureBase | null) {
	const nested: string[] = [];
	const baseSlots = base?.rows.slots ?? 0;
	const dns = slots.map((slot) => {
		let own: string | null = null;
		const add = (dn: string, ordinal: number) => {
			if (ordinal === 0) own = dn;
			else nested.push(dn);
		};
		if (base === null || slot >= baseSlots) {
			for (const { dn, ordinal } of (rows[slot - baseSlots] as FoundRow).objects) add(dn, ordinal);
			return own;
		}
		const { starts, entries, ordinals } = base.rows;
		for (let at = starts[slot] as number; at < (starts[slot + 1] as number); at++)
			add(base.names.getDn(entries[at] as number), ordinals[at] as number);
		return own;
	});
	return { dns, nested };
}

/** Whether no dn occurs twice. @param named sorted by dn */
function areDistinct(named: readonly { readonly dn: string }[], nested: readonly string[]): boolean {
	if (nested.length === 0) return named.every(({ dn }, at) => at === 0 || named[at - 1]?.dn !== dn);
	return new Set([...named.map(({ dn }) => dn), ...nested]).size === named.length + nested.length;
}

/**
 * The hash of a document, row by row.
 * @param dns null where a row has none @param digests of the canonical texts, as binary strings
 */
export function hashRows(dns: readonly (string | null)[], digests: readonly string[]): DocumentHash {
	return hashSorted(sortRows(dns, digests));
}

/** Digests of rows with a dn, sorted, and of the others in their order. */
interface SortedRows {
	readonly named: readonly { readonly dn: string; readonly digest: string }[];
	readonly loose: readonly string[];
}

function sortRows(dns: readonly (string | null)[], digests: readonly string[]): SortedRows {
	const named: { dn: string; digest: string }[] = [];
	const loose: string[] = [];
	for (const [row, dn] of dns.entries()) {
		const digest = digests[row] as string;
		if (dn === null) loose.push(digest);
		else named.push({ dn, digest });
	}
	named.sort((a, b) => compareByteStrings(a.dn, b.dn) || compareByteStrings(a.digest, b.digest));
	return { named, loose };
}

function hashSorted({ named, loose }: SortedRows): DocumentHash {
	const sorted = named.map(({ digest }) => digest);
	return {
		hash: updateHash(updateHash(createHash("sha256"), sorted), loose).digest("hex"),
		looseRows: loose.length,
		looseHash: updateHash(createHash("sha256"), loose).digest().subarray(0, SHORT_HASH),
	};
}

function updateHash(sha256: Hash, digests: readonly string[]): Hash {
	for (let at = 0; at < digests.length; at += DIGESTS_PER_UPDATE)
		sha256.update(digests.slice(at, at + DIGESTS_PER_UPDATE).join(""), "latin1");
	return sha256;
}
