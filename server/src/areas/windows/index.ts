/** Change windows: declared changes, the state before and after, and a verdict of both. */
import type { Verdict, WindowState } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { BoundRoute } from "../../core/http/binder.ts";
import type { JobQueue } from "../../core/ports/jobs.ts";
import type { Repeating } from "../../core/repeating.ts";
import type { BoundChannel } from "../../core/ws/hub.ts";
import { createChannel } from "./channels.ts";
import { listWindowQueues, startWindowTimers } from "./jobs.ts";
import { createRoutes } from "./routes.ts";
import { listVerdictCounts } from "./sql/verdict-counts.ts";
import { countByState } from "./sql/windows.ts";

export interface Windows {
	readonly routes: BoundRoute[];
	readonly channels: BoundChannel[];
	readonly queues: JobQueue[];
	/** Numbers of windows by state, for the metrics. */
	readStateSamples(): Promise<{ labels: { state: WindowState }; value: number }[]>;
	/** Numbers of verdicts so far, for the metrics. */
	readVerdictSamples(): Promise<{ labels: { verdict: Verdict }; value: number }[]>;
	/** Starts the timers of a process that takes queue tasks. */
	work(): Repeating;
}

export const createWindows = (ctx: Context, background: Context): Windows => ({
	routes: createRoutes(ctx),
	channels: [createChannel(ctx)],
	queues: listWindowQueues(background),
	readStateSamples: async () =>
		(await countByState(ctx.store.db)).map(({ state, count }) => ({ labels: { state }, value: count })),
	readVerdictSamples: async () =>
		(await listVerdictCounts(ctx.store.db)).map(({ verdict, total }) => ({ labels: { verdict }, value: total })),
	work: () => startWindowTimers(background),
});
