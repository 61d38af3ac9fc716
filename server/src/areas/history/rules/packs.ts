/**
 * Packs store the distinct rows of a segment. Each captured row gets a *version*, a number that
 * only grows; a snapshot is a list of versions. A pack holds the versions that one capture added,
 * in ascending order: their compressed text, lengths, objects and hashes. A pack never changes:
 * when some of its versions are deleted, the others are stored as another pack.
 *
 * The columns are separate because few readers need all of them: `rows` finds a text, `objects`
 * finds an object, `hashes` tells which rows and objects are equal.
 */
import { compressBytes, createReader, createWriter, decompressBytes, viewAsBuffer } from "./bytes.ts";

/** Bytes of stored hashes. Short ones are long enough that two contents never share one. */
export const SHORT_HASH = 16;
const HASH = 32;

export interface PackRange {
	seq: number;
	firstVersion: number;
	lastVersion: number;
}

/** A pack in its stored form. */
export interface StoredPack extends PackRange {
	/** Version and text length of each row. */
	rows: Uint8Array;
	/** Objects of each row. */
	objects: Uint8Array;
	/**
	 * SHORT_HASH bytes of each row's text; then HASH bytes of each canonical text that differs from
	 * the text; then SHORT_HASH bytes of each object.
	 */
	hashes: Uint8Array;
	payload: Uint8Array;
}

/** A stored pack without its text. */
export type PackIndex = Omit<StoredPack, "payload">;

/** A row before it is packed. */
export interface NewRow {
	version: number;
	text: Uint8Array;
	/** SHORT_HASH bytes, of the text. */
	textHash: Buffer;
	/** HASH bytes, of the canonical text; null if the text is canonical. */
	rowHash: Buffer | null;
	/** In document order. The hashes have SHORT_HASH bytes. */
	objects: { entry: number; ordinal: number; hash: Buffer }[];
}

/** The row is one object, and its hash is the row's. */
const SINGLE = 1;
/** The canonical text differs from the text. */
const NOT_CANONICAL = 2;
const FLAGS = 4;

function getFlags({ textHash, rowHash, objects: [object, ...more] }: NewRow): number {
	const own = rowHash?.subarray(0, SHORT_HASH) ?? textHash;
	const isSingle = object !== undefined && more.length === 0 && object.ordinal === 0 && object.hash.equals(own);
	return (isSingle ? SINGLE : 0) | (rowHash === null ? 0 : NOT_CANONICAL);
}

function encodePack(seq: number, given: readonly NewRow[]): StoredPack {
	const rows = createWriter(given.length * 3 + 16);
	rows.runs(given.map(({ version }) => version));
	for (const { text } of given) rows.varint(text.byteLength);
	const objects = createWriter(given.length * 4 + 16);
	const flags = given.map(getFlags);
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
		payload: compressBytes(Buffer.concat(given.map(({ text }) => text))),
	};
}

export interface PackRows {
	versions: Int32Array;
	/** The text of row i has `lengths[i]` bytes and begins at `starts[i]`. */
	lengths: Int32Array;
	starts: Int32Array;
}

export function decodeRows(rows: Uint8Array): PackRows {
	const input = createReader(viewAsBuffer(rows));
	const versions = input.runs();
	const lengths = input.column(versions.length);
	const starts = new Int32Array(versions.length);
	for (let row = 1; row < starts.length; row++)
		starts[row] = (starts[row - 1] as number) + (lengths[row - 1] as number);
	return { versions, lengths, starts };
}

/** The versions of a pack, ascending. */
export function packVersions(rows: Uint8Array): Int32Array {
	return createReader(viewAsBuffer(rows)).runs();
}

export interface PackObjects {
	flags: Uint8Array;
	/** The objects of row i are at `starts[i]` to `starts[i + 1]` of the next columns. */
	starts: Int32Array;
	/** Numbers of the segment's names. */
	entries: Int32Array;
	ordinals: Int32Array;
}

export function decodeObjects(objects: Uint8Array): PackObjects {
	const input = createReader(viewAsBuffer(objects));
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
	/** Whether a row's text has this SHORT_HASH (binary string). */
	isText(row: number, hash: string): boolean;
	/** The row whose text has this SHORT_HASH (binary string); -1 if there is none. */
	findText(hash: string): number;
	/** HASH bytes of a row's canonical text; null if the text is canonical. */
	row(row: number): Buffer | null;
	/** Copies the hash of an object of a row (SHORT_HASH bytes) to a position in `target`. */
	copyObject(row: number, object: number, target: Buffer, at: number): void;
}

export function decodeHashes(hashes: Uint8Array, { flags, starts }: PackObjects): PackHashes {
	const count = flags.length;
	const bytes = viewAsBuffer(hashes);
	/**
	 * Created on demand: most packs have none, and an empty map takes as much memory as a small pack.
	 */
	let canonicalAt: Map<number, number> | undefined;
	let end = count * SHORT_HASH;
	for (let row = 0; row < count; row++) {
		if (((flags[row] as number) & NOT_CANONICAL) === 0) continue;
		canonicalAt ??= new Map();
		canonicalAt.set(row, end);
		end += HASH;
	}
	/** Position of the hash of each row's first object. */
	const firsts = new Int32Array(count);
	for (let row = 0; row < count; row++) {
		if (((flags[row] as number) & SINGLE) !== 0) {
			firsts[row] = canonicalAt?.get(row) ?? row * SHORT_HASH;
			continue;
		}
		firsts[row] = end;
		end += ((starts[row + 1] as number) - (starts[row] as number)) * SHORT_HASH;
	}
	const getText = (row: number): string => bytes.toString("latin1", row * SHORT_HASH, (row + 1) * SHORT_HASH);
	/** Created on demand: comparisons do not need it. */
	let rowByText: Map<string, number> | undefined;
	return {
		texts: bytes.subarray(0, count * SHORT_HASH),
		isText: (row, hash) => getText(row) === hash,
		findText(hash) {
			rowByText ??= new Map(Array.from({ length: count }, (_, row) => [getText(row), row]));
			return rowByText.get(hash) ?? -1;
		},
		row(row) {
			const at = canonicalAt?.get(row);
			return at === undefined ? null : bytes.subarray(at, at + HASH);
		},
		copyObject(row, object, target, at) {
			const from = (firsts[row] as number) + (object - (starts[row] as number)) * SHORT_HASH;
			for (let step = 0; step < SHORT_HASH; step++) target[at + step] = bytes[from + step] as number;
		},
	};
}

/** A decoded pack without its text. */
export interface PackColumns extends PackRange {
	rows: PackRows;
	objects: PackObjects;
	hashes: PackHashes;
}

export function decodePack({ seq, firstVersion, lastVersion, rows, objects, hashes }: PackIndex): PackColumns {
	const decoded = decodeObjects(objects);
	// Written without a spread: V8 would create a hidden class per object, as large as a small pack.
	return {
		seq,
		firstVersion,
		lastVersion,
		rows: decodeRows(rows),
		objects: decoded,
		hashes: decodeHashes(hashes, decoded),
	};
}

/** The numbers of the packs that hold any of some objects, which are given by entry. */
export function listPacksWithEntries(
	packs: readonly { readonly seq: number; readonly entries: Int32Array }[],
	wanted: readonly number[],
): number[] {
	if (wanted.length === 0) return [];
	const holding = packs.filter(({ entries }) => wanted.some((entry) => entries.includes(entry)));
	return holding.map(({ seq }) => seq);
}

/** The rows of a pack as they were before packing. */
export function unpackRows(pack: StoredPack): NewRow[] {
	const text = decompressBytes(pack.payload);
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

/**
 * Approximate bytes of text per pack: enough to compress well, few enough to read one row cheaply.
 */
export const PACK_BYTES = 256 * 1024;

/** Packs rows in order and numbers the packs from `seq` on. */
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

/**
 * Numbers of the packs that hold any of these versions. Versions and pack ranges ascend; ranges do
 * not overlap.
 */
export function getPacks(ranges: readonly PackRange[], versions: Int32Array): number[] {
	const found: number[] = [];
	let at = 0;
	for (const { seq, firstVersion, lastVersion } of ranges) {
		while (at < versions.length && (versions[at] as number) < firstVersion) at++;
		if (at < versions.length && (versions[at] as number) <= lastVersion) found.push(seq);
	}
	return found;
}
