/** The Time Machine: stores results of controller queries as snapshots and compares any two. */
import { LRUCache } from "lru-cache";
import type { Context } from "../../context.ts";
import type { BoundRoute } from "../../core/http/binder.ts";
import type { KeyedMutex } from "../../core/keyed-mutex.ts";
import { createKeyedMutex } from "../../core/keyed-mutex.ts";
import type { JobQueue } from "../../core/ports/jobs.ts";
import type { Store } from "../../core/ports/store.ts";
import type { Repeating } from "../../core/repeating.ts";
import { listTimeMachineQueues, startTimeMachineTimers } from "./jobs.ts";
import { createRoutes } from "./routes.ts";
import { type Checked, verifyAll } from "./verify-snapshots.ts";
import type { Differences } from "./workers/differences.ts";
import { createTimeMachineTasks } from "./workers/tasks.ts";
import { createTimeMachineWork, type TimeMachineWork } from "./workers/work.ts";

export type { BaselineFound } from "./baselines.ts";
export type { SnapshotOutcome } from "./snapshot-outcome.ts";
export type { BaselineRow } from "./sql/baselines.ts";
export type { RunDrift } from "./workers/drift.ts";
export {
	getTimeMachineWorkerUrl as timeMachineWorkerUrl,
	type TimeMachinePool,
	type TimeMachineThread,
} from "./workers/work.ts";

export interface History {
	readonly routes: BoundRoute[];
	/** Captures and deletions of a history run one after another. */
	readonly historyMutex: KeyedMutex;
	/** Worker threads for large snapshots. */
	readonly threads: TimeMachineWork;
	/** Differences of snapshots that this process has just stored, by the later snapshot's id. */
	readonly recentDifferences: LRUCache<string, Differences>;
	readonly queues: JobQueue[];
	/** Starts to check whether the daily cleanup and the background check are due. */
	work(): Repeating;
}

/** Upper bound of the bytes of differences that the feed and the index have not read. */
const RECENT_BYTES = 16 * 1024 * 1024;

export function createHistory(ctx: Context): History {
	return {
		historyMutex: createKeyedMutex(),
		threads: createTimeMachineWork({ tasks: createTimeMachineTasks(ctx.store.db), pool: ctx.timeMachinePool }),
		recentDifferences: new LRUCache({ maxSize: RECENT_BYTES, sizeCalculation: ({ bytes }) => bytes + 1 }),
		routes: createRoutes(ctx),
		queues: listTimeMachineQueues(ctx),
		work: () => startTimeMachineTimers(ctx),
	};
}

/** Checks all snapshots of a store, for the admin command. */
export function verifySnapshots(store: Pick<Store, "db">): AsyncGenerator<Checked, void> {
	return verifyAll({ store, tasks: createTimeMachineTasks(store.db) });
}
