/** Starts runs of saved queries for every origin, and records the end of each run once. */
import type { Events } from "../../platform/events.ts";
import type { BoundRoute } from "../../platform/http/binder.ts";
import { type Repeating, repeatWork } from "../../platform/repeating.ts";
import type { Clock } from "../../ports/clock.ts";
import type { JobQueue, Jobs } from "../../ports/jobs.ts";
import type { Db, Store } from "../../ports/store.ts";
import type { PipelineFeature } from "../pipelines/index.ts";
import { createRecorder, RECORD_QUEUE, type Recorder, type RecorderDeps } from "./jobs.ts";
import type { LatestRun } from "./origins.ts";
import { findOpenQueryRun, listLatestRuns } from "./repo.ts";
import { createRoutes } from "./routes.ts";
import { BACKGROUND, createQueryRuns, type QueryRuns, type QueryRunsDeps } from "./service.ts";

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

export interface QueryRunsFeatureDeps
	extends Omit<QueryRunsDeps & RecorderDeps, "repo" | "events" | "jobs" | "pipelines" | "clock"> {
	readonly jobs: Pick<Jobs, "enqueue" | "enqueueAll">;
	readonly events: Events;
	readonly clock: Clock;
	readonly pipelines: PipelineFeature;
	/** The store for work that no request waits for. */
	readonly jobStore?: Store | undefined;
}

export interface QueryRunsFeature
	extends Pick<QueryRuns, "prepare" | "readProgram" | "start" | "startAll" | "computeValuesDigest">,
		Pick<Recorder, "record" | "register" | "observe"> {
	readonly routes: BoundRoute[];
	readonly queues: JobQueue[];
	/** The latest recorded run of a query on each connection, newest first. */
	latestRuns(db: Db, queryId: string): Promise<LatestRun[]>;
	/** Starts the timers of a process that takes queue tasks. */
	work(): Repeating;
}

export function createQueryRunsFeature(deps: QueryRunsFeatureDeps): QueryRunsFeature {
	const { jobs } = deps;
	const runs = createQueryRuns(deps);
	const recorder = createRecorder({ ...deps, store: deps.jobStore ?? deps.store });
	recorder.register({
		name: BACKGROUND,
		executionType: "manual",
		ended: async (_tx, { query }) => ({ description: `Ran the query ${query.name}` }),
	});
	deps.events.inTransaction("pipeline_job_finished", async (tx, { jobId }) => {
		if (await findOpenQueryRun(tx.db, jobId)) await jobs.enqueue(tx, RECORD_QUEUE, { jobId });
	});
	const record: JobQueue["handler"] = (data, signal) => recorder.record((data as { jobId: string }).jobId, signal);
	return {
		prepare: runs.prepare,
		readProgram: runs.readProgram,
		computeValuesDigest: runs.computeValuesDigest,
		start: runs.start,
		startAll: runs.startAll,
		record: recorder.record,
		register: recorder.register,
		observe: recorder.observe,
		latestRuns: listLatestRuns,
		routes: createRoutes(runs),
		queues: [
			{ name: RECORD_QUEUE, concurrency: CONCURRENCY, handler: record },
			// Nodes of the version before use this name.
			{ name: "background_runs.finish", concurrency: CONCURRENCY, handler: record },
		],
		work: () =>
			repeatWork(deps, [{ everyMs: SWEEP_MS, failure: "unrecorded runs could not be found", work: recorder.sweep }]),
	};
}
