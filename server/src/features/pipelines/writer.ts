/**
 * Writes a stage's rows while the next ones are being fetched: packs them off the main thread, puts what waits into one
 * statement, and holds the reader back when the store is slower than the controller.
 */
import { promisify } from "node:util";
import { brotliCompress, brotliCompressSync, constants } from "node:zlib";
import type { Store } from "../../ports/store.ts";
import { type PipelineLimits, tooManyBytes, tooManyRows } from "./limits.ts";
import type { ResultRepo } from "./repo-results.ts";
import type { Chunk, Hold } from "./repo-run.ts";

const brotli = promisify(brotliCompress);
/** At its lowest quality: half the time of deflate's lowest, and no larger. Small pieces are done before another thread would have begun. */
async function pack(json: Uint8Array): Promise<Buffer> {
	const options = {
		chunkSize: PACK_BYTES,
		params: { [constants.BROTLI_PARAM_QUALITY]: 0, [constants.BROTLI_PARAM_SIZE_HINT]: json.length },
	};
	return json.length <= PACK_BYTES ? brotliCompressSync(json, options) : brotli(json, options);
}
const PACK_BYTES = 256 * 1024;
/** JSON that may wait to be written. */
const WAITING_BYTES = 16 * 1024 ** 2;
/** Pages are put together into chunks of about this size: each call of the packer has its price, and each chunk is read as a whole. */
const GROUP_BYTES = 2 * 1024 ** 2;
const COMMA = 0x2c;
const CHUNKS_PER_STATEMENT = 4;
/** Rows given one by one are put together into chunks of about this size. */
const CHUNK_BYTES = 512 * 1024;
const CHUNK_ROWS = 1_000;

interface Waiting {
	readonly first_row: number;
	readonly row_count: number;
	readonly json: Uint8Array;
}

export interface Writer {
	/** Rows as JSON objects with commas between them. Resolves when more may be given. */
	addJson(json: Uint8Array, rows: number): Promise<void>;
	addRows(rows: readonly object[]): Promise<void>;
	/** Resolves when all rows are stored, but for a last chunk, which the end of the stage takes along. */
	finish(): Promise<Written>;
}

export interface Written {
	readonly rows: number;
	readonly rest: Chunk | null;
}

export interface WriterDeps {
	readonly store: Pick<Store, "db">;
	readonly results: Pick<ResultRepo, "insertChunks">;
	readonly limits: Pick<PipelineLimits, "rows" | "bytes">;
}

export function createWriter({ store, results, limits }: WriterDeps, hold: Hold, stage: number): Writer {
	const queue: Waiting[] = [];
	let rows = 0;
	let bytes = 0;
	let waiting = 0;
	let failure: { readonly error: unknown } | null = null;
	let writing: Promise<void> | null = null;
	/** Where several pieces are put together: one is packed at a time, so that one place will do. */
	let group = Buffer.alloc(0);

	/** Takes as much as makes one chunk, and puts it together. */
	function take(): Omit<Chunk, "payload"> & { json: Uint8Array } {
		const [first, ...others] = queue.splice(0, Math.max(1, groupLength(queue)));
		if (first === undefined) throw new Error("nothing waits to be written");
		waiting -= first.json.length;
		if (others.length === 0) return first;
		let length = first.json.length;
		let row_count = first.row_count;
		for (const { json } of others) length += json.length + 1;
		if (group.length < length) group = Buffer.allocUnsafe(length);
		let at = 0;
		for (const [i, piece] of [first, ...others].entries()) {
			if (i > 0) {
				group[at++] = COMMA;
				waiting -= piece.json.length;
				row_count += piece.row_count;
			}
			group.set(piece.json, at);
			at += piece.json.length;
		}
		return { first_row: first.first_row, row_count, json: group.subarray(0, at) };
	}

	async function packed(): Promise<Chunk> {
		const { json, ...chunk } = take();
		return { ...chunk, payload: await pack(json) };
	}

	/** Writes until less than a chunk waits. */
	async function drain(): Promise<void> {
		try {
			let chunks: Chunk[] = [];
			while (waiting >= GROUP_BYTES) {
				// One after another: more threads would only take the processor away from the one that reads.
				chunks.push(await packed());
				if (chunks.length < CHUNKS_PER_STATEMENT && waiting >= GROUP_BYTES) continue;
				await results.insertChunks(store.db, hold, stage, chunks);
				chunks = [];
			}
		} catch (error) {
			failure ??= { error };
			queue.length = 0;
		} finally {
			writing = null;
		}
	}

	async function addJson(json: Uint8Array, count: number): Promise<void> {
		if (failure) throw failure.error;
		if (count === 0) return;
		if (rows + count > limits.rows) throw tooManyRows(limits.rows);
		if (bytes + json.length > limits.bytes) throw tooManyBytes(limits.bytes);
		queue.push({ first_row: rows, row_count: count, json });
		rows += count;
		bytes += json.length;
		waiting += json.length;
		if (waiting >= GROUP_BYTES) writing ??= drain();
		if (waiting > WAITING_BYTES) await writing;
	}

	return {
		addJson,
		async addRows(list) {
			let part: string[] = [];
			let size = 0;
			for (const [i, row] of list.entries()) {
				const json = JSON.stringify(row);
				part.push(json);
				size += json.length;
				if (size < CHUNK_BYTES && part.length < CHUNK_ROWS && i < list.length - 1) continue;
				await addJson(Buffer.from(part.join(",")), part.length);
				part = [];
				size = 0;
			}
		},
		async finish() {
			await writing;
			if (waiting > GROUP_BYTES) await drain();
			if (failure) throw failure.error;
			return { rows, rest: queue.length > 0 ? await packed() : null };
		},
	};
}

/** How many of the pieces that wait make one chunk. */
function groupLength(queue: readonly Waiting[]): number {
	let bytes = 0;
	return (
		queue.findIndex(({ json }) => {
			bytes += json.length;
			return bytes >= GROUP_BYTES;
		}) + 1 || queue.length
	);
}
