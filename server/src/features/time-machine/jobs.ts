/**
 * Queue tasks: the daily cleanup, the background check of stored snapshots, of which every node
 * checks whether they are due, and the lookup of who changed what a capture shows.
 */
import * as z from "zod";
import { repeatWork } from "../../platform/repeating.ts";
import type { Clock } from "../../ports/clock.ts";
import type { JobQueue, Jobs } from "../../ports/jobs.ts";
import type { Log } from "../../ports/log.ts";
import type { Store } from "../../ports/store.ts";
import { latestCleanup } from "./domain/retention.ts";
import { advanceTimer, createTimer } from "./repo-cleanup.ts";
import { ATTRIBUTE, type AttributionService } from "./service-attribution.ts";

const CLEANUP = "time_machine.cleanup";
const VERIFY = "time_machine.verify";
const TICK_MS = 60_000;
const VERIFY_MS = 10 * 60_000;

export interface TimeMachineJobDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly jobs: Pick<Jobs, "enqueue">;
	readonly log: Log;
	purgeAll(signal: AbortSignal): Promise<void>;
	verifyNext(signal: AbortSignal): Promise<void>;
	readonly lookUpDrift: AttributionService["lookUpDrift"];
}

/** Lookups that one process makes at the same time. */
const LOOKUPS = 2;
const attributeTask = z.object({ snapshotId: z.string(), requests: z.number() });

export function createTimeMachineJobs(deps: TimeMachineJobDeps) {
	const { store, clock, jobs } = deps;
	/**
	 * A check whether a timer is due. Of all nodes, the one that advances the timer enqueues the
	 * task.
	 */
	function createDueCheck(name: string, queue: string, latestDue: (now: number) => Date): () => Promise<void> {
		/** The last due time that this process has handled: it asks the store once per due time. */
		let handled = 0;
		return async () => {
			const due = latestDue(clock.now());
			if (due.getTime() <= handled) return;
			await createTimer(store.db, name, due);
			await store.transaction(async (tx) => {
				if (await advanceTimer(tx, name, due)) await jobs.enqueue(tx, queue, {});
			});
			handled = due.getTime();
		};
	}
	const checks = [
		createDueCheck("cleanup", CLEANUP, latestCleanup),
		createDueCheck("verify_some", VERIFY, (now) => new Date(now - (now % VERIFY_MS))),
	];
	const queues: JobQueue[] = [
		{
			name: ATTRIBUTE,
			concurrency: LOOKUPS,
			handler(data, signal) {
				const { snapshotId, requests } = attributeTask.parse(data);
				return deps.lookUpDrift(snapshotId, requests, signal);
			},
		},
		{ name: CLEANUP, concurrency: 1, handler: (_, signal) => deps.purgeAll(signal) },
		{ name: VERIFY, concurrency: 1, retries: 0, handler: (_, signal) => deps.verifyNext(signal) },
	];
	return {
		queues,
		start: () =>
			repeatWork(
				deps,
				checks.map((work) => ({ everyMs: TICK_MS, failure: "reading the Time Machine's timers failed", work })),
			),
	};
}
