/** Background work: taking runs from the queue, picking up those that were stranded, and removing old results. */
import { LRUCache } from "lru-cache";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { JobQueue, Jobs } from "../../ports/jobs.ts";
import type { Log } from "../../ports/log.ts";
import type { PubSub } from "../../ports/pubsub.ts";
import { tellEnd } from "./ended.ts";
import { holdLease, LEASE_MS, PIPELINE_QUEUE, pipelineTopic } from "./lease.ts";
import type { LoadedFacts } from "./model.ts";
import type { JobRow } from "./repo.ts";
import { type Hold, LeaseLost } from "./repo-run.ts";
import { createRunner, type RunnerDeps } from "./run.ts";

/** Runs that one process carries out at the same time. */
const CONCURRENCY = 8;
/** Starts without a completed stage between them, after which a run is given up. */
const ATTEMPTS = 5;
const SWEEP_MS = 5_000;
const PURGE_MS = 3_600_000;
const BATCH = 200;
/** A pending run that waits longer than this is put into the queue once more, in case its place in it was lost. */
const WAITED_MS = 120_000;
const DAY_MS = 86_400_000;
/** How long a user's limit of rows is remembered. */
const ROW_LIMIT_MS = 5_000;
const GIVEN_UP = "The run was interrupted too often and has been given up. Start it again.";

export interface WorkerDeps extends RunnerDeps {
	readonly jobs: Pick<Jobs, "enqueue">;
	readonly clock: Clock;
	readonly ids: Pick<Ids, "uuid">;
	readonly pubsub: PubSub;
	readonly log: Log;
	readonly resultDays: number;
	readonly loadedFacts: () => Promise<LoadedFacts>;
	/** How many rows a stage of this user's runs may have; null where only the service limits them. */
	rowLimit(userId: number): Promise<number | null>;
}

export function createWorker(deps: WorkerDeps) {
	const { store, runs, results, jobs, clock, ids, log } = deps;
	/** Hundreds of small runs of one user begin within a moment. */
	const rowLimits = new LRUCache<number, number>({ max: 1_000, ttl: ROW_LIMIT_MS, perf: clock });

	/** How many rows a stage of this user's runs may have. */
	async function rowsOf(userId: number): Promise<number> {
		const known = rowLimits.get(userId);
		if (known !== undefined) return known;
		const limit = Math.min(deps.limits.rows, (await deps.rowLimit(userId)) ?? deps.limits.rows);
		rowLimits.set(userId, limit);
		return limit;
	}

	/** Carries out one run, if it can be had. Safe to be called any number of times for the same run, at once or in turn. */
	async function handle(data: unknown, stopping: AbortSignal): Promise<void> {
		const { jobId } = data as { jobId: string };
		const hold = { jobId, token: ids.uuid() };
		stopping.throwIfAborted();
		const now = clock.now();
		const job = await runs.claim(store.db, hold, new Date(now), new Date(now + LEASE_MS));
		// It has ended, or another worker holds it; should that one die, the run is found by `sweep`.
		if (job === undefined) return;

		if (job.attempts > ATTEMPTS) return giveUp(hold, job);

		// What an earlier worker left: none, as long as nobody told of anything.
		if (job.last_frame > 0) await store.transaction((tx) => runs.clear(tx, hold));
		let progress = () => job.progress;
		const lease = await holdLease(deps, hold, () => progress());
		try {
			const rows = await rowsOf(job.owner_id);
			const { facts } = await deps.loadedFacts();
			const runner = createRunner({ ...deps, limits: { ...deps.limits, rows } }, job, hold, facts?.model);
			progress = runner.progress;
			await runner.run(AbortSignal.any([stopping, lease.signal]));
		} catch (error) {
			if (lease.signal.aborted || error instanceof LeaseLost) return;
			log[stopping.aborted ? "info" : "error"](
				{ err: error, job: jobId },
				"a run was interrupted and will go on later",
			);
			await runs.release(store.db, hold, !stopping.aborted);
			throw error;
		} finally {
			await lease.stop();
		}
	}

	async function giveUp(hold: Hold, job: JobRow): Promise<void> {
		await store.transaction(async (tx) => {
			await runs.giveUp(tx, hold, new Date(clock.now()), GIVEN_UP);
			await tellEnd(deps.events, tx, job);
			tx.afterCommit(() => deps.pubsub.publish(pipelineTopic(hold.jobId), ""));
		});
	}

	/** Puts stranded runs into the queue again; any number of processes may do so at once. */
	async function sweep(): Promise<number> {
		return store.transaction(async (tx) => {
			const now = clock.now();
			const stranded = await runs.takeStranded(tx, new Date(now), new Date(now - WAITED_MS), BATCH);
			for (const jobId of stranded) await jobs.enqueue(tx, PIPELINE_QUEUE, { jobId });
			return stranded.length;
		});
	}

	async function purge(): Promise<void> {
		const now = clock.now();
		const before = new Date(now - deps.resultDays * DAY_MS);
		for (let purged = BATCH; purged === BATCH; ) {
			purged = await store.transaction((tx) => results.purge(tx, before, new Date(now), BATCH));
		}
	}

	const quietly = (what: string, work: () => Promise<unknown>) => () => {
		work().catch((error: unknown) => log.warn({ err: error }, what));
	};

	return {
		queue: { name: PIPELINE_QUEUE, concurrency: CONCURRENCY, handler: handle } satisfies JobQueue,
		handle,
		sweep,
		purge,
		/** Starts the timers of a process that takes jobs. */
		start(): { stop(): void } {
			const purging = quietly("old results could not be removed", purge);
			purging();
			const timers = [
				clock.every(SWEEP_MS, quietly("stranded runs could not be looked for", sweep)),
				clock.every(PURGE_MS, purging),
			];
			return {
				stop() {
					for (const timer of timers) timer.stop();
				},
			};
		},
	};
}
export type Worker = ReturnType<typeof createWorker>;
