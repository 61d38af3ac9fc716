/** Background jobs: at least once, so each handler is idempotent and fenced. */
import type { Tx } from "./store.ts";

export interface JobQueue {
	readonly name: string;
	/** Jobs of this queue that one process runs at the same time. */
	readonly concurrency: number;
	/** Seconds without a sign of life after which another process takes the job over. */
	readonly heartbeatSeconds?: number;
	/** Tries after the first one. */
	readonly retries?: number;
	readonly handler: (data: unknown, signal: AbortSignal) => Promise<void>;
}

export interface Jobs {
	/** Puts a job into the queue in the transaction of the change it belongs to. */
	enqueue(tx: Tx, queue: string, data: object, options?: { runAfter?: Date; key?: string }): Promise<void>;
	/** Puts many jobs into a queue, in one statement. */
	enqueueAll(tx: Tx, queue: string, data: readonly object[]): Promise<void>;
	/** Makes these queues known, so that jobs can be put into them; for processes that run none. */
	declare(queues: readonly JobQueue[]): Promise<void>;
	/** Starts taking jobs of these queues. */
	work(queues: readonly JobQueue[]): Promise<void>;
	/** Waiting and active tasks of each queue over all processes, some seconds old. */
	stats(): Promise<readonly { readonly queue: string; readonly waiting: number; readonly active: number }[]>;
	/** Takes no new job, and waits up to `graceMs` for those that run. */
	stop(graceMs: number): Promise<void>;
}
