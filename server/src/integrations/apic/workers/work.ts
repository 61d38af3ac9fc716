/** Inspects large answers on a thread: parsing one of 60 MB takes more than a second. */
import type { WorkerPool } from "../../../core/workers/pool.ts";
import { makeDetachable } from "../../../core/workers/serve.ts";
import { getWorkerUrl } from "../../../core/workers/worker-url.ts";
import { type Inspect, inspectAnswer } from "../inspect.ts";
import type { ControllerTasks } from "./tasks.ts";

export type ControllerPool = WorkerPool<ControllerTasks>;

/** Smaller answers take about as long here as the way to a thread and back. */
const INLINE_BYTES = 256 * 1024;
const TIMEOUT_MS = 60_000;

/** The thread's file, for the pool. */
export const getControllerWorkerUrl = (): URL => getWorkerUrl(import.meta.url, "./controller-worker.ts");

/** The given bytes change hands: only the answer's may be used afterwards. */
export const createInspect =
	(pool: Pick<ControllerPool, "run">): Inspect =>
	async (body) => {
		if (body.length <= INLINE_BYTES) return inspectAnswer(body);
		const { bytes, memory } = makeDetachable(body);
		const found = await pool.run("inspect", bytes, { transfer: [memory], timeoutMs: TIMEOUT_MS });
		if (found === null) return null;
		const { buffer, byteOffset, byteLength } = found.body;
		return { ...found, body: Buffer.from(buffer, byteOffset, byteLength) };
	};
