/** Reading the stored output of an execution by offsets in UTF-16 code units. */
import type { AutomationOutput } from "@weft/contracts";
import type { Db } from "../../../../core/ports/store.ts";
import type { ExecutionRow } from "../sql/executions.ts";
import { listWorkflowNodes } from "../sql/executions.ts";
import type { StreamRow } from "../sql/streams.ts";
import { findStream, listStreamPieces, listStreams } from "../sql/streams.ts";

/** Code units that are read from the store at a time. */
const CHUNK_UNITS = 1_048_576;

/** Streams whose texts follow one another. */
export interface Output {
	readonly streams: readonly StreamRow[];
	/** Nothing will be added. */
	readonly done: boolean;
}

export const getLength = ({ streams }: Output): number => streams.reduce((sum, { length }) => sum + length, 0);

async function getText(db: Db, stream: StreamRow, from: number, to: number): Promise<string> {
	const end = Math.min(to, stream.length);
	if (from >= end) return "";
	const found = await listStreamPieces(db, stream.execution_id, stream.job_id, from, end);
	return found
		.map(({ start, text: piece }) => piece.slice(Math.max(0, from - start), Math.min(piece.length, end - start)))
		.join("");
}

/** The text between two offsets. */
export async function readTextRange(db: Db, output: Output, from: number, to: number): Promise<string> {
	let [all, start] = ["", 0];
	for (const stream of output.streams) {
		all += await getText(db, stream, Math.max(0, from - start), to - start);
		start += stream.length;
	}
	return all;
}

/**
 * The slices of a job in their order. A slice is shown once those before it are complete, so that
 * offsets do not change.
 */
async function listSlices(db: Db, execution: ExecutionRow): Promise<Output> {
	const done = execution.finished_at !== null;
	const byJob = new Map((await listStreams(db, [execution.id])).map((stream) => [stream.job_id, stream]));
	const shown: StreamRow[] = [];
	for (const { job_id } of await listWorkflowNodes(db, execution.id)) {
		const stream = job_id === null ? undefined : byJob.get(job_id);
		if (stream !== undefined) shown.push(stream);
		if (!done && stream?.done !== true) break;
	}
	return { streams: shown, done };
}

/** The output of the job of one node. */
export async function findJobOutput(db: Db, execution: ExecutionRow, jobId: number | null): Promise<Output> {
	const stream = jobId === null ? undefined : await findStream(db, execution.id, jobId);
	return {
		streams: stream === undefined ? [] : [stream],
		done: execution.finished_at !== null || stream?.done === true,
	};
}

/** The output of the execution's own job, or of the slices that it was cut into. */
export async function findOwnOutput(db: Db, execution: ExecutionRow): Promise<Output> {
	const isSliced = execution.kind === "job" && execution.job_type === "workflow_job";
	return isSliced ? listSlices(db, execution) : findJobOutput(db, execution, execution.job_id);
}

/** One answer: from an offset on, at most `limit` code units. Never cuts a character in two. */
export async function readOutputPage(
	db: Db,
	output: Output,
	offset: number,
	limit: number,
): Promise<Pick<AutomationOutput, "stdout" | "next_offset" | "complete">> {
	let stdout = await readTextRange(db, output, offset, offset + limit);
	const last = stdout.charCodeAt(stdout.length - 1);
	if (stdout.length > 1 && last >= 0xd800 && last <= 0xdbff) stdout = stdout.slice(0, -1);
	const next_offset = Math.min(offset, getLength(output)) + stdout.length;
	return { stdout, next_offset, complete: output.done && next_offset >= getLength(output) };
}

/** All of it, piece by piece. */
export async function* streamOutput(db: Db, output: Output): AsyncGenerator<string, void> {
	for (const stream of output.streams) {
		for (let at = 0; at < stream.length; at += CHUNK_UNITS) {
			for (const piece of await listStreamPieces(db, stream.execution_id, stream.job_id, at, at + CHUNK_UNITS)) {
				if (piece.start >= at) yield piece.text;
			}
		}
	}
}
