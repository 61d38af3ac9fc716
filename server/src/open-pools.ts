/** The pools of worker threads. Threads start when there is work and stop when idle. */
import { availableParallelism } from "node:os";
import type pg from "pg";
import { type AutomationPool, automationWorkerUrl } from "./areas/automation/index.ts";
import { type CheckPool, checksWorkerUrl } from "./areas/checks/index.ts";
import { type QueryFilePool, queryFilesWorkerUrl } from "./areas/files/index.ts";
import { type TimeMachinePool, type TimeMachineThread, timeMachineWorkerUrl } from "./areas/history/index.ts";
import { type ModelPools, modelWorkerUrl } from "./areas/model/index.ts";
import { getPipelineWorkerUrl, type PipelinePool } from "./areas/runs/pipelines/workers/work.ts";
import { getJudgeWorkerUrl, type JudgePool } from "./areas/windows/workers/work.ts";
import { getWorkShare, runInShare } from "./core/work-share.ts";
import { createSharedPool, createWorkerPool, type SharedPoolOptions } from "./core/workers/pool.ts";
import { type ControllerPool, getControllerWorkerUrl } from "./integrations/apic/workers/work.ts";
import type { Closer } from "./start-store.ts";

/** The index of two million rows, in the making, fits. */
const WORKER_HEAP_MB = 2048;

/** Threads of a pool that record the results of runs. One core is left to requests. */
const RECORDING_THREADS = Math.min(2, Math.max(1, availableParallelism() - 1));

/** Time of a pool's threads that the requests of one user may take in any minute. */
const USER_MS_PER_MINUTE = 30_000;

/** Threads of a pool that users share. */
export type SharedThreads = Pick<SharedPoolOptions, "size" | "recordingSize" | "userMsPerMinute">;

/**
 * Sizes of a pool that users share. Requests have at least two threads, one of which is left to
 * others than the user whose tasks are running.
 */
const createSharedThreads = (recordingSize: number): SharedThreads => ({
	size: Math.max(2, recordingSize),
	recordingSize,
	userMsPerMinute: USER_MS_PER_MINUTE,
});

/**
 * Threads start when there is work and stop when idle. Background work has a thread of its own with
 * the lowest priority.
 */
export function openTimeMachinePool(
	connection: pg.ClientConfig,
	threads = createSharedThreads(Math.min(4, Math.max(1, availableParallelism() - 1))),
): TimeMachinePool {
	const options = (background: boolean) => ({
		url: timeMachineWorkerUrl(),
		data: { connection, background } satisfies TimeMachineThread,
		maxHeapMb: WORKER_HEAP_MB,
	});
	const shared: TimeMachinePool = createSharedPool({
		...options(false),
		...threads,
	});
	const background: TimeMachinePool = createWorkerPool({ ...options(true), size: 1 });
	return {
		run(task, input, options) {
			const run = () => (task === "verify" ? background : shared).run(task, input, options);
			// Snapshots that clients capture are recorded like those of runs.
			return task === "capture" ? runInShare({ ...getWorkShare(), lane: "recording" }, run) : run();
		},
		async close() {
			await Promise.all([shared.close(), background.close()]);
		},
	};
}

/**
 * One thread reads the documents of an import and builds the image, and one unpacks them for it:
 * more that read would each have to be compiled for, and where cores are few they would have to be
 * waited for by all others.
 */
export function openModelPools(comparing = createSharedThreads(1)): ModelPools {
	const threads = { url: modelWorkerUrl(), size: 1, idleMs: 5_000, maxHeapMb: WORKER_HEAP_MB, youngHeapMb: 64 };
	return {
		unpacking: createWorkerPool(threads),
		importing: createWorkerPool(threads),
		comparing: createSharedPool({ ...threads, ...comparing }),
	};
}

/** Checks of rows; the same holds for its threads. */
export function openAutomationPool(threads = createSharedThreads(RECORDING_THREADS)): AutomationPool {
	return createSharedPool({
		url: automationWorkerUrl(),
		...threads,
		maxHeapMb: WORKER_HEAP_MB,
	});
}

/** Opens the pools of worker threads. Threads start when there is work. */
export const openPools = (connection: pg.ClientConfig) => ({
	timeMachinePool: openTimeMachinePool(connection),
	modelPools: openModelPools(),
	automationPool: openAutomationPool(),
	pipelinePool: openPipelinePool(),
	queryFilePool: openQueryFilePool(),
	checkPool: openCheckPool(),
	judgePool: openJudgePool(),
	controllerPool: openControllerPool(),
});

/** Closes all pools but that of the controllers, which is closed before their driver. */
export const listPoolClosers = (pools: ReturnType<typeof openPools>): Closer[] => [
	() => pools.timeMachinePool.close(),
	() => pools.modelPools.unpacking.close(),
	() => pools.modelPools.importing.close(),
	() => pools.modelPools.comparing.close(),
	() => pools.automationPool.close(),
	() => pools.pipelinePool.close(),
	() => pools.queryFilePool.close(),
	() => pools.checkPool.close(),
	() => pools.judgePool.close(),
];

/** Large answers that are passed through. */
export const openControllerPool = (threads = createSharedThreads(1)): ControllerPool =>
	createSharedPool({ url: getControllerWorkerUrl(), ...threads, maxHeapMb: WORKER_HEAP_MB });

/** Post-processors; the same holds for their threads. */
export function openPipelinePool(threads = createSharedThreads(RECORDING_THREADS)): PipelinePool {
	return createSharedPool({
		url: getPipelineWorkerUrl(),
		...threads,
		maxHeapMb: WORKER_HEAP_MB,
	});
}

/** Checks; the same holds for their threads. */
export function openCheckPool(threads = createSharedThreads(RECORDING_THREADS)): CheckPool {
	return createSharedPool({
		url: checksWorkerUrl(),
		...threads,
		maxHeapMb: WORKER_HEAP_MB,
	});
}

/** Change windows; the same holds for their threads. */
export function openJudgePool(threads = createSharedThreads(RECORDING_THREADS)): JudgePool {
	return createSharedPool({
		url: getJudgeWorkerUrl(),
		...threads,
		maxHeapMb: WORKER_HEAP_MB,
	});
}

/** Files of queries; the same holds for their threads. */
export function openQueryFilePool(threads = createSharedThreads(RECORDING_THREADS)): QueryFilePool {
	return createSharedPool({
		url: queryFilesWorkerUrl(),
		...threads,
		maxHeapMb: WORKER_HEAP_MB,
	});
}
