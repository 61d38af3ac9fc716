/** The thread's side of a worker pool: answers one task after another. */
import type { MessagePort } from "node:worker_threads";

/** What a task gives back; the memory in `transfer` changes hands instead of being copied. */
export interface TaskAnswer<Value> {
	value: Value;
	transfer?: ArrayBuffer[];
}

/**
 * A pool's tasks by name. Input and output must survive structured cloning. A thread does one at a
 * time, also where one waits for something.
 */
export type Tasks = Record<string, (input: never) => TaskAnswer<unknown> | Promise<TaskAnswer<unknown>>>;

export interface TaskRequest {
	task: string;
	input: unknown;
}

/** `code` is the error's: cloning leaves everything but name, message and stack behind. */
export type TaskReply = { ok: true; value: unknown } | { ok: false; error: unknown; code?: string };

/** The first message of a thread: it has loaded its file, and serves tasks. */
export const READY = "ready";

/** Serves tasks on a thread's port (`parentPort`). */
export function serveTasks(port: MessagePort | null, tasks: Tasks): void {
	if (port === null) throw new Error("Not a worker thread");
	port.on("message", async ({ task, input }: TaskRequest) => {
		let reply: TaskReply;
		let transfer: ArrayBuffer[] = [];
		try {
			type Run = (input: unknown) => TaskAnswer<unknown> | Promise<TaskAnswer<unknown>>;
			const run = Object.hasOwn(tasks, task) ? (tasks[task] as Run) : undefined;
			if (run === undefined) throw new Error(`Unknown task ${task}`);
			const answer = await run(input);
			reply = { ok: true, value: answer.value };
			transfer = answer.transfer ?? [];
		} catch (error) {
			const { code } = (error ?? {}) as { code?: unknown };
			reply = typeof code === "string" ? { ok: false, error, code } : { ok: false, error };
		}
		try {
			port.postMessage(reply, transfer);
		} catch (error) {
			port.postMessage({ ok: false, error: new Error(`The answer of ${task} cannot be sent: ${error}`) });
		}
	});
	port.postMessage(READY);
}

/**
 * Bytes whose memory can change hands, and that memory. Views of less than half of their memory are
 * copied first: cloning would copy all of it, and small buffers share theirs with others.
 */
export function makeDetachable(bytes: Uint8Array): { bytes: Uint8Array<ArrayBuffer>; memory: ArrayBuffer } {
	const { buffer, byteOffset, byteLength } = bytes;
	const keep = buffer instanceof ArrayBuffer && byteLength * 2 >= buffer.byteLength && byteLength > 0;
	const view = keep ? new Uint8Array(buffer, byteOffset, byteLength) : new Uint8Array(bytes);
	return { bytes: view, memory: view.buffer };
}
