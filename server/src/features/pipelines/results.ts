/** The rows of a completed run: pages of them, or all of them as one file. Never more than a few chunks in memory. */
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import type { ExportFormat } from "@weft/contracts";
import type { Store } from "../../ports/store.ts";
import { createCsv } from "./csv.ts";
import type { Row } from "./domain/rows.ts";
import type { ResultRepo } from "./repo-results.ts";
import type { Chunk } from "./repo-run.ts";

const unpack = promisify(brotliDecompress);
const CHUNKS_AT_ONCE = 4;

/** Rows of one stage, which are part of an answer. */
export interface Part {
	readonly stage: number;
	readonly rows: number;
}

export interface ResultDeps {
	readonly store: Pick<Store, "db">;
	readonly results: Pick<ResultRepo, "chunks">;
}

export function createResults({ store, results }: ResultDeps) {
	/** Every chunk with rows in [from, to) of a stage, its JSON without the outer brackets. */
	async function* chunksOf(jobId: string, stage: number, from: number, to: number) {
		for (let at = from; at < to; ) {
			const chunks: Chunk[] = await results.chunks(store.db, jobId, stage, at, to, CHUNKS_AT_ONCE);
			for (const { first_row, row_count, payload } of chunks) {
				if (first_row > at) throw new Error("rows of a run are missing");
				yield { first: first_row, count: row_count, json: await unpack(payload) };
				at = first_row + row_count;
				await setImmediate();
			}
			if (chunks.length === 0) throw new Error("rows of a run are missing");
		}
	}

	async function* rowsOf(jobId: string, parts: readonly Part[]): AsyncGenerator<Row[]> {
		for (const { stage, rows } of parts) {
			for await (const { json } of chunksOf(jobId, stage, 0, rows)) yield parse(json);
		}
	}

	async function* exportJson(jobId: string, parts: readonly Part[]) {
		let first = true;
		yield "[";
		for (const { stage, rows } of parts) {
			for await (const { json } of chunksOf(jobId, stage, 0, rows)) {
				yield first ? "\n" : ",\n";
				yield json;
				first = false;
			}
		}
		yield "\n]\n";
	}

	async function* exportLines(jobId: string, parts: readonly Part[]) {
		for await (const rows of rowsOf(jobId, parts)) yield rows.map((row) => `${JSON.stringify(row)}\n`).join("");
	}

	/** Two readings: the columns of all rows must be known before the first of them is written. */
	async function* exportCsv(jobId: string, parts: readonly Part[]) {
		const csv = createCsv();
		for await (const rows of rowsOf(jobId, parts)) csv.learn(rows);
		yield csv.header();
		for await (const rows of rowsOf(jobId, parts)) yield csv.lines(rows);
	}

	/**
	 * All rows in the form of a controller's answer; null when that is more than `maxBytes`. Rows are the bytes that were
	 * stored: nothing is parsed or written anew.
	 */
	async function document(jobId: string, parts: readonly Part[], maxBytes: number): Promise<Buffer | null> {
		const count = parts.reduce((sum, { rows }) => sum + rows, 0);
		const pieces = [Buffer.from(`{"totalCount":"${count}","imdata":[`)];
		let length = 0;
		let first = true;
		for (const { stage, rows } of parts) {
			for await (const { json } of chunksOf(jobId, stage, 0, rows)) {
				length += json.length;
				if (length > maxBytes) return null;
				pieces.push(Buffer.from(first ? "" : ","), json);
				first = false;
			}
		}
		pieces.push(Buffer.from("]}"));
		return Buffer.concat(pieces);
	}

	const formats: Record<
		ExportFormat,
		{ type: string; write: (jobId: string, parts: readonly Part[]) => AsyncGenerator<string | Buffer, void> }
	> = {
		csv: { type: "text/csv; charset=utf-8", write: exportCsv },
		json: { type: "application/json; charset=utf-8", write: exportJson },
		ndjson: { type: "application/x-ndjson; charset=utf-8", write: exportLines },
	};

	return {
		document,

		/** `count` rows from the `offset`-th on, over all parts in order. */
		async page(jobId: string, parts: readonly Part[], offset: number, count: number): Promise<Row[]> {
			const page: Row[] = [];
			let start = 0;
			for (const { stage, rows } of parts) {
				const from = Math.max(0, offset - start);
				const to = Math.min(rows, offset + count - start);
				start += rows;
				if (from >= to) continue;
				for await (const chunk of chunksOf(jobId, stage, from, to)) {
					page.push(...parse(chunk.json).slice(Math.max(0, from - chunk.first), to - chunk.first));
				}
			}
			return page;
		},

		/** All rows as a file. The stream fails when the rows go away meanwhile: a cut-off file never looks complete. */
		file(jobId: string, parts: readonly Part[], format: ExportFormat) {
			const { type, write } = formats[format];
			return { type, pieces: write(jobId, parts) };
		},
	};
}
export type Results = ReturnType<typeof createResults>;

const parse = (json: Buffer): Row[] => JSON.parse(`[${json.toString("utf8")}]`);
