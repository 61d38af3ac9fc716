/**
 * Packs as those need them who read: their columns, their texts. A pack never changes and its number is not used again, so what was read once is kept
 * at hand for the next time, within limits.
 */
import type { Db } from "../../../ports/store.ts";
import { decompress, owned } from "../domain/bytes.ts";
import { createNames, type Names } from "../domain/names-lookup.ts";
import { decodePack, decodeRows, type PackColumns, type PackIndex, type PackRows } from "../domain/packs.ts";
import { createSegmentRows, type GrowingRows, type SegmentRows } from "../domain/segment-rows.ts";
import type { SnapshotView } from "../repo-view.ts";
import { createLru } from "./lru.ts";

/** Something that was read is no longer there. */
export class Vanished extends Error {}

export interface OpenPack {
	readonly rows: PackRows;
	text(): Buffer;
}

export interface NamesState {
	readonly first: number;
	readonly state: string;
}

export interface PackSource {
	/** Columns of packs, ascending by version. Throws Vanished. */
	decoded(segmentId: string, wanted: readonly number[]): Promise<PackColumns[]>;
	/** All rows of a segment, given its packs ascending by number. Throws Vanished. */
	rows(segmentId: string, wanted: readonly number[]): Promise<SegmentRows>;
	/** Packs whose texts are opened when they are asked for. Throws Vanished. */
	open(segmentId: string, wanted: readonly number[]): Promise<(seq: number) => OpenPack>;
	/** Stored names by the number of their first, in that order. `state` tells one content from another. Throws Vanished. */
	names(segmentId: string, wanted: readonly NamesState[]): Promise<Uint8Array[]>;
	/** The same to be looked up. */
	lookup(segmentId: string, wanted: readonly NamesState[]): Promise<Names>;
}

/** Bytes that are kept: texts of packs, their columns, rows of segments, names as they are stored and opened. */
const TEXT_BYTES = 32 * 1024 * 1024;
const COLUMN_BYTES = 12 * 1024 * 1024;
const ROW_BYTES = 12 * 1024 * 1024;
const NAME_BYTES = 8 * 1024 * 1024;
const LOOKUP_BYTES = 8 * 1024 * 1024;
/** How many times more names take once they are opened. */
const OPENED = 8;
/** A small object in a map with some arrays of bytes or integers, about. */
const OVERHEAD = 1_500;
/** What decoding adds to the stored bytes: ten arrays, and in them integers of each row and each object. */
const DECODED = 3_000;
const DECODED_ROW = 21;
const DECODED_OBJECT = 8;

const keepable = ({ rows, objects, hashes, ...pack }: PackIndex): PackIndex => ({
	...pack,
	rows: owned(rows),
	objects: owned(objects),
	hashes: owned(hashes),
});

const bytesOf = ({ rows, objects, hashes }: PackIndex): number =>
	rows.byteLength + objects.byteLength + hashes.byteLength;

export function createPackSource({ db, view }: { db: Db; view: SnapshotView }): PackSource {
	const texts = createLru<{ rows: PackRows; text: Buffer }>(TEXT_BYTES);
	const columns = createLru<PackColumns>(COLUMN_BYTES);
	const segments = createLru<GrowingRows>(ROW_BYTES);
	const names = createLru<Uint8Array>(NAME_BYTES);
	const lookups = createLru<Names>(LOOKUP_BYTES);

	async function storedNames(segmentId: string, wanted: readonly NamesState[]): Promise<Uint8Array[]> {
		const key = ({ first, state }: NamesState) => `${segmentId}:${first}:${state}`;
		const missing = wanted.filter((one) => names.get(key(one)) === undefined);
		const read = new Map<string, Uint8Array>();
		const firsts = missing.map(({ first }) => first);
		for (const one of missing.length > 0 ? await view.names(db, segmentId, firsts) : []) {
			const payload = owned(one.payload);
			read.set(key(one), payload);
			names.set(key(one), payload, payload.byteLength + OVERHEAD);
		}
		return wanted.map((one) => {
			const payload = read.get(key(one)) ?? names.get(key(one));
			if (payload === undefined) throw new Vanished();
			return payload;
		});
	}

	async function decoded(segmentId: string, wanted: readonly number[]): Promise<PackColumns[]> {
		const found: PackColumns[] = [];
		const missing: number[] = [];
		for (const seq of wanted) {
			const known = columns.get(`${segmentId}:${seq}`);
			if (known === undefined) missing.push(seq);
			else found.push(known);
		}
		for (const read of missing.length > 0 ? await view.packs(db, segmentId, missing) : []) {
			const pack = keepable(read);
			const decoded = decodePack(pack);
			const { length } = decoded.rows.versions;
			const bytes = bytesOf(pack) + length * DECODED_ROW + decoded.objects.entries.length * DECODED_OBJECT;
			columns.set(`${segmentId}:${pack.seq}`, decoded, bytes + OVERHEAD + DECODED);
			found.push(decoded);
		}
		if (found.length < wanted.length) throw new Vanished();
		return found.sort((a, b) => a.firstVersion - b.firstVersion);
	}

	return {
		decoded,

		async rows(segmentId, wanted) {
			for (;;) {
				const known = segments.get(segmentId);
				const missing = known?.missing(wanted) ?? null;
				const rows = known !== undefined && missing !== null ? known : createSegmentRows();
				const packs = await decoded(segmentId, missing ?? wanted);
				// Another capture may have added to them meanwhile.
				if (rows.missing(wanted)?.length !== packs.length) continue;
				for (const pack of packs.sort((a, b) => a.seq - b.seq)) rows.add(pack);
				segments.set(segmentId, rows, rows.bytes());
				return rows.now();
			}
		},

		async open(segmentId, wanted) {
			const opened = new Map<number, OpenPack>();
			const missing: number[] = [];
			for (const seq of wanted) {
				const known = texts.get(`${segmentId}:${seq}`);
				if (known === undefined) missing.push(seq);
				else opened.set(seq, { rows: known.rows, text: () => known.text });
			}
			for (const pack of missing.length > 0 ? await view.texts(db, segmentId, missing) : []) {
				const key = `${segmentId}:${pack.seq}`;
				const rows = decodeRows(pack.rows);
				opened.set(pack.seq, {
					rows,
					text() {
						const known = texts.get(key)?.text;
						if (known !== undefined) return known;
						const text = owned(decompress(pack.payload));
						texts.set(key, { rows, text }, text.byteLength + OVERHEAD);
						return text;
					},
				});
			}
			return (seq) => {
				const pack = opened.get(seq);
				if (pack === undefined) throw new Vanished();
				return pack;
			};
		},

		names: storedNames,

		async lookup(segmentId, wanted) {
			const key = `${segmentId}:${wanted.map(({ first, state }) => `${first}:${state}`).join()}`;
			const known = lookups.get(key);
			if (known !== undefined) return known;
			const payloads = await storedNames(segmentId, wanted);
			const lookup = createNames(payloads);
			lookups.set(
				key,
				lookup,
				payloads.reduce((sum, { byteLength }) => sum + byteLength * OPENED + OVERHEAD, 0),
			);
			return lookup;
		},
	};
}
