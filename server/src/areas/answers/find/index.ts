/** The index of objects of all kept snapshots, and the search in it. */
import type { Context } from "../../../context.ts";
import type { BoundRoute } from "../../../core/http/binder.ts";
import type { JobQueue } from "../../../core/ports/jobs.ts";
import type { Repeating } from "../../../core/repeating.ts";
import { INDEX_QUEUE, listIndexQueues, startIndexTimers } from "./jobs.ts";
import { createRoutes } from "./routes.ts";

export interface FindArea {
	readonly routes: BoundRoute[];
	readonly queues: JobQueue[];
	/** Starts the timers of a process that takes jobs. */
	work(): Repeating;
}

export function createFind(ctx: Context, background: Context): FindArea {
	ctx.events.inTransaction("snapshot_captured", (tx, { historyId }) =>
		ctx.jobs.enqueue(tx, INDEX_QUEUE, { historyId }),
	);
	return {
		routes: createRoutes(ctx),
		queues: listIndexQueues(background),
		work: () => startIndexTimers(background),
	};
}
