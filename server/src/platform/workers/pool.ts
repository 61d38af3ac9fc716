/**
 * A small pool of worker threads for work that would stall the process. Threads start when needed
 * and stop when idle. A task that is aborted, runs out of time or brings its thread down fails
 * alone: the thread is replaced, the others and the queue go on.
 */
import { Worker } from "node:worker_threads";
import type { TaskAnswer, TaskReply, TaskRequest, Tasks } from "./serve.ts";

export interface WorkerPoolOptions {
	/** The threads' file; see workerUrl. */
	url: URL;
	/** Threads at most. */
	size: number;
	/** Milliseconds after which an idle thread stops. */
	idleMs?: number;
	/** Tasks that may wait; more are refused. */
	maxQueue?: number;
	/** Heap of each thread, in MB. */
	maxHeapMb?: number;
	/**
	 * Young generation of the heap, in MB. Work with many short-lived objects is collected less often
	 * with more.
	 */
	youngHeapMb?: number;
	/** What each thread is given at its start, as `workerData`. */
	data?: unknown;
}

export interface RunOptions {
	/** Memory that the thread takes over instead of a copy. */
	transfer?: ArrayBuffer[];
	signal?: AbortSignal;
	/** Milliseconds from the start of the task, not counting its time in the queue. */
	timeoutMs?: number;
}

type Input<Task> = Task extends (input: infer Given) => unknown ? Given : never;
type Output<Task> = Task extends (input: never) => infer Answer
	? Awaited<Answer> extends TaskAnswer<infer Value>
		? Value
		: never
	: never;

export interface WorkerPool<Served extends Tasks> {
	/**
	 * Runs a task on a thread. Rejects with what the task threw, the signal's reason, or
	 * WorkerPoolError.
	 */
	run<Name extends keyof Served & string>(
		task: Name,
		input: Input<Served[Name]>,
		options?: RunOptions,
	): Promise<Output<Served[Name]>>;
	/** Stops all threads; tasks that are not done are rejected. */
	close(): Promise<void>;
}

/**
 * A task that could not be done for a reason of the pool: `stopped` (its thread came down),
 * `timeout`, `full`, `closed`.
 */
export class WorkerPoolError extends Error {
	override readonly name = "WorkerPoolError";
	readonly code: "stopped" | "timeout" | "full" | "closed";
	constructor(code: WorkerPoolError["code"], message: string, options?: ErrorOptions) {
		super(message, options);
		this.code = code;
	}
}

interface Job {
	request: TaskRequest;
	options: RunOptions;
	resolve: (value: unknown) => void;
	reject: (reason: unknown) => void;
}

interface Thread {
	worker: Worker;
	job: Job | null;
	timer: NodeJS.Timeout | undefined;
}

const IDLE_MS = 30_000;
const MAX_QUEUE = 1000;

/** The error as it was thrown, with its code. */
function failure({ error, code }: { error: unknown; code?: string }): unknown {
	return error instanceof Error && code !== undefined ? Object.assign(error, { code }) : error;
}

export function createWorkerPool<Served extends Tasks>(config: WorkerPoolOptions): WorkerPool<Served> {
	const threads = new Set<Thread>();
	const queue: Job[] = [];
	const stopping = new Set<Promise<unknown>>();
	let closed = false;

	function start(): Thread {
		const { maxHeapMb, youngHeapMb } = config;
		const resourceLimits = {
			...(maxHeapMb === undefined ? {} : { maxOldGenerationSizeMb: maxHeapMb }),
			...(youngHeapMb === undefined ? {} : { maxYoungGenerationSizeMb: youngHeapMb }),
		};
		// Threads run compiled code, also in a process that resolves packages to their sources.
		const worker = new Worker(config.url, { resourceLimits, workerData: config.data, execArgv: [] });
		const thread: Thread = { worker, job: null, timer: undefined };
		threads.add(thread);
		worker.on("message", (reply: TaskReply) => {
			finish(thread, (job) => (reply.ok ? job.resolve(reply.value) : job.reject(failure(reply))));
		});
		worker.on("messageerror", (error) => stop(thread, error));
		worker.on("error", (error) =>
			stop(thread, new WorkerPoolError("stopped", "A worker thread came down", { cause: error })),
		);
		worker.on("exit", (code) =>
			stop(thread, new WorkerPoolError("stopped", `A worker thread stopped with code ${code}`)),
		);
		return thread;
	}

	/** Settles the thread's job and makes it free for the next. */
	function finish(thread: Thread, settle: (job: Job) => void): void {
		const { job } = thread;
		clearTimeout(thread.timer);
		thread.job = null;
		thread.worker.unref();
		thread.timer = setTimeout(() => stop(thread, null), config.idleMs ?? IDLE_MS);
		thread.timer.unref();
		if (job !== null) settle(job);
		pump();
	}

	/** Takes a thread out of service, its job with it. */
	function stop(thread: Thread, reason: unknown): void {
		if (!threads.delete(thread)) return;
		clearTimeout(thread.timer);
		const ended = thread.worker.terminate();
		stopping.add(ended);
		ended.finally(() => stopping.delete(ended));
		thread.job?.reject(reason);
		thread.job = null;
		pump();
	}

	function pump(): void {
		while (queue.length > 0 && !closed) {
			const free = [...threads].find((thread) => thread.job === null);
			if (free === undefined && threads.size >= config.size) return;
			const job = queue.shift();
			if (job !== undefined) begin(free ?? start(), job);
		}
	}

	function begin(thread: Thread, job: Job): void {
		clearTimeout(thread.timer);
		thread.job = job;
		thread.worker.ref();
		const { timeoutMs, transfer = [] } = job.options;
		if (timeoutMs !== undefined)
			thread.timer = setTimeout(
				() => stop(thread, new WorkerPoolError("timeout", `${job.request.task} took longer than ${timeoutMs} ms`)),
				timeoutMs,
			);
		try {
			thread.worker.postMessage(job.request, transfer);
		} catch (error) {
			finish(thread, () => job.reject(error));
		}
	}

	function abort(job: Job): void {
		const waiting = queue.indexOf(job);
		if (waiting >= 0) {
			queue.splice(waiting, 1);
			job.reject(job.options.signal?.reason);
		}
		for (const thread of threads) if (thread.job === job) stop(thread, job.options.signal?.reason);
	}

	return {
		run(task, input, options = {}) {
			return new Promise<never>((resolve, reject) => {
				if (closed) throw new WorkerPoolError("closed", "The worker pool is closed");
				options.signal?.throwIfAborted();
				if (queue.length >= (config.maxQueue ?? MAX_QUEUE))
					throw new WorkerPoolError("full", "Too many tasks wait for a worker thread");
				const onAbort = (): void => abort(job);
				const settled = (): void => options.signal?.removeEventListener("abort", onAbort);
				const job: Job = {
					request: { task, input },
					options,
					resolve: (value) => {
						settled();
						resolve(value as never);
					},
					reject: (reason) => {
						settled();
						reject(reason);
					},
				};
				options.signal?.addEventListener("abort", onAbort);
				queue.push(job);
				pump();
			});
		},
		async close() {
			closed = true;
			const reason = new WorkerPoolError("closed", "The worker pool is closed");
			for (const job of queue.splice(0)) job.reject(reason);
			for (const thread of [...threads]) stop(thread, reason);
			await Promise.all(stopping);
		},
	};
}
