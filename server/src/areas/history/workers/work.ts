/**
 * Runs the Time Machine's heavy work without blocking the process: small snapshots inline, large
 * ones on a worker thread.
 */
import type { ClientConfig } from "pg";
import { buildUnavailableError } from "../../../core/errors.ts";
import { type RunOptions, type WorkerPool, WorkerPoolError } from "../../../core/workers/pool.ts";
import { makeDetachable } from "../../../core/workers/serve.ts";
import { getWorkerUrl } from "../../../core/workers/worker-url.ts";
import { HISTORY_CHANGING } from "./read.ts";
import type { TimeMachineTasks } from "./tasks.ts";

export type TimeMachinePool = WorkerPool<TimeMachineTasks>;

/** What a worker thread is started with. */
export interface TimeMachineThread {
	readonly connection: ClientConfig;
	/**
	 * True for the thread that runs checks for which no request waits: it gets the lowest priority.
	 */
	readonly background: boolean;
}

/** URL of the worker thread's file. */
export const getTimeMachineWorkerUrl = (): URL => getWorkerUrl(import.meta.url, "./time-machine-worker.ts");

interface WorkOptions {
	/** Approximate bytes of text that the task handles. */
	readonly size: number;
	readonly signal?: AbortSignal | undefined;
}

type Name = keyof TimeMachineTasks;

/**
 * `capture` transfers large bytes to the thread, which leaves the caller's view of them empty.
 * Rejects with 503 if no thread can do the work.
 */
export type TimeMachineWork = {
	[Task in Name]: (
		input: Parameters<TimeMachineTasks[Task]>[0],
		options: WorkOptions,
	) => Promise<Awaited<ReturnType<TimeMachineTasks[Task]>>["value"]>;
};

/** Tasks of fewer bytes run inline: transferring them to a thread would take as long. */
const INLINE_BYTES = 256 * 1024;
const TASK_TIMEOUT_MS = 120_000;

export function createTimeMachineWork(deps: {
	tasks: TimeMachineTasks;
	pool: Pick<TimeMachinePool, "run">;
}): TimeMachineWork {
	async function mapWorkErrors<Value>(signal: AbortSignal | undefined, work: () => Promise<Value>): Promise<Value> {
		try {
			return await work();
		} catch (error) {
			if (signal?.aborted) throw buildUnavailableError("The request was given up.");
			if (error instanceof WorkerPoolError) throw buildUnavailableError("This could not be worked on just now.");
			if ((error as { code?: unknown }).code === HISTORY_CHANGING)
				throw buildUnavailableError("The history is being cleaned up.");
			throw error;
		}
	}
	function createTaskRunner<Task extends Name>(name: Task) {
		type Input = Parameters<TimeMachineTasks[Task]>[0];
		type Value = Awaited<ReturnType<TimeMachineTasks[Task]>>["value"];
		const task = deps.tasks[name] as unknown as (input: Input) => Promise<{ value: Value }>;
		const run = deps.pool.run as unknown as (name: Task, input: Input, options: RunOptions) => Promise<Value>;
		return (input: Input, { size, signal }: WorkOptions, transfer: ArrayBuffer[] = []): Promise<Value> =>
			mapWorkErrors(signal, async () => {
				if (size < INLINE_BYTES) return (await task(input)).value;
				return run(name, input, { timeoutMs: TASK_TIMEOUT_MS, transfer, ...(signal && { signal }) });
			});
	}
	const capture = createTaskRunner("capture");
	return {
		capture(task, options) {
			if (options.size < INLINE_BYTES) return capture(task, options);
			const { bytes, memory } = makeDetachable(task.bytes);
			return capture({ ...task, bytes }, options, [memory]);
		},
		drift: createTaskRunner("drift"),
		text: createTaskRunner("text"),
		compare: createTaskRunner("compare"),
		changes: createTaskRunner("changes"),
		changePlan: createTaskRunner("changePlan"),
		changePage: createTaskRunner("changePage"),
		valuedChanges: createTaskRunner("valuedChanges"),
		changedPlan: createTaskRunner("changedPlan"),
		changedObjects: createTaskRunner("changedObjects"),
		page: createTaskRunner("page"),
		timelines: createTaskRunner("timelines"),
		blame: createTaskRunner("blame"),
		series: createTaskRunner("series"),
		completion: createTaskRunner("completion"),
		verify: createTaskRunner("verify"),
		erase: createTaskRunner("erase"),
	};
}
