/**
 * Packs: rows of a segment, each kept once. A row that was captured gets a *version*, a number that only grows; a snapshot is a list of versions. A
 * pack holds versions that were new in the same capture, ascending: their text compressed, how long each is, what objects each holds, and hashes. It
 * is never changed: when versions die, the rest is written anew as another pack.
 *
 * The columns are apart because hardly anybody needs all of them: `rows` to find a text, `objects` to find an object, `hashes` to find out what is equal.
 */
import { asBuffer, compress, createReader, createWriter, decompress } from "./bytes.ts";

/** Bytes of the hashes that are kept: enough that no two contents are taken for one. */
export const SHORT_HASH = 16;
export const HASH = 32;

export interface PackRange {
	seq: number;
	firstVersion: number;
	lastVersion: number;
}

/** As it is stored. */
export interface StoredPack extends PackRange {
	/** The versions and the length of each. */
	rows: Uint8Array;
	/** What objects each row holds. */
	objects: Uint8Array;
	/** SHORT_HASH bytes each of the rows' texts; HASH bytes of the canonical text where that is another; SHORT_HASH bytes of each object. */
	hashes: Uint8Array;
	payload: Uint8Array;
}

/** Without the text. */
export type PackIndex = Omit<StoredPack, "payload">;

/** What a row is made of before it is packed. */
export interface NewRow {
	version: number;
	text: Uint8Array;
	/** SHORT_HASH bytes, of the text. */
	textHash: Buffer;
	/** HASH bytes, of the canonical text; null where the text is canonical. */
	rowHash: Buffer | null;
	/** In document order. The hashes have SHORT_HASH bytes. */
	objects: { entry: number; ordinal: number; hash: Buffer }[];
}

/** The row is one object, and its hash is the row's. */
const SINGLE = 1;
/** The canonical text is not the text. */
const RESPELT = 2;
const FLAGS = 4;

function flagsOf({ textHash, rowHash, objects: [object, ...more] }: NewRow): number {
	const own = rowHash?.subarray(0, SHORT_HASH) ?? textHash;
	const isSingle = object !== undefined && more.length === 0 && object.ordinal === 0 && object.hash.equals(own);
	return (isSingle ? SINGLE : 0) | (rowHash === null ? 0 : RESPELT);
}

function encodePack(seq: number, given: readonly NewRow[]): StoredPack {
	const rows = createWriter(given.length * 3 + 16);
	rows.runs(given.map(({ version }) => version));
	for (const { text } of given) rows.varint(text.byteLength);
	const objects = createWriter(given.length * 4 + 16);
	const flags = given.map(flagsOf);
	const hashes = given.map(({ textHash }) => textHash);
	for (const { rowHash } of given) if (rowHash !== null) hashes.push(rowHash);
	objects.varint(given.length);
	for (const [at, row] of given.entries()) objects.varint(FLAGS * row.objects.length + (flags[at] as number));
	let before = 0;
	for (const row of given)
		for (const { entry } of row.objects) {
			objects.step(entry - before);
			before = entry;
		}
	for (const [at, row] of given.entries()) {
		if (((flags[at] as number) & SINGLE) !== 0) continue;
		for (const { ordinal, hash } of row.objects) {
			objects.varint(ordinal);
			hashes.push(hash);
		}
	}
	return {
		seq,
		firstVersion: given[0]?.version ?? 0,
		lastVersion: given.at(-1)?.version ?? 0,
		rows: Buffer.from(rows.bytes()),
		objects: Buffer.from(objects.bytes()),
		hashes: Buffer.concat(hashes),
		payload: compress(Buffer.concat(given.map(({ text }) => text))),
	};
}

export interface PackRows {
	versions: Int32Array;
	/** Row i: `lengths[i]` bytes from `starts[i]` on of the text. */
	lengths: Int32Array;
	starts: Int32Array;
}

export function decodeRows(rows: Uint8Array): PackRows {
	const input = createReader(asBuffer(rows));
	const versions = input.runs();
	const lengths = input.column(versions.length);
	const starts = new Int32Array(versions.length);
	for (let row = 1; row < starts.length; row++)
		starts[row] = (starts[row - 1] as number) + (lengths[row - 1] as number);
	return { versions, lengths, starts };
}

/** Which versions a pack has. */
export function packVersions(rows: Uint8Array): Int32Array {
	return createReader(asBuffer(rows)).runs();
}

export interface PackObjects {
	flags: Uint8Array;
	/** Objects of row i: from `starts[i]` to `starts[i + 1]` of what follows. */
	starts: Int32Array;
	/** Numbers in the segment's names. */
	entries: Int32Array;
	ordinals: Int32Array;
}

export function decodeObjects(objects: Uint8Array): PackObjects {
	const input = createReader(asBuffer(objects));
	const count = input.varint();
	const flags = new Uint8Array(count);
	const starts = new Int32Array(count + 1);
	for (let row = 0; row < count; row++) {
		const code = input.varint();
		flags[row] = code & (FLAGS - 1);
		starts[row + 1] = (starts[row] as number) + (code >> 2);
	}
	const entries = new Int32Array(starts[count] as number);
	let entry = 0;
	for (let at = 0; at < entries.length; at++) {
		entry += input.step();
		entries[at] = entry;
	}
	const ordinals = new Int32Array(entries.length);
	for (let row = 0; row < count; row++) {
		if (((flags[row] as number) & SINGLE) !== 0) continue;
		for (let at = starts[row] as number; at < (starts[row + 1] as number); at++) ordinals[at] = input.varint();
	}
	return { flags, starts, entries, ordinals };
}

export interface PackHashes {
	/** SHORT_HASH bytes each, of the rows' texts. */
	texts: Buffer;
	/** HASH bytes of a row's canonical text; null where it is that of its text. */
	row(row: number): Buffer | null;
	/** Copies the hash of an object of a row, SHORT_HASH bytes, to a place in `target`. */
	copyObject(row: number, object: number, target: Buffer, at: number): void;
}

export function decodeHashes(hashes: Uint8Array, { flags, starts }: PackObjects): PackHashes {
	const count = flags.length;
	const bytes = asBuffer(hashes);
	/** Rows are seldom spelt in two ways; most packs are small, and an empty map takes as much as one of them. */
	let respelt: Map<number, number> | undefined;
	let end = count * SHORT_HASH;
	for (let row = 0; row < count; row++) {
		if (((flags[row] as number) & RESPELT) === 0) continue;
		respelt ??= new Map();
		respelt.set(row, end);
		end += HASH;
	}
	/** Where the hash of each row's first object is. */
	const firsts = new Int32Array(count);
	for (let row = 0; row < count; row++) {
		if (((flags[row] as number) & SINGLE) !== 0) {
			firsts[row] = respelt?.get(row) ?? row * SHORT_HASH;
			continue;
		}
		firsts[row] = end;
		end += ((starts[row + 1] as number) - (starts[row] as number)) * SHORT_HASH;
	}
	return {
		texts: bytes.subarray(0, count * SHORT_HASH),
		row(row) {
			const at = respelt?.get(row);
			return at === undefined ? null : bytes.subarray(at, at + HASH);
		},
		copyObject(row, object, target, at) {
			const from = (firsts[row] as number) + (object - (starts[row] as number)) * SHORT_HASH;
			for (let step = 0; step < SHORT_HASH; step++) target[at + step] = bytes[from + step] as number;
		},
	};
}

/** A pack without its text, as comparisons and timelines look at it. */
export interface PackColumns extends PackRange {
	rows: PackRows;
	objects: PackObjects;
	hashes: PackHashes;
}

export function decodePack({ seq, firstVersion, lastVersion, rows, objects, hashes }: PackIndex): PackColumns {
	const decoded = decodeObjects(objects);
	// Not spread from another object: each would get a shape of its own, which takes as much memory as a small pack's columns.
	return {
		seq,
		firstVersion,
		lastVersion,
		rows: decodeRows(rows),
		objects: decoded,
		hashes: decodeHashes(hashes, decoded),
	};
}

/** Finds the packs that hold any of some objects, by the objects' numbers. */
export type ObjectHolders = (entries: readonly number[]) => number[];

/** @param packs as they are stored; each is decoded once, here */
export function createObjectHolders(packs: readonly Pick<StoredPack, "seq" | "objects">[]): ObjectHolders {
	const decoded = packs.map(({ objects }) => decodeObjects(objects).entries);
	const end = decoded.reduce((most, entries) => entries.reduce((own, entry) => Math.max(own, entry + 1), most), 0);
	// The packs of an entry are from starts[entry] to starts[entry + 1] of `holders`.
	const starts = new Int32Array(end + 1);
	for (const entries of decoded) for (const entry of entries) starts[entry + 1] = (starts[entry + 1] as number) + 1;
	for (let entry = 0; entry < end; entry++)
		starts[entry + 1] = (starts[entry + 1] as number) + (starts[entry] as number);
	const holders = new Int32Array(starts[end] as number);
	const next = starts.slice();
	for (const [pack, entries] of decoded.entries())
		for (const entry of entries) {
			holders[next[entry] as number] = (packs[pack] as (typeof packs)[number]).seq;
			next[entry] = (next[entry] as number) + 1;
		}
	return (wanted) => [
		...new Set(wanted.flatMap((entry) => (entry < end ? [...holders.subarray(starts[entry], starts[entry + 1])] : []))),
	];
}

/** The rows of a pack as they were before they were packed. */
export function unpackRows(pack: StoredPack): NewRow[] {
	const text = decompress(pack.payload);
	const rows = decodeRows(pack.rows);
	const objects = decodeObjects(pack.objects);
	const hashes = decodeHashes(pack.hashes, objects);
	return Array.from(rows.versions, (version, at) => {
		const start = rows.starts[at] as number;
		const own: NewRow["objects"] = [];
		for (let object = objects.starts[at] as number; object < (objects.starts[at + 1] as number); object++) {
			const hash = Buffer.allocUnsafe(SHORT_HASH);
			hashes.copyObject(at, object, hash, 0);
			own.push({ entry: objects.entries[object] as number, ordinal: objects.ordinals[object] as number, hash });
		}
		return {
			version,
			text: text.subarray(start, start + (rows.lengths[at] as number)),
			textHash: hashes.texts.subarray(at * SHORT_HASH, (at + 1) * SHORT_HASH),
			rowHash: hashes.row(at),
			objects: own,
		};
	});
}

/** Bytes of a pack's text, about: enough to compress well, few enough that one row costs little. */
export const PACK_BYTES = 256 * 1024;

/** Packs rows in their order, numbering packs from `seq` on. */
export function packAll(rows: Iterable<NewRow>, seq: number, packBytes = PACK_BYTES): StoredPack[] {
	const packs: StoredPack[] = [];
	let open: NewRow[] = [];
	let bytes = 0;
	for (const row of rows) {
		open.push(row);
		bytes += row.text.byteLength;
		if (bytes < packBytes) continue;
		packs.push(encodePack(seq + packs.length, open));
		open = [];
		bytes = 0;
	}
	if (open.length > 0) packs.push(encodePack(seq + packs.length, open));
	return packs;
}

/** The numbers of the packs that hold any of these versions (ascending). Packs' ranges do not overlap, and come in ascending order. */
export function packsOf(ranges: readonly PackRange[], versions: Int32Array): number[] {
	const found: number[] = [];
	let at = 0;
	for (const { seq, firstVersion, lastVersion } of ranges) {
		while (at < versions.length && (versions[at] as number) < firstVersion) at++;
		if (at < versions.length && (versions[at] as number) <= lastVersion) found.push(seq);
	}
	return found;
}
