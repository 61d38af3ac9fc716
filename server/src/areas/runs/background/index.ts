/** Starts runs of saved queries for every origin. `recording` records the end of each run once. */
import type { Context } from "../../../context.ts";
import type { BoundRoute } from "../../../core/http/binder.ts";
import { createRoutes } from "./routes.ts";

export { type EndedRun, type EndNote, isTrustedRunner, type LatestRun, NotRunnable } from "./ended-run.ts";
export type { RunnableQuery } from "./start-background-runs.ts";

export interface BackgroundRuns {
	readonly routes: BoundRoute[];
}

export const createBackgroundRuns = (ctx: Context): BackgroundRuns => ({ routes: createRoutes(ctx) });
