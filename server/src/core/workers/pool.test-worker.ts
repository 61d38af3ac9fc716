/** A thread for the pool's tests. */
import { parentPort, threadId, workerData } from "node:worker_threads";
import { makeDetachable, serveTasks } from "./serve.ts";

export const testTasks = {
	double: (input: number) => ({ value: input * 2 }),
	thread: (_: null) => ({ value: threadId }),
	fail: (message: string): { value: never } => {
		throw new RangeError(message);
	},
	exhaust: (_: null): { value: number } => {
		const kept: number[][] = [];
		for (;;) kept.push(Array.from({ length: 100_000 }, (_, index) => index + kept.length));
	},
	exit: (code: number): { value: never } => process.exit(code),
	hang: (_: null): { value: null } => {
		Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
		return { value: null };
	},
	reverse: (input: Uint8Array) => {
		const { bytes, memory } = makeDetachable(input.reverse());
		return { value: bytes, transfer: [memory] };
	},
	data: (_: null) => ({ value: workerData as unknown }),
	later: async (input: number) => {
		await new Promise((resolve) => setImmediate(resolve));
		if (input < 0) throw Object.assign(new Error("below zero"), { code: "E_BELOW" });
		return { value: input };
	},
	unclonable: (_: null) => ({ value: () => 1 }),
};

const { slowStartMs = 0 } = (workerData ?? {}) as { slowStartMs?: number };
if (slowStartMs > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, slowStartMs);
if (parentPort !== null) serveTasks(parentPort, testTasks);
