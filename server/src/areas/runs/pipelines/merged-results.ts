/**
 * The rows of several runs as one result, in the order of the runs, each row with its connection.
 * At most a few chunks are in memory. The caller has checked who may see the runs.
 */
import type { ExportFormat, GroupAbsence } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import { formatCsvComment } from "../../../core/csv.ts";
import { type AppError, buildFieldError } from "../../../core/errors.ts";
import { WorkerPoolError } from "../../../core/workers/pool.ts";
import { listResultParts } from "./result-parts.ts";
import { createCsv } from "./rules/csv.ts";
import { CONNECTION, withConnection } from "./rules/merged-row.ts";
import { PIVOT_ERROR, type PivotPage, type PivotRange } from "./rules/pivot.ts";
import { getLine, iterateRows, iterateTexts, type ResultPart, readPackedChunks, readTextPage } from "./run-results.ts";
import { findRun } from "./sql/runs.ts";

/** A completed run, and what its connection is called in the result. */
export interface MergedRun {
	readonly label: string;
	readonly jobId: string;
}

interface Source extends MergedRun {
	readonly parts: readonly ResultPart[];
	readonly rows: number;
}

/** Compressed bytes of all runs of a pivot, which are in memory together. */
const PACKED_MAX = 96 * 1024 * 1024;
const PIVOT_MS = 60_000;

const CONTENT_TYPES: Record<ExportFormat, string> = {
	csv: "text/csv; charset=utf-8",
	json: "application/json; charset=utf-8",
	ndjson: "application/x-ndjson; charset=utf-8",
};

/** @throws 409 once the rows of a run are removed */
async function listSources(ctx: Context, runs: readonly MergedRun[]): Promise<Source[]> {
	const sources: Source[] = [];
	for (const run of runs) {
		const job = await findRun(ctx.store.db, run.jobId);
		if (job === undefined) continue;
		const parts = await listResultParts(ctx, job, undefined);
		sources.push({ ...run, parts, rows: parts.reduce((sum, { rows }) => sum + rows, 0) });
	}
	return sources;
}

async function* iterateMergedTexts(ctx: Context, sources: readonly Source[]): AsyncGenerator<string[]> {
	for (const { jobId, parts, label } of sources) {
		const quoted = JSON.stringify(label);
		for await (const texts of iterateTexts(ctx, jobId, parts)) yield texts.map((text) => withConnection(text, quoted));
	}
}

async function* exportJson(ctx: Context, sources: readonly Source[], absent: readonly GroupAbsence[]) {
	yield "[";
	let before = "\n";
	if (absent.length > 0) {
		yield `${before}${JSON.stringify({ _partial: absent })}`;
		before = ",\n";
	}
	for await (const texts of iterateMergedTexts(ctx, sources)) {
		if (texts.length === 0) continue;
		yield before;
		yield texts.join(",\n");
		before = ",\n";
	}
	yield "\n]\n";
}

async function* exportLines(ctx: Context, sources: readonly Source[], absent: readonly GroupAbsence[]) {
	if (absent.length > 0) yield `${JSON.stringify({ _partial: absent })}\n`;
	for await (const texts of iterateMergedTexts(ctx, sources)) yield texts.map(getLine).join("");
}

/** Reads all rows twice: the columns of all of them must be known before the first is written. */
async function* exportCsv(ctx: Context, sources: readonly Source[], absent: readonly GroupAbsence[]) {
	for (const { connection, error } of absent) yield formatCsvComment(`partial: ${connection}: ${error}`);
	const csv = createCsv(CONNECTION);
	for (const { jobId, parts } of sources) {
		for await (const rows of iterateRows(ctx, jobId, parts)) csv.learn(rows);
	}
	yield csv.header();
	for (const { jobId, parts, label } of sources) {
		for await (const rows of iterateRows(ctx, jobId, parts)) yield csv.lines(rows, label);
	}
}

const WRITERS = { csv: exportCsv, json: exportJson, ndjson: exportLines };

/** JSON texts of `count` rows from the `offset`-th on, and how many rows there are. */
export async function readMergedPage(ctx: Context, runs: readonly MergedRun[], offset: number, count: number) {
	const sources = await listSources(ctx, runs);
	const page: string[] = [];
	let start = 0;
	for (const { jobId, parts, label, rows } of sources) {
		const from = Math.max(0, offset - start);
		const wanted = Math.min(rows - from, count - page.length);
		start += rows;
		if (wanted <= 0) continue;
		const quoted = JSON.stringify(label);
		for (const text of await readTextPage(ctx, jobId, parts, from, wanted)) page.push(withConnection(text, quoted));
	}
	return { count: start, rows: page };
}

/**
 * All rows as a file, which begins with the connections that are absent.
 * @param rowsMax null: no limit
 * @returns null if there are more rows
 */
export async function openMergedFile(
	ctx: Context,
	runs: readonly MergedRun[],
	absent: readonly GroupAbsence[],
	format: ExportFormat,
	rowsMax: number | null,
) {
	const sources = await listSources(ctx, runs);
	if (rowsMax !== null && sources.reduce((sum, { rows }) => sum + rows, 0) > rowsMax) return null;
	return { type: CONTENT_TYPES[format], pieces: WRITERS[format](ctx, sources, absent) };
}

/** @throws 400 under `pivot` where the rows cannot be shown by this property */
export async function pivotMergedRows(
	ctx: Context,
	runs: readonly MergedRun[],
	property: string,
	range: PivotRange,
	signal: AbortSignal,
): Promise<PivotPage> {
	let left = PACKED_MAX;
	const sources: { connection: string; packs: readonly Uint8Array[] }[] = [];
	for (const { jobId, parts, label } of await listSources(ctx, runs)) {
		const packs = await readPackedChunks(ctx, jobId, parts, left);
		if (packs === null)
			throw buildRefusedPivotError("The result is too large for this. Narrow the query with a filter.");
		left -= packs.reduce((sum, { length }) => sum + length, 0);
		sources.push({ connection: label, packs });
	}
	try {
		return await ctx.pipelinePool.run("pivot", { sources, property, range }, { signal, timeoutMs: PIVOT_MS });
	} catch (error) {
		if (signal.aborted) throw signal.reason;
		throw pivotFailure(error);
	}
}

const buildRefusedPivotError = (message: string): AppError => buildFieldError("pivot", message);

function pivotFailure(error: unknown): unknown {
	if (error instanceof Error && (error as { code?: unknown }).code === PIVOT_ERROR)
		return buildRefusedPivotError(error.message);
	if (!(error instanceof WorkerPoolError)) return error;
	if (error.code === "timeout") {
		return buildRefusedPivotError(`It took longer than ${PIVOT_MS / 1000} s. Narrow the query with a filter.`);
	}
	if (error.code === "stopped")
		return buildRefusedPivotError("It needs more memory than there is. Narrow the query with a filter.");
	return error;
}
