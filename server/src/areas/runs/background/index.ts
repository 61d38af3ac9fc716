/** Starts runs of saved queries for every origin, and records the end of each run once. */
import { type Bound, bindContext, type Context } from "../../../context.ts";
import type { BoundRoute } from "../../../core/http/binder.ts";
import { type Repeating, repeatWork } from "../../../core/repeating.ts";
import type { JobQueue } from "../../../ports/jobs.ts";
import type { Db } from "../../../ports/store.ts";
import { createRecorder, RECORD_QUEUE, type Recorder } from "./jobs.ts";
import type { LatestRun } from "./origins.ts";
import { findOpenQueryRun, listLatestRuns } from "./repo.ts";
import { createRoutes } from "./routes.ts";
import { BACKGROUND, prepareQueryRun, startQueryRun } from "./service.ts";

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
	readonly prepare: Bound<typeof prepareQueryRun>;
	readonly start: Bound<typeof startQueryRun>;
	readonly routes: BoundRoute[];
	readonly queues: JobQueue[];
	/** The latest recorded run of a query on each connection, newest first. */
	latestRuns(db: Db, queryId: string): Promise<LatestRun[]>;
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
		prepare: bindContext(ctx, prepareQueryRun),
		start: bindContext(ctx, startQueryRun),
		record: recorder.record,
		register: recorder.register,
		observe: recorder.observe,
		latestRuns: listLatestRuns,
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
