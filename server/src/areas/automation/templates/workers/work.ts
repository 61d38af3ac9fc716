/** Checks rows where it does not stall the process: few of them here, many on a worker thread. */
import { type RunOptions, type WorkerPool, WorkerPoolError } from "../../../../core/workers/pool.ts";
import { getWorkerUrl } from "../../../../core/workers/worker-url.ts";
import type { SheetRule } from "../rules/rules.ts";
import {
	type AutomationTasks,
	automationTasks,
	type CheckAnswer,
	type MatchTask,
	type TakeAnswer,
	type TakeTask,
} from "./tasks.ts";

export type AutomationPool = WorkerPool<AutomationTasks>;

/** Rows of fewer bytes take about as long here as the way to a thread and back. */
const INLINE_BYTES = 64 * 1024;
/** Far more than the largest input needs. */
const TIMEOUT_MS = 60_000;
/** For the texts with which a pattern is tried. */
const MATCH_MS = 2_000;
const TOO_LONG =
	"Checking the rows takes too long. Simplify the patterns of the template's columns, or check fewer rows at once.";

const isTimeout = (error: unknown): boolean => error instanceof WorkerPoolError && error.code === "timeout";

/** @param input JSON text of rows, or of rows by sheet */
export async function checkRows(
	pool: Pick<AutomationPool, "run">,
	rules: readonly SheetRule[],
	input: string,
	options: Pick<RunOptions, "signal"> = {},
): Promise<CheckAnswer> {
	const bytes = Buffer.from(input);
	const lists = rules.reduce(
		(sum, { columns }) =>
			sum + columns.reduce((n, { list, choices }) => n + (list?.values.length ?? 0) + (choices?.length ?? 0), 0),
		0,
	);
	const hasPatterns = rules.some(({ columns }) => columns.some(({ patterns }) => patterns.length > 0));
	if (bytes.length <= INLINE_BYTES && lists < 1000 && !hasPatterns) {
		return automationTasks.check({ rules, input: bytes }).value;
	}
	try {
		return await pool.run("check", { rules, input: bytes }, { ...options, timeoutMs: TIMEOUT_MS });
	} catch (error) {
		if (!isTimeout(error)) throw error;
		return { problem: TOO_LONG, result: null, rows: new Uint8Array(0) };
	}
}

/** Takes rows out of objects. */
export const takeRows = async (pool: Pick<AutomationPool, "run">, task: TakeTask): Promise<TakeAnswer> =>
	task.document.byteLength <= INLINE_BYTES
		? automationTasks.take(task).value
		: pool.run("take", task, { timeoutMs: TIMEOUT_MS });

/** Whether a pattern matches each text; null where that takes too long. */
export async function matchTexts(
	pool: Pick<AutomationPool, "run">,
	task: MatchTask,
	signal: AbortSignal,
): Promise<readonly boolean[] | null> {
	try {
		return await pool.run("matches", task, { signal, timeoutMs: MATCH_MS });
	} catch (error) {
		if (isTimeout(error)) return null;
		throw error;
	}
}

/** The thread's file, for the pool. */
export function getAutomationWorkerUrl(): URL {
	return getWorkerUrl(import.meta.url, "./automation-worker.ts");
}
