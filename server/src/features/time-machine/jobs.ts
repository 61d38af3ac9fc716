/** Background jobs: the daily cleanup, and the slow check of what is stored. Every node looks whether they are due. */
import type { Clock } from "../../ports/clock.ts";
import type { JobQueue, Jobs } from "../../ports/jobs.ts";
import type { Log } from "../../ports/log.ts";
import type { Store } from "../../ports/store.ts";
import { latestCleanup } from "./domain/retention.ts";
import type { CleanupRepo } from "./repo-cleanup.ts";

const CLEANUP = "time_machine.cleanup";
const VERIFY = "time_machine.verify";
const LOOK_MS = 60_000;
const VERIFY_MS = 10 * 60_000;

export interface TimeMachineJobDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly jobs: Pick<Jobs, "enqueue">;
	readonly log: Log;
	readonly cleanup: Pick<CleanupRepo, "startTimer" | "moveTimer">;
	purgeAll(signal: AbortSignal): Promise<void>;
	verifySome(signal: AbortSignal): Promise<void>;
}

export function createTimeMachineJobs(deps: TimeMachineJobDeps) {
	const { store, clock, jobs, log, cleanup } = deps;
	/** Looks whether something is due; of all nodes the one that moves its timer on enqueues the job. */
	function looking(name: string, queue: string, latestDue: (now: number) => Date): () => Promise<void> {
		/** What this process has seen to, so that it asks the store once for each time. */
		let settled = 0;
		let busy = false;
		return async () => {
			const due = latestDue(clock.now());
			if (busy || due.getTime() <= settled) return;
			busy = true;
			try {
				await cleanup.startTimer(store.db, name, due);
				await store.transaction(async (tx) => {
					if (await cleanup.moveTimer(tx, name, due)) await jobs.enqueue(tx, queue, {});
				});
				settled = due.getTime();
			} finally {
				busy = false;
			}
		};
	}
	const look = [
		looking("cleanup", CLEANUP, latestCleanup),
		looking("verify_some", VERIFY, (now) => new Date(now - (now % VERIFY_MS))),
	];
	async function tick(): Promise<void> {
		for (const one of look)
			await one().catch((error: unknown) => log.warn({ err: error }, "the Time Machine's timers could not be read"));
	}
	const queues: JobQueue[] = [
		{ name: CLEANUP, concurrency: 1, handler: (_, signal) => deps.purgeAll(signal) },
		{ name: VERIFY, concurrency: 1, retries: 0, handler: (_, signal) => deps.verifySome(signal) },
	];
	return {
		queues,
		start(): { stop(): void } {
			void tick();
			return clock.every(LOOK_MS, () => void tick());
		},
	};
}
