/**
 * Writes a stage's rows while the next pages are being fetched. Chunks are compressed and written
 * several to a statement; the reader is held back when the store is slower than the controller.
 */
import { promisify } from "node:util";
import { brotliCompress, brotliCompressSync, constants } from "node:zlib";
import type { Context } from "../../../context.ts";
import {
	buildTooManyBytesError,
	buildTooManyRowsError,
	buildTooManyRunBytesError,
	type PipelineLimits,
} from "./rules/limits.ts";
import { deleteChunks, insertChunks } from "./sql/results.ts";
import type { Chunk, Hold } from "./sql/run.ts";

/** JSON up to this size is compressed at once: a thread of the pool would take longer to begin. */
const SYNC_BYTES = 256 * 1024;
/** JSON that may wait to be written. */
const WAITING_BYTES = 16 * 1024 ** 2;
/**
 * Pages are joined into chunks of about this size: compressing and reading has a price per chunk.
 */
const CHUNK_BYTES = 2 * 1024 ** 2;
const CHUNKS_PER_STATEMENT = 4;
/** Rows that are not JSON yet are serialized in parts of about this size. */
const PART_BYTES = 512 * 1024;
const PART_ROWS = 1_000;
const COMMA = Buffer.from(",");

const brotli = promisify(brotliCompress);
/** The lowest quality of brotli takes half the time of deflate's lowest, for the same size. */
async function compressJson(json: Uint8Array): Promise<Buffer> {
	const options = {
		chunkSize: SYNC_BYTES,
		params: { [constants.BROTLI_PARAM_QUALITY]: 0, [constants.BROTLI_PARAM_SIZE_HINT]: json.length },
	};
	return json.length <= SYNC_BYTES ? brotliCompressSync(json, options) : brotli(json, options);
}

interface Waiting {
	readonly first_row: number;
	readonly row_count: number;
	/** Rows as JSON objects with commas between them. */
	readonly json: Uint8Array;
}

export interface Writer {
	/**
	 * Takes rows as JSON objects with commas between them. Resolves when the writer can take more.
	 */
	addJson(json: Uint8Array, rows: number): Promise<void>;
	addRows(rows: readonly object[]): Promise<void>;
	/** Drops all rows that were taken, also those that are stored. */
	restart(): Promise<void>;
	/**
	 * Resolves when all rows are stored except those of `rest`, which are stored with the end of the
	 * stage.
	 */
	finish(): Promise<Written>;
}

export interface Written {
	readonly rows: number;
	readonly rest: Chunk | null;
}

/** Bounds of the rows of one stage. */
export interface WriteScope {
	readonly limits: Pick<PipelineLimits, "rows" | "bytes" | "runBytes">;
	/** Bytes that all writers of the run have taken. */
	readonly run: { bytes: number };
}

export function createWriter({ store }: Context, { limits, run }: WriteScope, hold: Hold, stage: number): Writer {
	const queue: Waiting[] = [];
	let rows = 0;
	let bytes = 0;
	/** Bytes in the queue. */
	let waiting = 0;
	let failure: { readonly error: unknown } | null = null;
	let writing: Promise<void> | null = null;

	/** Takes pages from the queue until they make one chunk. */
	async function nextChunk(): Promise<Chunk> {
		const [first, ...others] = queue.splice(0, chunkLength(queue));
		if (first === undefined) throw new Error("the queue of the writer is empty");
		const pages = [first, ...others];
		for (const { json } of pages) waiting -= json.length;
		const json =
			others.length === 0 ? first.json : Buffer.concat([first.json, ...others.flatMap((page) => [COMMA, page.json])]);
		return {
			first_row: first.first_row,
			row_count: pages.reduce((sum, { row_count }) => sum + row_count, 0),
			payload: await compressJson(json),
		};
	}

	/** Writes until less than a chunk waits. */
	async function writeChunks(): Promise<void> {
		try {
			while (waiting >= CHUNK_BYTES) {
				const chunks: Chunk[] = [];
				// One after another: more threads would take the processor from the reader.
				while (chunks.length < CHUNKS_PER_STATEMENT && waiting >= CHUNK_BYTES) chunks.push(await nextChunk());
				await insertChunks(store.db, hold, stage, chunks);
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
		if (rows + count > limits.rows) throw buildTooManyRowsError(limits.rows);
		if (bytes + json.length > limits.bytes) throw buildTooManyBytesError(limits.bytes);
		run.bytes += json.length;
		if (run.bytes > limits.runBytes) throw buildTooManyRunBytesError(limits.runBytes);
		queue.push({ first_row: rows, row_count: count, json });
		rows += count;
		bytes += json.length;
		waiting += json.length;
		if (waiting >= CHUNK_BYTES) writing ??= writeChunks();
		if (waiting > WAITING_BYTES) await writing;
	}

	return {
		addJson,
		async addRows(list) {
			for (const { json, count } of iterateJsonParts(list)) await addJson(json, count);
		},
		async restart() {
			queue.length = 0;
			waiting = 0;
			await writing;
			if (failure) throw failure.error;
			await deleteChunks(store.db, hold, stage);
			run.bytes -= bytes;
			rows = 0;
			bytes = 0;
		},
		async finish() {
			await writing;
			if (waiting > CHUNK_BYTES) await writeChunks();
			if (failure) throw failure.error;
			return { rows, rest: queue.length > 0 ? await nextChunk() : null };
		},
	};
}

/** Rows as JSON objects with commas between them, in parts. */
export function* iterateJsonParts(
	rows: readonly object[],
): Generator<{ readonly json: Buffer; readonly count: number }> {
	let part: string[] = [];
	let size = 0;
	for (const [i, row] of rows.entries()) {
		const json = JSON.stringify(row);
		part.push(json);
		size += json.length;
		if (size < PART_BYTES && part.length < PART_ROWS && i < rows.length - 1) continue;
		yield { json: Buffer.from(part.join(",")), count: part.length };
		part = [];
		size = 0;
	}
}

/** How many of the waiting pages make one chunk; all of them where they are less than one. */
function chunkLength(queue: readonly Waiting[]): number {
	let bytes = 0;
	for (const [i, { json }] of queue.entries()) {
		bytes += json.length;
		if (bytes >= CHUNK_BYTES) return i + 1;
	}
	return queue.length;
}
