/** One query on many connections: group executions, their progress and merged results. */
import type { Context } from "../../../context.ts";
import type { BoundRoute } from "../../../core/http/binder.ts";
import type { BoundChannel } from "../../../core/ws/hub.ts";
import { createChannel } from "./channels.ts";
import { endMemberRun } from "./manage-group-runs.ts";
import { createRoutes } from "./routes.ts";

export interface RunGroups {
	readonly routes: BoundRoute[];
	readonly channels: BoundChannel[];
}

export function createRunGroups(ctx: Context): RunGroups {
	ctx.events.inTransaction("pipeline_job_finished", (tx, { jobId }) => endMemberRun(ctx, tx, jobId));
	return {
		routes: createRoutes(ctx),
		channels: [createChannel(ctx)],
	};
}
