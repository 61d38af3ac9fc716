/**
 * A small pool of worker threads for work that would stall the process. Threads start when needed
 * and stop when idle. A task that is aborted, runs out of time or brings its thread down fails
 * alone: the thread is replaced, the others and the queue go on. Users share the threads fairly
 * (`fair-queue.ts`, `getWorkShare`).
 */
import { Worker } from "node:worker_threads";
import { buildTooManyError } from "../errors.ts";
import { getWorkShare } from "../work-share.ts";
import type { FairQueue } from "./fair-queue.ts";
import { createFairQueue } from "./fair-queue.ts";
import { READY, type TaskAnswer, type TaskReply, type TaskRequest, type Tasks } from "./serve.ts";
import type { TimeBudget } from "./time-budget.ts";
import { createTimeBudget } from "./time-budget.ts";

export interface WorkerPoolOptions {
	/** The threads' file; see workerUrl. */
	url: URL;
	/** Threads at most. */
	size: number;
	/** Milliseconds after which an idle thread stops. */
	idleMs?: number;
	/** Tasks that may wait; more are refused. */
	maxQueue?: number;
	/** Tasks of one user that may wait; more are refused. */
	maxQueuePerUser?: number;
	/** Tasks of one user that may run at the same time; as many as there are threads if absent. */
	perUser?: number;
	/**
	 * Milliseconds of threads after which no task of a user begins within a minute; unbounded if
	 * absent. A task that has begun may take longer.
	 */
	userMsPerMinute?: number;
	/** Milliseconds of a clock that does not go back. */
	now?: () => number;
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
	/** Upper bound of the task in milliseconds, without its wait and the start of its thread. */
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
	 * Runs a task on a thread, in the share of the current request or job. Rejects with what the task
	 * threw, the signal's reason, WorkerPoolError, or AppError 429 for a user without time.
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
	userId: number | null;
	request: TaskRequest;
	options: RunOptions;
	resolve: (value: unknown) => void;
	reject: (reason: unknown) => void;
}

interface Thread {
	worker: Worker;
	/** Whether the thread has loaded its file. */
	isReady: boolean;
	job: Job | null;
	/** The start of the job; null until the thread is ready. */
	startedAt: number | null;
	timer: NodeJS.Timeout | undefined;
}

const IDLE_MS = 30_000;
const MAX_QUEUE = 1000;
const MAX_QUEUE_PER_USER = 200;

/** The error as it was thrown, with its code. */
function restoreError({ error, code }: { error: unknown; code?: string }): unknown {
	return error instanceof Error && code !== undefined ? Object.assign(error, { code }) : error;
}

/** The threads of a pool, and the jobs that wait for one. */
interface PoolState {
	readonly config: WorkerPoolOptions;
	readonly threads: Set<Thread>;
	readonly queue: FairQueue<Job>;
	readonly now: () => number;
	readonly budget: TimeBudget;
	readonly stopping: Set<Promise<unknown>>;
	closed: boolean;
}

function startThread(pool: PoolState): Thread {
	const { maxHeapMb, youngHeapMb } = pool.config;
	const resourceLimits = {
		...(maxHeapMb === undefined ? {} : { maxOldGenerationSizeMb: maxHeapMb }),
		...(youngHeapMb === undefined ? {} : { maxYoungGenerationSizeMb: youngHeapMb }),
	};
	// Threads run compiled code, also in a process that resolves packages to their sources.
	const worker = new Worker(pool.config.url, { resourceLimits, workerData: pool.config.data, execArgv: [] });
	const thread: Thread = { worker, isReady: false, job: null, startedAt: null, timer: undefined };
	pool.threads.add(thread);
	worker.on("message", (reply: TaskReply | typeof READY) => {
		if (reply === READY) {
			thread.isReady = true;
			startClock(pool, thread);
			return;
		}
		finishJob(pool, thread, (job) => (reply.ok ? job.resolve(reply.value) : job.reject(restoreError(reply))));
	});
	worker.on("messageerror", (error) => stopThread(pool, thread, error));
	worker.on("error", (error) =>
		stopThread(pool, thread, new WorkerPoolError("stopped", "A worker thread came down", { cause: error })),
	);
	worker.on("exit", (code) =>
		stopThread(pool, thread, new WorkerPoolError("stopped", `A worker thread stopped with code ${code}`)),
	);
	return thread;
}

/** Takes the job off the thread, and notes the time that it took. */
function detachJob(pool: PoolState, thread: Thread): Job | null {
	const { job } = thread;
	clearTimeout(thread.timer);
	thread.job = null;
	if (job === null) return null;
	pool.queue.release(job);
	if (job.userId !== null && thread.startedAt !== null) pool.budget.add(job.userId, pool.now() - thread.startedAt);
	return job;
}

/** Settles the thread's job and makes it free for the next. */
function finishJob(pool: PoolState, thread: Thread, settle: (job: Job) => void): void {
	const job = detachJob(pool, thread);
	thread.worker.unref();
	thread.timer = setTimeout(() => stopThread(pool, thread, null), pool.config.idleMs ?? IDLE_MS);
	thread.timer.unref();
	if (job !== null) settle(job);
	startQueuedJobs(pool);
}

/** Takes a thread out of service, its job with it. */
function stopThread(pool: PoolState, thread: Thread, reason: unknown): void {
	if (!pool.threads.delete(thread)) return;
	const job = detachJob(pool, thread);
	const ended = thread.worker.terminate();
	pool.stopping.add(ended);
	ended.finally(() => pool.stopping.delete(ended));
	job?.reject(reason);
	startQueuedJobs(pool);
}

function startQueuedJobs(pool: PoolState): void {
	while (pool.queue.size > 0 && !pool.closed) {
		const free = [...pool.threads].find((thread) => thread.job === null);
		if (free === undefined && pool.threads.size >= pool.config.size) return;
		const job = pool.queue.take();
		if (job === undefined) return;
		if (computeTimeLeft(pool, job) > 0) startJob(pool, free ?? startThread(pool), job);
		else {
			pool.queue.release(job);
			job.reject(buildOutOfTimeError(pool, job));
		}
	}
}

const computeTimeLeft = (pool: PoolState, { userId }: Job): number =>
	userId === null ? Number.POSITIVE_INFINITY : pool.budget.remaining(userId);

function buildOutOfTimeError(pool: PoolState, { userId }: Job): unknown {
	const seconds = (pool.config.userMsPerMinute ?? 0) / 1000;
	const waitMs = userId === null ? 0 : pool.budget.waitMs(userId);
	return buildTooManyError(
		waitMs / 1000,
		`Your requests took ${seconds} s of computing time within a minute, which is the limit.`,
	);
}

function startJob(pool: PoolState, thread: Thread, job: Job): void {
	clearTimeout(thread.timer);
	thread.job = job;
	thread.startedAt = null;
	thread.worker.ref();
	startClock(pool, thread);
	try {
		thread.worker.postMessage(job.request, job.options.transfer ?? []);
	} catch (error) {
		finishJob(pool, thread, () => job.reject(error));
	}
}

/** Starts the clock of the thread's job. Does nothing until the thread is ready. */
function startClock(pool: PoolState, thread: Thread): void {
	const { job } = thread;
	if (job === null || !thread.isReady) return;
	thread.startedAt = pool.now();
	const { timeoutMs } = job.options;
	if (timeoutMs === undefined) return;
	const error = new WorkerPoolError("timeout", `${job.request.task} took longer than ${timeoutMs} ms`);
	thread.timer = setTimeout(() => stopThread(pool, thread, error), timeoutMs);
}

function abortJob(pool: PoolState, job: Job): void {
	if (pool.queue.remove(job)) job.reject(job.options.signal?.reason);
	for (const thread of pool.threads) if (thread.job === job) stopThread(pool, thread, job.options.signal?.reason);
}

async function closePool(pool: PoolState): Promise<void> {
	pool.closed = true;
	const reason = new WorkerPoolError("closed", "The worker pool is closed");
	for (const job of pool.queue.clear()) job.reject(reason);
	for (const thread of [...pool.threads]) stopThread(pool, thread, reason);
	await Promise.all(pool.stopping);
}

export function createWorkerPool<Served extends Tasks>(config: WorkerPoolOptions): WorkerPool<Served> {
	const queue = createFairQueue<Job>(config.perUser ?? config.size);
	const now = config.now ?? (() => performance.now());
	const pool: PoolState = {
		config,
		threads: new Set(),
		queue,
		now,
		budget: createTimeBudget(config.userMsPerMinute ?? Number.POSITIVE_INFINITY, now),
		stopping: new Set(),
		closed: false,
	};

	return {
		run(task, input, options = {}) {
			return new Promise<never>((resolve, reject) => {
				if (pool.closed) throw new WorkerPoolError("closed", "The worker pool is closed");
				options.signal?.throwIfAborted();
				const { userId } = getWorkShare();
				const isFullForUser =
					userId !== null && queue.getSize(userId) >= (config.maxQueuePerUser ?? MAX_QUEUE_PER_USER);
				if (isFullForUser || queue.size >= (config.maxQueue ?? MAX_QUEUE))
					throw new WorkerPoolError("full", "Too many tasks wait for a worker thread");
				const onAbort = (): void => abortJob(pool, job);
				const settled = (): void => options.signal?.removeEventListener("abort", onAbort);
				const job: Job = {
					userId,
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
				startQueuedJobs(pool);
			});
		},
		close: () => closePool(pool),
	};
}

export interface SharedPoolOptions extends WorkerPoolOptions {
	/** Threads for recording; `size` is that of the threads for requests. */
	recordingSize: number;
}

/**
 * A pool with threads for requests and others for recording, so that neither waits for the other.
 * Requests of one user leave a thread to those of others, and have a time per minute.
 */
export function createSharedPool<Served extends Tasks>({
	perUser,
	userMsPerMinute,
	...config
}: SharedPoolOptions): WorkerPool<Served> {
	const lanes = {
		interactive: createWorkerPool<Served>({
			...config,
			perUser: perUser ?? Math.max(1, config.size - 1),
			...(userMsPerMinute === undefined ? {} : { userMsPerMinute }),
		}),
		recording: createWorkerPool<Served>({ ...config, size: config.recordingSize }),
	};
	return {
		run: (task, input, options) => lanes[getWorkShare().lane].run(task, input, options),
		async close() {
			await Promise.all([lanes.interactive.close(), lanes.recording.close()]);
		},
	};
}
