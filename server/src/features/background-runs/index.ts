/** Saved queries run in the background: a pipeline job whose end is recorded once, whatever happens meanwhile. */

import type { Events } from "../../platform/events.ts";
import type { BoundRoute } from "../../platform/http/binder.ts";
import type { JobQueue, Jobs } from "../../ports/jobs.ts";
import type { Store } from "../../ports/store.ts";
import type { PipelineFeature } from "../pipelines/index.ts";
import { createFinish, FINISH_QUEUE, type FinishDeps } from "./jobs.ts";
import { createBackgroundRunRepo } from "./repo.ts";
import { createRoutes } from "./routes.ts";
import { createBackgroundRuns, type StartDeps } from "./service.ts";

export type BackgroundRunsDeps = Omit<StartDeps & FinishDeps, "repo" | "events" | "pipelines"> & {
	readonly jobs: Pick<Jobs, "enqueue">;
	readonly events: Events;
	readonly pipelines: PipelineFeature;
	/** The store for work that nobody waits for. */
	readonly jobStore?: Store;
};

export function createBackgroundRunsFeature(deps: BackgroundRunsDeps): {
	readonly routes: BoundRoute[];
	readonly queues: JobQueue[];
} {
	const repo = createBackgroundRunRepo();
	// Most runs are none of these; only theirs become a job.
	deps.events.inTransaction("pipeline_job_finished", async (tx, { jobId, savedQueryId }) => {
		if (savedQueryId !== null && (await repo.exists(tx, jobId))) await deps.jobs.enqueue(tx, FINISH_QUEUE, { jobId });
	});
	return {
		routes: createRoutes(createBackgroundRuns({ ...deps, repo })),
		queues: [createFinish({ ...deps, store: deps.jobStore ?? deps.store, repo }).queue],
	};
}
