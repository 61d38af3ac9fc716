/**
 * Reads packs and names of segments. A pack never changes and its number is not reused, so its
 * columns and text are cached.
 */
import { LRUCache } from "lru-cache";
import type { Db } from "../../../core/ports/store.ts";
import { copyBytesIfView, decompressBytes } from "../rules/bytes.ts";
import { createNames, type Names } from "../rules/names-lookup.ts";
import { decodePack, decodeRows, type PackColumns, type PackRows } from "../rules/packs.ts";
import { listNameChunks, listPackHeads, listPackTexts } from "../sql/view.ts";

/** Thrown when something that was to be read has been deleted or replaced meanwhile. */
export class GoneError extends Error {}

interface OpenPack {
	readonly rows: PackRows;
	/** Decompresses the pack's text. */
	text(): Buffer;
}

/** One chunk of stored names. */
export interface NamesVersion {
	/** Number of its first name. */
	readonly first: number;
	/** Changes whenever the content does. */
	readonly state: string;
}

/** All methods throw GoneError. */
export interface PackSource {
	/** Columns of packs, ascending by version. */
	decoded(segmentId: string, wanted: readonly number[]): Promise<PackColumns[]>;
	/** Packs by number. Their texts are decompressed on demand. */
	open(segmentId: string, wanted: readonly number[]): Promise<(seq: number) => OpenPack>;
	/** Stored chunks of names, ascending by first number. */
	names(segmentId: string, wanted: readonly NamesVersion[]): Promise<Uint8Array[]>;
	/** The same, to be looked up. */
	lookup(segmentId: string, wanted: readonly NamesVersion[]): Promise<Names>;
}

/** Limits of the caches in bytes, per thread. */
const TEXT_BYTES = 32 * 1024 * 1024;
const COLUMN_BYTES = 24 * 1024 * 1024;
const LOOKUP_BYTES = 16 * 1024 * 1024;
/** Approximate memory of a cached pack beside its bytes: a dozen small objects and arrays. */
const PACK_OVERHEAD = 4_500;
/** Approximate growth of columns and names when they are decoded. */
const DECODED = 8;

export function createPackSource({ db }: { db: Db }): PackSource {
	const texts = new LRUCache<string, { rows: PackRows; text: Buffer }>({ maxSize: TEXT_BYTES });
	const columns = new LRUCache<string, PackColumns>({ maxSize: COLUMN_BYTES });
	const lookups = new LRUCache<string, Names>({ maxSize: LOOKUP_BYTES });

	async function readNames(segmentId: string, wanted: readonly NamesVersion[]): Promise<Uint8Array[]> {
		const read = await listNameChunks(
			db,
			segmentId,
			Array.from(wanted, ({ first }) => first),
		);
		return wanted.map(({ first, state }) => {
			const found = read.find((chunk) => chunk.first === first && chunk.state === state);
			if (found === undefined) throw new GoneError();
			return copyBytesIfView(found.payload);
		});
	}

	return {
		async decoded(segmentId, wanted) {
			const found: PackColumns[] = [];
			const missing: number[] = [];
			for (const seq of wanted) {
				const cached = columns.get(`${segmentId}:${seq}`);
				if (cached === undefined) missing.push(seq);
				else found.push(cached);
			}
			for (const pack of missing.length > 0 ? await listPackHeads(db, segmentId, missing) : []) {
				const [rows, objects, hashes] = [
					copyBytesIfView(pack.rows),
					copyBytesIfView(pack.objects),
					copyBytesIfView(pack.hashes),
				];
				const decoded = decodePack({ ...pack, rows, objects, hashes });
				const size = (rows.byteLength + objects.byteLength) * DECODED + hashes.byteLength + PACK_OVERHEAD;
				columns.set(`${segmentId}:${pack.seq}`, decoded, { size });
				found.push(decoded);
			}
			if (found.length < wanted.length) throw new GoneError();
			return found.sort((a, b) => a.firstVersion - b.firstVersion);
		},

		async open(segmentId, wanted) {
			const opened = new Map<number, OpenPack>();
			const missing: number[] = [];
			for (const seq of wanted) {
				const cached = texts.get(`${segmentId}:${seq}`);
				if (cached === undefined) missing.push(seq);
				else opened.set(seq, { rows: cached.rows, text: () => cached.text });
			}
			for (const { seq, rows: stored, payload } of missing.length > 0
				? await listPackTexts(db, segmentId, missing)
				: []) {
				const key = `${segmentId}:${seq}`;
				const rows = decodeRows(stored);
				opened.set(seq, {
					rows,
					text() {
						const cached = texts.get(key)?.text;
						if (cached !== undefined) return cached;
						const text = copyBytesIfView(decompressBytes(payload));
						texts.set(key, { rows, text }, { size: text.byteLength + PACK_OVERHEAD });
						return text;
					},
				});
			}
			return (seq) => {
				const pack = opened.get(seq);
				if (pack === undefined) throw new GoneError();
				return pack;
			};
		},

		names: readNames,

		async lookup(segmentId, wanted) {
			const key = `${segmentId}:${wanted.map(({ first, state }) => `${first}:${state}`).join()}`;
			const cached = lookups.get(key);
			if (cached !== undefined) return cached;
			const payloads = await readNames(segmentId, wanted);
			const lookup = createNames(payloads);
			const size = payloads.reduce((sum, { byteLength }) => sum + byteLength * DECODED, PACK_OVERHEAD);
			lookups.set(key, lookup, { size });
			return lookup;
		},
	};
}
