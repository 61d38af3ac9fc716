/** Sends files to the thread that reads and writes them. */
import { buildRefusedError, buildUnavailableError } from "../../../core/errors.ts";
import { type WorkerPool, WorkerPoolError } from "../../../core/workers/pool.ts";
import { getWorkerUrl } from "../../../core/workers/worker-url.ts";
import type { FileDocument } from "../rules/documents.ts";
import type { FileResult } from "../rules/read-file.ts";
import type { QueryFileTasks } from "./tasks.ts";

export type QueryFilePool = WorkerPool<QueryFileTasks>;

/** The thread's file, for the pool. */
export const getQueryFilesWorkerUrl = (): URL => getWorkerUrl(import.meta.url, "./query-files-worker.ts");

/** Characters and files of one task, so that tasks of other requests come in between. */
const TASK_CHARACTERS = 512 * 1024;
const TASK_FILES = 200;
/** Tasks of one request in the pool: those of other requests need not wait for all of them. */
const TASKS_AT_ONCE = 2;
/** Time for one task. */
const TASK_MS = 30_000;

/** The results in the order of the contents. */
export async function readFiles(
	pool: Pick<QueryFilePool, "run">,
	contents: readonly string[],
	signal: AbortSignal,
): Promise<FileResult[]> {
	const run = (part: string[]) => pool.run("read", part, { signal, timeoutMs: TASK_MS }).catch(throwRefusal);
	const parts = getParts(contents);
	const results: FileResult[][] = [];
	for (let at = 0; at < parts.length; at += TASKS_AT_ONCE)
		results.push(...(await Promise.all(parts.slice(at, at + TASKS_AT_ONCE).map(run))));
	return results.flat();
}

export const writeFiles = (pool: Pick<QueryFilePool, "run">, documents: readonly FileDocument[]): Promise<string[]> =>
	pool.run("write", documents, { timeoutMs: TASK_MS }).catch(throwRefusal);

function getParts(contents: readonly string[]): string[][] {
	const parts: string[][] = [];
	let characters = 0;
	for (const content of contents) {
		const last = parts.at(-1);
		const isFull = last === undefined || last.length === TASK_FILES || characters + content.length > TASK_CHARACTERS;
		if (isFull) {
			parts.push([content]);
			characters = content.length;
		} else {
			last.push(content);
			characters += content.length;
		}
	}
	return parts;
}

function throwRefusal(error: unknown): never {
	if (!(error instanceof WorkerPoolError)) throw error;
	if (error.code === "timeout" || error.code === "stopped") {
		throw buildRefusedError("The files take too much time or memory to read. Send fewer or smaller ones.");
	}
	throw buildUnavailableError("The service is reading as many files as it can. Try again shortly.");
}
