import type { Events } from "../../platform/events.ts";
import type { BoundRoute } from "../../platform/http/binder.ts";
import type { BoundChannel } from "../../platform/ws/hub.ts";
import type { CurrentModel } from "../../ports/class-model.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ControllerDriver } from "../../ports/controller.ts";
import type { Ids } from "../../ports/ids.ts";
import type { JobQueue, Jobs } from "../../ports/jobs.ts";
import type { Log } from "../../ports/log.ts";
import type { PubSub } from "../../ports/pubsub.ts";
import type { Store } from "../../ports/store.ts";
import { createChannel } from "./channels.ts";
import { createWorker } from "./jobs.ts";
import { DEFAULT_LIMITS, type PipelineLimits } from "./limits.ts";
import { createModelReader } from "./model.ts";
import { createPipelineRepo } from "./repo.ts";
import { createResultRepo } from "./repo-results.ts";
import { createRunRepo } from "./repo-run.ts";
import { createResults } from "./results.ts";
import { createPlanningRoutes, createRoutes } from "./routes.ts";
import type { TargetAnswer } from "./run.ts";
import { createPipelines, type PipelineDeps, type Pipelines } from "./service.ts";
import { createPlanner, type PlannerDeps } from "./service-plan.ts";

export type { PipelineLimits } from "./limits.ts";
export { presentJob } from "./present.ts";
export type { Program, TargetAnswer } from "./run.ts";
export type { ConnectionRef, QueryRef, RunDocument, RunStanding, Start } from "./service.ts";

export interface PipelineFeatureDeps {
	readonly store: Store;
	/** The store for work that nobody waits for. */
	readonly jobStore?: Store | undefined;
	readonly jobs: Pick<Jobs, "enqueue" | "enqueueAll">;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly pubsub: PubSub;
	readonly log: Log;
	readonly events: Events;
	readonly quotas: PipelineDeps["quotas"];
	readonly driver: Pick<ControllerDriver, "pages" | "count">;
	/** Days for which rows are kept. */
	readonly resultDays: number;
	readonly limits?: Partial<PipelineLimits>;
	/** How many rows a stage of this user's runs may have; null where only the service limits them. */
	rowLimit(userId: number): Promise<number | null>;
	readonly usableConnection: PipelineDeps["usableConnection"] & PlannerDeps["usableConnection"];
	readonly preview?: PlannerDeps["preview"] | undefined;
	readonly findQuery: PipelineDeps["findQuery"];
	readonly classModel?: CurrentModel | undefined;
	/** How to reach a connection's controller now. */
	target(connectionId: string): Promise<TargetAnswer>;
}

export interface PipelineFeature
	extends Pick<Pipelines, "list" | "start" | "startAll" | "readProgram" | "stateOf" | "documentOf"> {
	readonly routes: BoundRoute[];
	readonly channels: BoundChannel[];
	readonly queues: JobQueue[];
	/** Starts the timers of a process that takes jobs. */
	work(): { stop(): void };
}

export function createPipelineFeature(deps: PipelineFeatureDeps): PipelineFeature {
	const repo = createPipelineRepo();
	const results = createResultRepo();
	const pipelines = createPipelines({ ...deps, repo, results: createResults({ store: deps.store, results }) });
	const limits = { ...DEFAULT_LIMITS, ...deps.limits };
	const loadedFacts = createModelReader(deps.classModel ?? (async () => null), deps.log);
	const store = deps.jobStore ?? deps.store;
	const worker = createWorker({ ...deps, store, runs: createRunRepo(), results, limits, loadedFacts });
	return {
		routes: [...createRoutes(pipelines), ...createPlanningRoutes(createPlanner({ ...deps, loadedFacts }))],
		channels: [createChannel({ store: deps.store, repo })],
		queues: [worker.queue],
		list: pipelines.list,
		start: pipelines.start,
		startAll: pipelines.startAll,
		readProgram: pipelines.readProgram,
		stateOf: pipelines.stateOf,
		documentOf: pipelines.documentOf,
		work: worker.start,
	};
}
