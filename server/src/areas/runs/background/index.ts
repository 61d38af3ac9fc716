/** Starts runs of saved queries for every origin, and records the end of each run once. */
import type { Context } from "../../../context.ts";
import type { BoundRoute } from "../../../core/http/binder.ts";
import { type Repeating, repeatWork } from "../../../core/repeating.ts";
import type { JobQueue } from "../../../ports/jobs.ts";
import { createRecorder, RECORD_QUEUE, type Recorder } from "./jobs.ts";
import { findOpenQueryRun } from "./repo.ts";
import { createRoutes } from "./routes.ts";
import { BACKGROUND } from "./service.ts";

export {
	type EndedRun,
	isTrustedRunner,
	type LatestRun,
	NotRunnable,
	type RunDrift,
	type RunObserver,
	type RunOrigin,
	type SnapshotOutcome,
} from "./origins.ts";
export type { RunnableQuery } from "./service.ts";

/** Each queue task holds a whole result. */
const CONCURRENCY = 2;
const SWEEP_MS = 60_000;

export interface BackgroundRuns extends Pick<Recorder, "record" | "register" | "observe"> {
	readonly routes: BoundRoute[];
	readonly queues: JobQueue[];
	/** Starts the timers of a process that takes queue tasks. */
	work(): Repeating;
}

export function createBackgroundRuns(ctx: Context, background: Context): BackgroundRuns {
	const recorder = createRecorder(background);
	recorder.register({
		name: BACKGROUND,
		executionType: "manual",
		ended: async (_tx, { query }) => ({ description: `Ran the query ${query.name}` }),
	});
	ctx.events.inTransaction("pipeline_job_finished", async (tx, { jobId }) => {
		if (await findOpenQueryRun(tx.db, jobId)) await ctx.jobs.enqueue(tx, RECORD_QUEUE, { jobId });
	});
	const record: JobQueue["handler"] = (data, signal) => recorder.record((data as { jobId: string }).jobId, signal);
	return {
		record: recorder.record,
		register: recorder.register,
		observe: recorder.observe,
		routes: createRoutes(ctx),
		queues: [
			{ name: RECORD_QUEUE, concurrency: CONCURRENCY, handler: record },
			// Nodes of the version before use this name.
			{ name: "background_runs.finish", concurrency: CONCURRENCY, handler: record },
		],
		work: () =>
			repeatWork(ctx, [{ everyMs: SWEEP_MS, failure: "unrecorded runs could not be found", work: recorder.sweep }]),
	};
}
