/** Checks: expectations of a saved query's rows, evaluated where the end of a run is recorded. */
import { type Bound, bindContext, type Context } from "../../context.ts";
import type { BoundRoute } from "../../platform/http/binder.ts";
import type { Repeating } from "../../platform/repeating.ts";
import type { JobQueue } from "../../ports/jobs.ts";
import type { Db } from "../../ports/store.ts";
import { startCheckTimers } from "./jobs.ts";
import { ACROSS_QUEUE } from "./queue.ts";
import { countOwnChecks } from "./repo.ts";
import { createRoutes } from "./routes.ts";
import { evaluateAcross } from "./service-across.ts";
import { checkOrigin } from "./service-actions.ts";
import { observeRun } from "./service-evaluate.ts";
import { checkCheckFile, listOwnedChecks, lockOwnedChecks, removeCheckFile, writeCheckFile } from "./service-files.ts";
import { type CheckMetrics, readStateSamples, readViolationSamples } from "./service-metrics.ts";

export type { OwnedCheck } from "./repo.ts";
export type { CheckChange } from "./service-files.ts";
export { type CheckPool, checksWorkerUrl } from "./workers/work.ts";

/** For checks as files. What writes takes a transaction and checks no permission. */
export interface CheckFiles {
	readonly owned: typeof listOwnedChecks;
	readonly lockOwned: typeof lockOwnedChecks;
	readonly check: Bound<typeof checkCheckFile>;
	readonly write: Bound<typeof writeCheckFile>;
	readonly remove: Bound<typeof removeCheckFile>;
}

export interface ChecksFeature {
	readonly routes: BoundRoute[];
	readonly queues: JobQueue[];
	readonly metrics: CheckMetrics;
	readonly files: CheckFiles;
	/** The number of a user's own checks. */
	ownedCount(db: Db, userId: number): Promise<number>;
	/** Starts the timers of a process that takes jobs. */
	work(): Repeating;
}

export function createChecksFeature(ctx: Context, background: Context): ChecksFeature {
	ctx.areas.queryRuns.register(checkOrigin);
	ctx.areas.queryRuns.observe({ observe: (run, signal) => observeRun(background, run, signal) });
	return {
		routes: createRoutes(ctx),
		queues: [{ name: ACROSS_QUEUE, concurrency: 1, handler: bindContext(background, evaluateAcross) }],
		metrics: {
			states: bindContext(ctx, readStateSamples),
			violations: bindContext(ctx, readViolationSamples),
		},
		files: {
			owned: listOwnedChecks,
			lockOwned: lockOwnedChecks,
			check: bindContext(ctx, checkCheckFile),
			write: bindContext(ctx, writeCheckFile),
			remove: bindContext(ctx, removeCheckFile),
		},
		work: () => startCheckTimers(background),
		ownedCount: countOwnChecks,
	};
}
