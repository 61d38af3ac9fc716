/** Does the Time Machine's heavy work where it does not stall the process: of small snapshots here, of large ones on a worker thread. */
import { unavailable } from "../../../platform/errors.ts";
import { type RunOptions, type WorkerPool, WorkerPoolError } from "../../../platform/workers/pool.ts";
import { handedOver } from "../../../platform/workers/serve.ts";
import { DISTURBED } from "./reading.ts";
import type { TimeMachineTasks } from "./tasks.ts";

export type TimeMachinePool = WorkerPool<TimeMachineTasks>;

interface WorkOptions {
	/** Bytes of the snapshots that this is about. */
	readonly size: number;
	readonly signal?: AbortSignal | undefined;
}

type Name = keyof TimeMachineTasks;

/**
 * `capture` takes its bytes over when they are large and not in shared memory: the caller's view of them is empty afterwards. Rejects with 503 where it cannot be done.
 */
export type TimeMachineWork = {
	[Task in Name]: (
		input: Parameters<TimeMachineTasks[Task]>[0],
		options: WorkOptions,
	) => Promise<Awaited<ReturnType<TimeMachineTasks[Task]>>["value"]>;
};

/** Less takes about as long here as the way to a thread and back. */
const INLINE_BYTES = 256 * 1024;
const TASK_TIMEOUT_MS = 120_000;

export function createTimeMachineWork(deps: {
	tasks: TimeMachineTasks;
	pool: Pick<TimeMachinePool, "run">;
}): TimeMachineWork {
	async function limited<Value>(signal: AbortSignal | undefined, work: () => Promise<Value>): Promise<Value> {
		try {
			return await work();
		} catch (error) {
			if (signal?.aborted) throw unavailable("The request was given up.");
			if (error instanceof WorkerPoolError) throw unavailable("This could not be worked on just now.");
			if ((error as { code?: unknown }).code === DISTURBED) throw unavailable("The history is being cleaned up.");
			throw error;
		}
	}
	function work<Task extends Name>(name: Task) {
		type Input = Parameters<TimeMachineTasks[Task]>[0];
		type Value = Awaited<ReturnType<TimeMachineTasks[Task]>>["value"];
		const task = deps.tasks[name] as unknown as (input: Input) => Promise<{ value: Value }>;
		const run = deps.pool.run as unknown as (name: Task, input: Input, options: RunOptions) => Promise<Value>;
		return (input: Input, { size, signal }: WorkOptions, transfer: ArrayBuffer[] = []): Promise<Value> =>
			limited(signal, async () => {
				if (size < INLINE_BYTES) return (await task(input)).value;
				return run(name, input, { timeoutMs: TASK_TIMEOUT_MS, transfer, ...(signal && { signal }) });
			});
	}
	const capture = work("capture");
	return {
		capture(task, options) {
			if (options.size < INLINE_BYTES) return capture(task, options);
			const { bytes, transfer } = handedOver(task.bytes);
			return capture({ ...task, bytes }, options, transfer);
		},
		text: work("text"),
		compare: work("compare"),
		page: work("page"),
		timelines: work("timelines"),
		blame: work("blame"),
		completion: work("completion"),
		verify: work("verify"),
		erase: work("erase"),
	};
}
