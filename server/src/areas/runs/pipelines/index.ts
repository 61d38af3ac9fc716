/** Runs of canvases against controllers: planning, execution, and the stored rows. */
import type { LRUCache } from "lru-cache";
import type { Context } from "../../../context.ts";
import type { BoundRoute } from "../../../core/http/binder.ts";
import type { Repeating } from "../../../core/repeating.ts";
import type { BoundChannel } from "../../../core/ws/hub.ts";
import { createChannel } from "./channels.ts";
import { type ClassCounter, createClassCounter } from "./class-counter.ts";
import { createRowLimitCache, startPipelineTimers } from "./jobs.ts";
import { createMemoryBudget, type MemoryBudget } from "./memory-budget.ts";
import { createModelReader, type LoadedFacts } from "./model-reader.ts";
import { createPlanningRoutes, createRoutes } from "./routes.ts";
import { DEFAULT_LIMITS, type PipelineLimits, TOTAL_MEMORY_BYTES } from "./rules/limits.ts";

/** Bounds that tests lower. */
export interface PipelineBounds {
	readonly limits?: Partial<PipelineLimits>;
	/** Bytes that the stages of all runs may hold together. */
	readonly totalMemoryBytes?: number;
}

export interface Pipelines {
	readonly routes: BoundRoute[];
	readonly channels: BoundChannel[];
	/** Starts the timers of a process that takes queue tasks. */
	work(): Repeating;
	/** Of each run; a user's quota may allow fewer rows. */
	readonly limits: PipelineLimits;
	/** Shared by all runs of the process. */
	readonly memory: MemoryBudget;
	/** Limits of rows by user. */
	readonly rowLimits: LRUCache<number, number>;
	readonly countClasses: ClassCounter;
	loadFacts(): Promise<LoadedFacts>;
}

export function createPipelines(
	ctx: Context,
	background: Context,
	{ limits, totalMemoryBytes = TOTAL_MEMORY_BYTES }: PipelineBounds = {},
): Pipelines {
	return {
		routes: [...createRoutes(ctx), ...createPlanningRoutes(ctx)],
		channels: [createChannel(ctx)],
		work: () => startPipelineTimers(background),
		limits: { ...DEFAULT_LIMITS, ...limits },
		memory: createMemoryBudget(totalMemoryBytes),
		rowLimits: createRowLimitCache(ctx),
		countClasses: createClassCounter(ctx),
		loadFacts: createModelReader(ctx),
	};
}
