/**
 * Loaded into the processes of the fault tests and into their threads: at SIGUSR2 collects garbage in all of them and says on standard error how many
 * bytes are alive in the process's own thread. One that is busy meanwhile is not waited for.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { BroadcastChannel, isMainThread } from "node:worker_threads";

const THREADS_MS = 1_000;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");
const threads = new BroadcastChannel("collect");
threads.unref();
if (isMainThread) {
	process.on("SIGUSR2", () => {
		threads.postMessage("now");
		collect();
		const { heapUsed, external } = process.memoryUsage();
		setTimeout(() => process.stderr.write(`alive ${heapUsed + external}\n`), THREADS_MS);
	});
} else threads.onmessage = () => collect();
