import type { BoundRoute } from "../../platform/http/binder.ts";
import type { Repeating } from "../../platform/repeating.ts";
import type { BoundChannel } from "../../platform/ws/hub.ts";
import type { CurrentModel } from "../../ports/class-model.ts";
import type { JobQueue, Jobs } from "../../ports/jobs.ts";
import type { PubSub } from "../../ports/pubsub.ts";
import type { Store } from "../../ports/store.ts";
import { createChannel } from "./channels.ts";
import { DEFAULT_LIMITS, type PipelineLimits, TOTAL_MEMORY_BYTES } from "./domain/limits.ts";
import { createWorker, type WorkerDeps } from "./jobs.ts";
import { createPlanningRoutes, createRoutes } from "./routes.ts";
import { createPipelines, type PipelineDeps, type Pipelines } from "./service.ts";
import { createImportRequests } from "./service-import.ts";
import { createMemoryBudget } from "./service-memory.ts";
import { createMerged, type Merged } from "./service-merged.ts";
import { createModelReader } from "./service-model.ts";
import { createParts } from "./service-parts.ts";
import { createPlanner, type PlannerDeps } from "./service-plan.ts";
import { createResults } from "./service-results.ts";
import { publishRecordedEnds } from "./service-signals.ts";
import { createProcessing, type PipelinePool } from "./workers/work.ts";

export type { Program } from "../flow/index.ts";
export { fileName } from "./domain/file-name.ts";
export type { PipelineLimits } from "./domain/limits.ts";
export { getRunId } from "./domain/run-id.ts";
export { getResultClasses } from "./domain/stages.ts";
export { presentJob } from "./present.ts";
export { isRecording } from "./repo.ts";
export type { ConnectionRef, QueryRef, RunDocument, RunStanding, Start } from "./service.ts";
export type { MergedRun } from "./service-merged.ts";
export type { TargetAnswer } from "./service-run.ts";
export { type PipelinePool, pipelineWorkerUrl } from "./workers/work.ts";

export interface PipelineFeatureDeps
	extends Omit<PipelineDeps, "repo" | "results" | "jobs" | "clock" | "pubsub">,
		Omit<
			WorkerDeps,
			"runs" | "results" | "limits" | "loadedFacts" | "jobs" | "events" | "pubsub" | "ids" | "memory" | "processing"
		>,
		Pick<PlannerDeps, "preview"> {
	/** The store for background work. */
	readonly jobStore?: Store | undefined;
	readonly jobs: Pick<Jobs, "enqueue" | "enqueueAll">;
	readonly pubsub: PubSub;
	readonly limits?: Partial<PipelineLimits>;
	/** Bytes that the stages of all runs may hold together. */
	readonly totalMemoryBytes?: number;
	readonly pipelinePool: Pick<PipelinePool, "run">;
	readonly usableConnection: PipelineDeps["usableConnection"] & PlannerDeps["usableConnection"];
	readonly classModel?: CurrentModel | undefined;
}

export interface PipelineFeature
	extends Pick<
		Pipelines,
		| "list"
		| "start"
		| "startAll"
		| "startOnce"
		| "readProgram"
		| "getState"
		| "getDocument"
		| "linkSnapshot"
		| "getPackedRows"
		| "cancelAll"
		| "getOriginal"
	> {
	/** The rows of several runs as one result. */
	readonly merged: Merged;
	readonly routes: BoundRoute[];
	readonly channels: BoundChannel[];
	readonly queues: JobQueue[];
	/** Starts the timers of a process that takes queue tasks. */
	work(): Repeating;
}

export function createPipelineFeature(deps: PipelineFeatureDeps): PipelineFeature {
	const stored = createResults({ store: deps.store });
	const pipelines = createPipelines({ ...deps, results: stored });
	const limits = { ...DEFAULT_LIMITS, ...deps.limits };
	const loadedFacts = createModelReader(deps.classModel ?? (async () => null), deps.log);
	const store = deps.jobStore ?? deps.store;
	const memory = createMemoryBudget(deps.totalMemoryBytes ?? TOTAL_MEMORY_BYTES);
	const processing = createProcessing(deps.pipelinePool);
	publishRecordedEnds(deps.events, deps.pubsub);
	const worker = createWorker({
		...deps,
		store,

		limits,
		loadedFacts,
		memory,
		processing,
	});
	return {
		routes: [
			...createRoutes(pipelines),
			...createPlanningRoutes(
				createPlanner({ ...deps, loadedFacts, memory, processing }),
				createImportRequests(deps.pipelinePool),
			),
		],
		channels: [createChannel({ store: deps.store })],
		queues: [worker.queue],
		list: pipelines.list,
		start: pipelines.start,
		startAll: pipelines.startAll,
		startOnce: pipelines.startOnce,
		readProgram: pipelines.readProgram,
		getState: pipelines.getState,
		getDocument: pipelines.getDocument,
		linkSnapshot: pipelines.linkSnapshot,
		getPackedRows: pipelines.getPackedRows,
		cancelAll: pipelines.cancelAll,
		getOriginal: pipelines.getOriginal,
		merged: createMerged({
			store: deps.store,

			results: stored,
			getParts: createParts({ store: deps.store }),
			pool: deps.pipelinePool,
		}),
		work: worker.start,
	};
}
