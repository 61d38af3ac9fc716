/** The Time Machine: keeps answers of controller queries as snapshots and compares any two. */
import type { CaptureAnswer } from "@weft/contracts";
import type { Identity } from "../../platform/caller.ts";
import type { BoundRoute } from "../../platform/http/binder.ts";
import type { Clock } from "../../ports/clock.ts";
import type { JobQueue, Jobs } from "../../ports/jobs.ts";
import type { Log } from "../../ports/log.ts";
import type { Db, Store } from "../../ports/store.ts";
import { createEraser } from "./erase.ts";
import { createTimeMachineJobs } from "./jobs.ts";
import { createTimeMachineRepo } from "./repo.ts";
import { createCleanupRepo } from "./repo-cleanup.ts";
import { createSnapshotContent } from "./repo-content.ts";
import { countSince } from "./repo-counts.ts";
import { createHistoryRepo } from "./repo-history.ts";
import { createSettingsRepo } from "./repo-settings.ts";
import { createVerifyRepo } from "./repo-verify.ts";
import { createRoutes } from "./routes.ts";
import type { TimeMachineDeps } from "./service.ts";
import { type CaptureInput, type Capturer, createCapture } from "./service-capture.ts";
import { createCleanup } from "./service-cleanup.ts";
import { createCompare } from "./service-compare.ts";
import { createHistoryReads } from "./service-history.ts";
import { createSettings } from "./service-settings.ts";
import { createSnapshots } from "./service-snapshots.ts";
import { type Checked, createVerify, verifyAll } from "./service-verify.ts";
import { createTurns } from "./turns.ts";
import { createTimeMachineTasks } from "./workers/tasks.ts";
import { createTimeMachineWork, type TimeMachinePool } from "./workers/work.ts";

export type { KnownQuery } from "./policy.ts";
export type { QueryLookup } from "./service.ts";
export type { TimeMachinePool } from "./workers/work.ts";

export interface TimeMachine {
	readonly routes: BoundRoute[];
	/** Keeps the rows of a run. The outcome is one of the interface's; 400, 403 and 404 where they are not to be taken at all. */
	capture(capturer: Capturer, input: CaptureInput): Promise<CaptureAnswer>;
	/** What differs between two snapshots, as the text of the interface in pieces; 404 where one of them is not visible. */
	compare: ReturnType<typeof createCompare>["compare"];
	/** How many were captured since an instant: the viewer's own; everybody's for administrators. */
	countSince(db: Db, viewer: Pick<Identity, "userId" | "isAdmin">, since: Date): Promise<number>;
	readonly queues: JobQueue[];
	/** Looks from now on whether the daily cleanup and the check of what is stored are due. */
	work(): { stop(): void };
}

type Given = Omit<TimeMachineDeps, "repo" | "content" | "settings" | "turns" | "work"> & {
	/** Threads that do the heavy work. */
	readonly timeMachinePool: Pick<TimeMachinePool, "run">;
	readonly clock: Clock;
	readonly jobs: Pick<Jobs, "enqueue">;
	readonly log: Log;
};

export function createTimeMachine(given: Given): TimeMachine {
	const deps: TimeMachineDeps = {
		...given,
		repo: createTimeMachineRepo(),
		content: createSnapshotContent(),
		settings: createSettingsRepo(),
		turns: createTurns(),
		work: createTimeMachineWork({ tasks: createTimeMachineTasks(given.store.db), pool: given.timeMachinePool }),
	};
	const capture = createCapture(deps);
	const compare = createCompare(deps);
	const expired = createCleanupRepo();
	const cleanup = createCleanup({ ...deps, cleanup: expired, erase: createEraser({ ...deps, cleanup: expired }) });
	const verify = createVerify({ ...given, repo: createVerifyRepo(), work: deps.work });
	const jobs = createTimeMachineJobs({
		...given,
		cleanup: expired,
		purgeAll: cleanup.purgeAll,
		verifySome: verify.some,
	});
	return {
		routes: createRoutes({
			capture,
			snapshots: createSnapshots(deps),
			compare,
			histories: createHistoryReads({ ...deps, histories: createHistoryRepo() }),
			cleanup,
			settings: createSettings(deps),
		}),
		capture: capture.fromResult,
		compare: compare.compare,
		countSince,
		queues: jobs.queues,
		work: jobs.start,
	};
}

/** Checks all snapshots of a store, for a command beside the service. */
export function verifySnapshots(store: Pick<Store, "db">): AsyncGenerator<Checked, void> {
	return verifyAll({ store, repo: createVerifyRepo(), tasks: createTimeMachineTasks(store.db) });
}
