/**
 * Packs as those need them who read: their columns, their texts. A pack never changes and its number is not used again, so what was read once is kept
 * at hand for the next time, within limits.
 */
import type { Db } from "../../../ports/store.ts";
import { decompress } from "../domain/bytes.ts";
import { decodeRows, type PackIndex, type PackRows } from "../domain/packs.ts";
import type { SnapshotView } from "../repo-view.ts";
import { createLru } from "./lru.ts";

/** Something that was read is no longer there. */
export class Vanished extends Error {}

export interface OpenPack {
	readonly rows: PackRows;
	text(): Buffer;
}

export interface PackSource {
	/** Columns of packs, ascending by version. Throws Vanished. */
	columns(segmentId: string, wanted: readonly number[]): Promise<PackIndex[]>;
	/** Packs whose texts are opened when they are asked for. Throws Vanished. */
	open(segmentId: string, wanted: readonly number[]): Promise<(seq: number) => OpenPack>;
	/** Stored names by the number of their first, in that order. `state` tells one content from another. Throws Vanished. */
	names(segmentId: string, wanted: readonly { first: number; state: string }[]): Promise<Uint8Array[]>;
}

/** Bytes that are kept: texts of packs, their columns, names. */
const TEXT_BYTES = 32 * 1024 * 1024;
const COLUMN_BYTES = 16 * 1024 * 1024;
const NAME_BYTES = 8 * 1024 * 1024;
/** A small object in a map, about. */
const OVERHEAD = 500;

export function createPackSource({ db, view }: { db: Db; view: SnapshotView }): PackSource {
	const texts = createLru<{ rows: PackRows; text: Buffer }>(TEXT_BYTES);
	const columns = createLru<PackIndex>(COLUMN_BYTES);
	const names = createLru<Uint8Array>(NAME_BYTES);

	return {
		async columns(segmentId, wanted) {
			const found = new Map<number, PackIndex>();
			const missing: number[] = [];
			for (const seq of wanted) {
				const known = columns.get(`${segmentId}:${seq}`);
				if (known === undefined) missing.push(seq);
				else found.set(seq, known);
			}
			for (const pack of missing.length > 0 ? await view.packs(db, segmentId, missing) : []) {
				found.set(pack.seq, pack);
				const bytes = pack.rows.byteLength + pack.objects.byteLength + pack.hashes.byteLength;
				columns.set(`${segmentId}:${pack.seq}`, pack, bytes + OVERHEAD);
			}
			if (found.size < wanted.length) throw new Vanished();
			return [...found.values()].sort((a, b) => a.firstVersion - b.firstVersion);
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
						const text = decompress(pack.payload);
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

		async names(segmentId, wanted) {
			const key = ({ first, state }: { first: number; state: string }) => `${segmentId}:${first}:${state}`;
			const missing = wanted.filter((one) => names.get(key(one)) === undefined);
			const read = new Map<string, Uint8Array>();
			for (const one of missing.length > 0
				? await view.names(
						db,
						segmentId,
						missing.map(({ first }) => first),
					)
				: []) {
				read.set(key(one), one.payload);
				names.set(key(one), one.payload, one.payload.byteLength + OVERHEAD);
			}
			return wanted.map((one) => {
				const payload = read.get(key(one)) ?? names.get(key(one));
				if (payload === undefined) throw new Vanished();
				return payload;
			});
		},
	};
}
