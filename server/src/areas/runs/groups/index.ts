/** One query on many connections: group executions, their progress and merged results. */
import type { Context } from "../../../context.ts";
import type { BoundRoute } from "../../../core/http/binder.ts";
import type { BoundChannel } from "../../../core/ws/hub.ts";
import { createChannel } from "./channels.ts";
import { createRoutes } from "./routes.ts";
import { endMemberRun, GROUP } from "./service.ts";

export interface RunGroups {
	readonly routes: BoundRoute[];
	readonly channels: BoundChannel[];
}

export function createRunGroups(ctx: Context): RunGroups {
	ctx.areas.backgroundRuns.register({
		name: GROUP,
		executionType: "manual",
		ended: async (_tx, { query, connection, originId }) => ({
			description: `Ran the query ${query.name} on ${connection.name}, one of several connections`,
			metadata: { group_execution_id: originId },
		}),
	});
	ctx.events.inTransaction("pipeline_job_finished", (tx, { jobId }) => endMemberRun(ctx, tx, jobId));
	ctx.events.inTransaction("pipeline_job_recorded", (tx, { jobId }) => endMemberRun(ctx, tx, jobId));
	return {
		routes: createRoutes(ctx),
		channels: [createChannel(ctx)],
	};
}
