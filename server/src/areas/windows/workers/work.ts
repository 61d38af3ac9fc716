/** The threads that judge change windows. */
import type { WorkerPool } from "../../../core/workers/pool.ts";
import { getWorkerUrl } from "../../../core/workers/worker-url.ts";
import type { JudgeTasks } from "./tasks.ts";

/** Time for the judgement of one connection. */
export const JUDGE_MS = 120_000;

export type JudgePool = WorkerPool<JudgeTasks>;

/** Returns the address of the thread's file, for the pool. */
export const getJudgeWorkerUrl = (): URL => getWorkerUrl(import.meta.url, "./judge-worker.ts");
