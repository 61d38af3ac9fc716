/** The feed of changes: what differs from snapshot to snapshot, over all queries and fabrics. */
import type { Context } from "../../../context.ts";
import type { BoundRoute } from "../../../core/http/binder.ts";
import type { JobQueue } from "../../../core/ports/jobs.ts";
import type { Repeating } from "../../../core/repeating.ts";
import { enqueueAttributionCopy, enqueueExpansion, listChangeQueues, startChangeTimers } from "./jobs.ts";
import { createRoutes } from "./routes.ts";

export interface Changes {
	readonly routes: BoundRoute[];
	readonly queues: JobQueue[];
	/** Starts the timers of a process that takes queue tasks. */
	work(): Repeating;
}

export function createChanges(ctx: Context, background: Context): Changes {
	// In the transaction of the capture, so that no snapshot is lost.
	ctx.events.inTransaction("snapshot_captured", (tx, { historyId }) => enqueueExpansion(ctx, tx, historyId));
	ctx.events.inTransaction("snapshot_attributed", (tx, { snapshotId }) => enqueueAttributionCopy(ctx, tx, snapshotId));
	return {
		routes: createRoutes(ctx),
		queues: listChangeQueues(background),
		work: () => startChangeTimers(background),
	};
}
