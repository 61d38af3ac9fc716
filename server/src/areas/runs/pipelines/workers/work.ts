/** Sends rows to the threads that apply post-processors. */
import type { PostProcessor } from "@weft/contracts";
import { type WorkerPool, WorkerPoolError } from "../../../../core/workers/pool.ts";
import { getWorkerUrl } from "../../../../core/workers/worker-url.ts";
import { StageFailure } from "../rules/limits.ts";
import type { ModelFacts } from "../rules/model-facts.ts";
import { PROCESSOR_ERROR } from "../rules/post-processors/bounds.ts";
import { readsNames } from "../rules/post-processors/index.ts";
import type { Subclasses } from "../rules/post-processors/join.ts";
import type { PipelineTasks, ProcessAnswer, ProcessTask } from "./tasks.ts";

export type PipelinePool = WorkerPool<PipelineTasks>;

/** The thread's file, for the pool. */
export const getPipelineWorkerUrl = (): URL => getWorkerUrl(import.meta.url, "./pipeline-worker.ts");

/** Time for one page of rows, and for all rows of a stage together. */
const PAGE_MS = 20_000;
const ALL_MS = 60_000;

/** Facts of the loaded class model; null: the built-in names are used. */
export type NameFacts = Pick<ModelFacts, "nameFormats"> | null;

/**
 * Processes rows on a thread; tasks wait while all threads are busy. @throws StageFailure where a
 * bound or the time is exceeded; the signal's reason
 */
export async function processRows(
	pool: Pick<PipelinePool, "run">,
	facts: NameFacts,
	{
		processors,
		subclasses = {},
		...task
	}: Omit<ProcessTask, "processors" | "nameFormats" | "subclasses"> & {
		readonly processors: readonly PostProcessor[];
		readonly subclasses?: Subclasses;
	},
	signal: AbortSignal,
): Promise<ProcessAnswer> {
	const nameFormats = processors.some(readsNames) ? (facts?.nameFormats() ?? null) : null;
	const timeoutMs = task.part === "all" ? ALL_MS : PAGE_MS;
	try {
		return await pool.run(
			"process",
			{ ...task, nameFormats, subclasses: JSON.stringify(subclasses), processors: JSON.stringify(processors) },
			{ signal, timeoutMs },
		);
	} catch (error) {
		if (signal.aborted) throw signal.reason;
		throw classifyFailure(error, timeoutMs);
	}
}

function classifyFailure(error: unknown, timeoutMs: number): unknown {
	const options = { cause: error };
	if (error instanceof Error && (error as { code?: unknown }).code === PROCESSOR_ERROR) {
		return new StageFailure(error.message, null, options);
	}
	if (!(error instanceof WorkerPoolError)) return error;
	if (error.code === "timeout") {
		return new StageFailure(
			`The post-processors took longer than ${timeoutMs / 1000} seconds for ${
				timeoutMs === ALL_MS ? "the rows" : "one page of rows"
			}, which is the limit. Simplify their patterns, or narrow the query with a filter.`,
			null,
			options,
		);
	}
	if (error.code === "stopped") {
		return new StageFailure(
			"The post-processors need more memory than a run may use. Narrow the query with a filter, or keep fewer fields.",
			null,
			options,
		);
	}
	return error;
}
