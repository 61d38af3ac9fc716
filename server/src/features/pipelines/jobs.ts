/** Background work: executes queued runs, queues stranded runs again, and removes old results. */
import { LRUCache } from "lru-cache";
import { repeatWork } from "../../platform/repeating.ts";
import { runInShare } from "../../platform/work-share.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { JobQueue, Jobs } from "../../ports/jobs.ts";
import type { Log } from "../../ports/log.ts";
import type { PubSub } from "../../ports/pubsub.ts";
import type { RunRow } from "./repo.ts";
import { deleteOldResults } from "./repo-results.ts";
import {
	claimRun,
	claimStrandedRuns,
	clearInterruptedStages,
	failRun,
	type Hold,
	LeaseLost,
	type Progress,
	releaseRun,
	uncountAttempt,
} from "./repo-run.ts";
import { holdLease, LEASE_MS, PIPELINE_QUEUE, pipelineTopic, RENEW_MS } from "./service-lease.ts";
import type { LoadedFacts } from "./service-model.ts";
import { createRunner, type RunnerDeps } from "./service-run.ts";
import { emitEnd } from "./service-signals.ts";

/** Concurrent runs of one process. */
const CONCURRENCY = 8;
/** Attempts without progress between them, after which a run fails. */
const MAX_ATTEMPTS = 8;
const SWEEP_MS = 5_000;
const PURGE_MS = 3_600_000;
const BATCH = 200;
/** The store may be away for a minute before a lost lease counts as a death. */
const FORGET_TRIES = 20;
/** A run that is pending for longer is queued again, in case its queue task was lost. */
const WAITED_MS = 120_000;
const DAY_MS = 86_400_000;
/** Lifetime of a cached limit of rows. */
const ROW_LIMIT_MS = 5_000;
const GIVEN_UP =
	`The process that executed the run stopped ${MAX_ATTEMPTS} times without progress in between. ` +
	"Narrow the query with a filter, and start it again.";

export interface WorkerDeps extends RunnerDeps {
	readonly jobs: Pick<Jobs, "enqueue">;
	readonly clock: Clock;
	readonly ids: Pick<Ids, "uuid">;
	readonly pubsub: PubSub;
	readonly log: Log;
	/** Days after which the rows of a run are removed. */
	readonly resultDays: number;
	readonly loadedFacts: () => Promise<LoadedFacts>;
	/** The user's limit of rows per stage; null where only the service's limit applies. */
	rowLimit(userId: number): Promise<number | null>;
}

export function createWorker(deps: WorkerDeps) {
	const { store, jobs, clock, ids, log } = deps;
	/** A user may start hundreds of small runs at once. */
	const rowLimits = new LRUCache<number, number>({ max: 1_000, ttl: ROW_LIMIT_MS, perf: clock });

	async function getRows(userId: number): Promise<number> {
		const known = rowLimits.get(userId);
		if (known !== undefined) return known;
		const limit = Math.min(deps.limits.rows, (await deps.rowLimit(userId)) ?? deps.limits.rows);
		rowLimits.set(userId, limit);
		return limit;
	}

	/** Executes a run that no other worker holds. Idempotent, also for concurrent calls. */
	async function executeRun(data: unknown, stopping: AbortSignal): Promise<void> {
		const { jobId } = data as { jobId: string };
		const hold = { jobId, token: ids.uuid() };
		stopping.throwIfAborted();
		const now = clock.now();
		const job = await claimRun(store, hold, new Date(now), new Date(now + LEASE_MS));
		// Ended, or held by another worker; `requeueStrandedRuns` finds it should that worker die.
		if (job === undefined) return;

		if (job.attempts > MAX_ATTEMPTS) return giveUp(hold, job);

		const { progress: percent } = job;
		let progress = (): Progress => ({ percent, pages: 0 });
		const lease = await holdLease(deps, hold, () => progress());
		// The renewals of a first attempt suffice. Another one stores its first progress at once,
		// however soon its process may end.
		let isStored = job.attempts === 1;
		const onPage = (): void => {
			if (isStored || progress().pages <= job.best_progress) return;
			isStored = true;
			void lease.renew();
		};
		try {
			// A run without frames has nothing of an earlier worker to be removed.
			if (job.last_frame > 0) await store.transaction((tx) => clearInterruptedStages(tx, hold));
			const rows = await getRows(job.owner_id);
			const { facts } = await deps.loadedFacts();
			const runner = createRunner({ ...deps, onPage, limits: { ...deps.limits, rows } }, job, hold, facts);
			progress = runner.progress;
			const signal = AbortSignal.any([stopping, lease.signal]);
			await runInShare({ userId: job.owner_id, lane: "recording" }, () => runner.run(signal));
		} catch (error) {
			if (lease.signal.aborted || error instanceof LeaseLost) return forgetAttempt(hold, stopping);
			log[stopping.aborted ? "info" : "error"]({ err: error, job: jobId }, "a run was interrupted and will be resumed");
			await releaseRun(store.db, hold, new Date(clock.now()), !stopping.aborted);
			throw error;
		} finally {
			await lease.stop();
		}
	}

	/** Also where the store cannot be reached, which is why most leases are lost. */
	async function forgetAttempt(hold: Hold, stopping: AbortSignal): Promise<void> {
		for (let left = FORGET_TRIES; ; left--) {
			try {
				return await uncountAttempt(store.db, hold);
			} catch (error) {
				if (left === 0) throw error;
				log.warn({ err: error, job: hold.jobId }, "a lost lease could not be stored yet");
				await clock.sleep(RENEW_MS, stopping);
			}
		}
	}

	async function giveUp(hold: Hold, job: RunRow): Promise<void> {
		await store.transaction(async (tx) => {
			await failRun(tx, hold, new Date(clock.now()), GIVEN_UP);
			await emitEnd(deps.events, tx, job);
			tx.afterCommit(() => deps.pubsub.publish(pipelineTopic(hold.jobId), ""));
		});
	}

	/** Queues stranded runs again; several processes may do so concurrently. */
	async function requeueStrandedRuns(): Promise<number> {
		return store.transaction(async (tx) => {
			const now = clock.now();
			const stranded = await claimStrandedRuns(tx, new Date(now), new Date(now - WAITED_MS), BATCH);
			for (const jobId of stranded) await jobs.enqueue(tx, PIPELINE_QUEUE, { jobId });
			return stranded.length;
		});
	}

	async function purgeResults(): Promise<void> {
		const now = clock.now();
		const before = new Date(now - deps.resultDays * DAY_MS);
		for (let purged = BATCH; purged === BATCH; ) {
			purged = await store.transaction((tx) => deleteOldResults(tx, before, new Date(now), BATCH));
		}
	}

	return {
		queue: { name: PIPELINE_QUEUE, concurrency: CONCURRENCY, handler: executeRun } satisfies JobQueue,
		/** Starts the timers of a process that takes queue tasks. */
		start: () =>
			repeatWork(deps, [
				{ everyMs: SWEEP_MS, failure: "stranded runs could not be found", work: requeueStrandedRuns },
				{ everyMs: PURGE_MS, failure: "old results could not be removed", work: purgeResults },
			]),
	};
}
export type Worker = ReturnType<typeof createWorker>;
