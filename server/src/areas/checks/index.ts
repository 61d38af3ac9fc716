/** Checks: expectations of a saved query's rows, evaluated where the end of a run is recorded. */
import type { Context } from "../../context.ts";
import type { BoundRoute } from "../../core/http/binder.ts";
import type { JobQueue } from "../../core/ports/jobs.ts";
import type { Repeating } from "../../core/repeating.ts";
import { evaluateAcross } from "./evaluate-across.ts";
import { startCheckTimers } from "./jobs.ts";
import { ACROSS_QUEUE } from "./queue.ts";
import { type CheckMetrics, readStateSamples, readViolationSamples } from "./read-check-metrics.ts";
import { createRoutes } from "./routes.ts";

export { type CheckPool, getChecksWorkerUrl as checksWorkerUrl } from "./workers/work.ts";

export interface ChecksArea {
	readonly routes: BoundRoute[];
	readonly queues: JobQueue[];
	readonly metrics: CheckMetrics;
	/** Starts the timers of a process that takes jobs. */
	work(): Repeating;
}

export function createChecks(ctx: Context, background: Context): ChecksArea {
	return {
		routes: createRoutes(ctx),
		queues: [
			{ name: ACROSS_QUEUE, concurrency: 1, handler: (data, signal) => evaluateAcross(background, data, signal) },
		],
		metrics: {
			states: () => readStateSamples(ctx),
			violations: () => readViolationSamples(ctx),
		},
		work: () => startCheckTimers(background),
	};
}
