/** Reads the rows of a completed run in pages or as a file, with at most a few chunks in memory. */
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import type { ExportFormat } from "@weft/contracts";
import { parseExact } from "@weft/contracts/exact-json";
import type { Row } from "../../platform/rows/rows.ts";
import type { Store } from "../../ports/store.ts";
import { createCsv } from "./domain/csv.ts";
import { rowTexts } from "./domain/row-texts.ts";
import { listChunks } from "./repo-results.ts";
import type { Chunk } from "./repo-run.ts";

const decompress = promisify(brotliDecompress);
const CHUNKS_AT_ONCE = 4;

/** The rows of one stage, as a part of a run's result. */
export interface ResultPart {
	readonly stage: number;
	readonly rows: number;
}

export interface ResultDeps {
	readonly store: Pick<Store, "db">;
}

export function createResults({ store }: ResultDeps) {
	/** The chunks with rows in [from, to) of a stage, as JSON objects with commas between them. */
	async function* iterateChunks(jobId: string, stage: number, from: number, to: number) {
		for await (const { first_row, payload } of packedChunks(jobId, stage, from, to)) {
			yield { first: first_row, json: await decompress(payload) };
			await setImmediate();
		}
	}

	async function* packedChunks(jobId: string, stage: number, from: number, to: number): AsyncGenerator<Chunk> {
		for (let at = from; at < to; ) {
			const chunks: Chunk[] = await listChunks(store.db, jobId, stage, at, to, CHUNKS_AT_ONCE);
			for (const chunk of chunks) {
				if (chunk.first_row > at) throw new Error(MISSING);
				yield chunk;
				at = chunk.first_row + chunk.row_count;
			}
			if (chunks.length === 0) throw new Error(MISSING);
		}
	}

	/**
	 * The JSON of all rows, with `start` before the first chunk and `separator` before each other
	 * one.
	 */
	async function* joinChunks(jobId: string, parts: readonly ResultPart[], start: string, separator: string) {
		let before = start;
		for (const { stage, rows } of parts) {
			for await (const { json } of iterateChunks(jobId, stage, 0, rows)) {
				yield before;
				yield json;
				before = separator;
			}
		}
	}

	/** The texts of all rows, a few hundred at a time. */
	async function* iterateTexts(jobId: string, parts: readonly ResultPart[]): AsyncGenerator<string[]> {
		for (const { stage, rows } of parts) {
			for await (const { json } of iterateChunks(jobId, stage, 0, rows)) yield [...rowTexts(json)];
		}
	}

	async function* getRows(jobId: string, parts: readonly ResultPart[]): AsyncGenerator<Row[]> {
		for (const { stage, rows } of parts) {
			for await (const { json } of iterateChunks(jobId, stage, 0, rows)) yield parseRows(json);
		}
	}

	async function* exportJson(jobId: string, parts: readonly ResultPart[]) {
		yield "[";
		yield* joinChunks(jobId, parts, "\n", ",\n");
		yield "\n]\n";
	}

	async function* exportLines(jobId: string, parts: readonly ResultPart[]) {
		for await (const texts of iterateTexts(jobId, parts)) yield texts.map(getLine).join("");
	}

	/** Reads all rows twice: the columns of all of them must be known before the first is written. */
	async function* exportCsv(jobId: string, parts: readonly ResultPart[]) {
		const csv = createCsv();
		for await (const rows of getRows(jobId, parts)) csv.learn(rows);
		yield csv.header();
		for await (const rows of getRows(jobId, parts)) yield csv.lines(rows);
	}

	const formats: Record<
		ExportFormat,
		{ type: string; write: (jobId: string, parts: readonly ResultPart[]) => AsyncGenerator<string | Buffer, void> }
	> = {
		csv: { type: "text/csv; charset=utf-8", write: exportCsv },
		json: { type: "application/json; charset=utf-8", write: exportJson },
		ndjson: { type: "application/x-ndjson; charset=utf-8", write: exportLines },
	};

	return {
		getRows: getRows,
		getTexts: iterateTexts,

		/**
		 * All rows in the form of a controller's answer; null when their JSON is longer than
		 * `maxBytes`.
		 */
		async document(jobId: string, parts: readonly ResultPart[], maxBytes: number): Promise<Buffer | null> {
			const count = parts.reduce((sum, { rows }) => sum + rows, 0);
			const pieces = [Buffer.from(`{"totalCount":"${count}","imdata":[`)];
			let length = 0;
			for await (const piece of joinChunks(jobId, parts, "", ",")) {
				length += piece.length;
				if (length > maxBytes) return null;
				pieces.push(typeof piece === "string" ? Buffer.from(piece) : piece);
			}
			pieces.push(Buffer.from("]}"));
			return Buffer.concat(pieces);
		},

		/**
		 * All rows as they are stored, in order: chunks of JSON objects with commas between them,
		 * compressed by brotli. Null when they have more than `maxBytes`.
		 */
		async packed(jobId: string, parts: readonly ResultPart[], maxBytes: number): Promise<Uint8Array[] | null> {
			const packs: Uint8Array[] = [];
			let length = 0;
			for (const { stage, rows } of parts) {
				for await (const { payload } of packedChunks(jobId, stage, 0, rows)) {
					length += payload.length;
					if (length > maxBytes) return null;
					packs.push(payload);
				}
			}
			return packs;
		},

		/** `count` rows as JSON from the `offset`-th on, over all parts in order. */
		async page(jobId: string, parts: readonly ResultPart[], offset: number, count: number): Promise<string[]> {
			const page: string[] = [];
			let start = 0;
			for (const { stage, rows } of parts) {
				const from = Math.max(0, offset - start);
				const to = Math.min(rows, offset + count - start);
				start += rows;
				for await (const { first, json } of iterateChunks(jobId, stage, from, to)) {
					page.push(...[...rowTexts(json)].slice(Math.max(0, from - first), to - first));
				}
			}
			return page;
		},

		/**
		 * All rows as a file. The stream fails when rows are removed meanwhile: a truncated file never
		 * looks complete.
		 */
		file(jobId: string, parts: readonly ResultPart[], format: ExportFormat) {
			const { type, write } = formats[format];
			return { type, pieces: write(jobId, parts) };
		},
	};
}
export type Results = ReturnType<typeof createResults>;

/** A row on one line, also where the controller wrote it on several. */
export const getLine = (text: string): string => `${text.includes("\n") ? JSON.stringify(parseExact(text)) : text}\n`;

const MISSING = "rows of the run are missing from the store";
const parseRows = (json: Buffer): Row[] => parseExact(`[${json.toString("utf8")}]`) as Row[];
