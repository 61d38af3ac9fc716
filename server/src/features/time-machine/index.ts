/** The Time Machine: stores results of controller queries as snapshots and compares any two. */
import type { Identity } from "../../platform/caller.ts";
import type { BoundRoute } from "../../platform/http/binder.ts";
import { createKeyedMutex } from "../../platform/keyed-mutex.ts";
import type { Repeating } from "../../platform/repeating.ts";
import type { Clock } from "../../ports/clock.ts";
import type { JobQueue, Jobs } from "../../ports/jobs.ts";
import type { Log } from "../../ports/log.ts";
import type { Db, Store } from "../../ports/store.ts";
import { createTimeMachineJobs } from "./jobs.ts";
import { countSince } from "./repo-history.ts";
import { createRoutes } from "./routes.ts";
import type { TimeMachineDeps } from "./service.ts";
import { type AttributionDeps, createAttribution } from "./service-attribution.ts";
import { type Baselines, createBaselines } from "./service-baselines.ts";
import { type Captured, type CaptureInput, type Capturer, createCapture } from "./service-capture.ts";
import { createCleanup } from "./service-cleanup.ts";
import { createCompare } from "./service-compare.ts";
import { createEraser } from "./service-erase.ts";
import { createHistoryReads } from "./service-history.ts";
import { createReservations } from "./service-reservation.ts";
import { createSettings } from "./service-settings.ts";
import { createSnapshots } from "./service-snapshots.ts";
import { type Checked, createVerify, verifyAll } from "./service-verify.ts";
import { createTimeMachineTasks } from "./workers/tasks.ts";
import { createTimeMachineWork, type TimeMachinePool } from "./workers/work.ts";

export type { KnownQuery } from "./policy.ts";
export type { BaselineRow } from "./repo-baselines.ts";
export type { QueryLookup } from "./service.ts";
export type { BaselineFound, Baselines, StoredBaseline } from "./service-baselines.ts";
export type { Captured } from "./service-capture.ts";
export type { BaselineDrifts, RunDrift } from "./workers/drift.ts";
export { type TimeMachinePool, type TimeMachineThread, timeMachineWorkerUrl } from "./workers/work.ts";

export interface TimeMachine {
	readonly routes: BoundRoute[];
	/** Captures the result of a run. Throws 400, 403 or 404 if it must not be captured at all. */
	capture(capturer: Capturer, input: CaptureInput): Promise<Captured>;
	/** Snapshots that runs are compared with. */
	readonly baselines: Baselines;
	/**
	 * Yields the comparison of two snapshots as JSON text. Throws 404 if one of them is not visible.
	 */
	compare: ReturnType<typeof createCompare>["compare"];
	/** Number of snapshots since a time: the identity's own, or of all users for administrators. */
	countSince(db: Db, viewer: Pick<Identity, "userId" | "isAdmin">, since: Date): Promise<number>;
	readonly queues: JobQueue[];
	/** Starts to check whether the daily cleanup and the background check are due. */
	work(): Repeating;
}

type Input = Omit<TimeMachineDeps, "historyMutex" | "reservations" | "work"> &
	Pick<AttributionDeps, "controllers" | "buildTarget" | "assertMayQuery" | "getIdentity"> & {
		/** Worker threads for large snapshots. */
		readonly timeMachinePool: Pick<TimeMachinePool, "run">;
		readonly clock: Clock;
		readonly jobs: Pick<Jobs, "enqueue">;
		readonly log: Log;
	};

export function createTimeMachine(input: Input): TimeMachine {
	const deps: TimeMachineDeps = {
		...input,

		reservations: createReservations({ ...input }),

		historyMutex: createKeyedMutex(),
		work: createTimeMachineWork({ tasks: createTimeMachineTasks(input.store.db), pool: input.timeMachinePool }),
	};
	const attributions = createAttribution({ ...deps, ...input });
	const capture = createCapture({ ...deps, attributions });
	const compare = createCompare({ ...deps, attributions });
	const cleanup = createCleanup({
		...deps,

		erase: createEraser(deps),
	});
	const verify = createVerify({ ...input, work: deps.work });
	const jobs = createTimeMachineJobs({
		...input,

		purgeAll: cleanup.purgeAll,
		verifyNext: verify.verifyNext,
		lookUpDrift: attributions.lookUpDrift,
	});
	return {
		routes: createRoutes({
			capture,
			snapshots: createSnapshots(deps),
			compare,
			histories: createHistoryReads(deps),
			cleanup,
			settings: createSettings(deps),
		}),
		capture: capture.fromResult,
		baselines: createBaselines(deps),
		compare: compare.compare,
		countSince,
		queues: jobs.queues,
		work: jobs.start,
	};
}

/** Checks all snapshots of a store, for the admin command. */
export function verifySnapshots(store: Pick<Store, "db">): AsyncGenerator<Checked, void> {
	return verifyAll({ store, tasks: createTimeMachineTasks(store.db) });
}
