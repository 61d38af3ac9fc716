/** Reads the rows of a completed run in pages or as a file, with at most a few chunks in memory. */
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import type { ExportFormat } from "@weft/contracts";
import { parseExact } from "@weft/contracts/exact-json";
import type { Context } from "../../../context.ts";
import type { Row } from "../../../core/rows/rows.ts";
import { createCsv } from "./rules/csv.ts";
import { listRowTexts } from "./rules/row-texts.ts";
import { listChunks } from "./sql/results.ts";
import type { Chunk } from "./sql/run.ts";

const decompress = promisify(brotliDecompress);
const CHUNKS_AT_ONCE = 4;
const MISSING = "rows of the run are missing from the store";

/** The rows of one stage, as a part of a run's result. */
export interface ResultPart {
	readonly stage: number;
	readonly rows: number;
}

/** The chunks with rows in [from, to) of a stage, as JSON objects with commas between them. */
async function* iterateChunks(ctx: Context, jobId: string, stage: number, from: number, to: number) {
	for await (const { first_row, payload } of iteratePackedChunks(ctx, jobId, stage, from, to)) {
		yield { first: first_row, json: await decompress(payload) };
		await setImmediate();
	}
}

async function* iteratePackedChunks(
	ctx: Context,
	jobId: string,
	stage: number,
	from: number,
	to: number,
): AsyncGenerator<Chunk> {
	for (let at = from; at < to; ) {
		const chunks: Chunk[] = await listChunks(ctx.store.db, jobId, stage, at, to, CHUNKS_AT_ONCE);
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
async function* joinChunks(
	ctx: Context,
	jobId: string,
	parts: readonly ResultPart[],
	start: string,
	separator: string,
) {
	let before = start;
	for (const { stage, rows } of parts) {
		for await (const { json } of iterateChunks(ctx, jobId, stage, 0, rows)) {
			yield before;
			yield json;
			before = separator;
		}
	}
}

/** The texts of all rows, a few hundred at a time. */
export async function* iterateTexts(
	ctx: Context,
	jobId: string,
	parts: readonly ResultPart[],
): AsyncGenerator<string[]> {
	for (const { stage, rows } of parts) {
		for await (const { json } of iterateChunks(ctx, jobId, stage, 0, rows)) yield [...listRowTexts(json)];
	}
}

export async function* iterateRows(ctx: Context, jobId: string, parts: readonly ResultPart[]): AsyncGenerator<Row[]> {
	for (const { stage, rows } of parts) {
		for await (const { json } of iterateChunks(ctx, jobId, stage, 0, rows)) yield parseRows(json);
	}
}

async function* exportJson(ctx: Context, jobId: string, parts: readonly ResultPart[]) {
	yield "[";
	yield* joinChunks(ctx, jobId, parts, "\n", ",\n");
	yield "\n]\n";
}

async function* exportLines(ctx: Context, jobId: string, parts: readonly ResultPart[]) {
	for await (const texts of iterateTexts(ctx, jobId, parts)) yield texts.map(getLine).join("");
}

/** Reads all rows twice: the columns of all of them must be known before the first is written. */
async function* exportCsv(ctx: Context, jobId: string, parts: readonly ResultPart[]) {
	const csv = createCsv();
	for await (const rows of iterateRows(ctx, jobId, parts)) csv.learn(rows);
	yield csv.header();
	for await (const rows of iterateRows(ctx, jobId, parts)) yield csv.lines(rows);
}

const FORMATS: Record<
	ExportFormat,
	{
		type: string;
		write: (ctx: Context, jobId: string, parts: readonly ResultPart[]) => AsyncGenerator<string | Buffer, void>;
	}
> = {
	csv: { type: "text/csv; charset=utf-8", write: exportCsv },
	json: { type: "application/json; charset=utf-8", write: exportJson },
	ndjson: { type: "application/x-ndjson; charset=utf-8", write: exportLines },
};

/**
 * All rows in the form of a controller's answer; null when their JSON is longer than
 * `maxBytes`.
 */
export async function buildDocument(
	ctx: Context,
	jobId: string,
	parts: readonly ResultPart[],
	maxBytes: number,
): Promise<Buffer | null> {
	const count = parts.reduce((sum, { rows }) => sum + rows, 0);
	const pieces = [Buffer.from(`{"totalCount":"${count}","imdata":[`)];
	let length = 0;
	for await (const piece of joinChunks(ctx, jobId, parts, "", ",")) {
		length += piece.length;
		if (length > maxBytes) return null;
		pieces.push(typeof piece === "string" ? Buffer.from(piece) : piece);
	}
	pieces.push(Buffer.from("]}"));
	return Buffer.concat(pieces);
}

/**
 * All rows as they are stored, in order: chunks of JSON objects with commas between them,
 * compressed by brotli. Null when they have more than `maxBytes`.
 */
export async function readPackedChunks(
	ctx: Context,
	jobId: string,
	parts: readonly ResultPart[],
	maxBytes: number,
): Promise<Uint8Array[] | null> {
	const packs: Uint8Array[] = [];
	let length = 0;
	for (const { stage, rows } of parts) {
		for await (const { payload } of iteratePackedChunks(ctx, jobId, stage, 0, rows)) {
			length += payload.length;
			if (length > maxBytes) return null;
			packs.push(payload);
		}
	}
	return packs;
}

/** `count` rows as JSON from the `offset`-th on, over all parts in order. */
export async function readTextPage(
	ctx: Context,
	jobId: string,
	parts: readonly ResultPart[],
	offset: number,
	count: number,
): Promise<string[]> {
	const page: string[] = [];
	let start = 0;
	for (const { stage, rows } of parts) {
		const from = Math.max(0, offset - start);
		const to = Math.min(rows, offset + count - start);
		start += rows;
		for await (const { first, json } of iterateChunks(ctx, jobId, stage, from, to)) {
			page.push(...[...listRowTexts(json)].slice(Math.max(0, from - first), to - first));
		}
	}
	return page;
}

/**
 * All rows as a file. The stream fails when rows are removed meanwhile: a truncated file never
 * looks complete.
 */
export function openResultFile(ctx: Context, jobId: string, parts: readonly ResultPart[], format: ExportFormat) {
	const { type, write } = FORMATS[format];
	return { type, pieces: write(ctx, jobId, parts) };
}

/** A row on one line, also where the controller wrote it on several. */
export const getLine = (text: string): string => `${text.includes("\n") ? JSON.stringify(parseExact(text)) : text}\n`;

const parseRows = (json: Buffer): Row[] => parseExact(`[${json.toString("utf8")}]`) as Row[];
