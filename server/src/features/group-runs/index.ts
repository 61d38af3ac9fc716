/** One query on many connections: group executions, their progress and merged results. */
import type { Events } from "../../platform/events.ts";
import type { BoundRoute } from "../../platform/http/binder.ts";
import type { BoundChannel } from "../../platform/ws/hub.ts";
import type { PipelineFeature } from "../pipelines/index.ts";
import type { QueryRunsFeature } from "../query-runs/index.ts";
import { createChannel } from "./channels.ts";
import { createRoutes } from "./routes.ts";
import { createGroupRuns, GROUP, type GroupRunsDeps } from "./service.ts";
import { createGroupResults, type GroupResultsDeps } from "./service-results.ts";

export interface GroupRunsFeatureDeps extends Omit<GroupRunsDeps, "repo" | "events">, Pick<GroupResultsDeps, "quotas"> {
	readonly events: Events;
	readonly pipelines: GroupRunsDeps["pipelines"] & Pick<PipelineFeature, "merged">;
	readonly queryRuns: GroupRunsDeps["queryRuns"] & Pick<QueryRunsFeature, "register">;
}

export interface GroupRunsFeature {
	readonly routes: BoundRoute[];
	readonly channels: BoundChannel[];
}

export function createGroupRunsFeature(deps: GroupRunsFeatureDeps): GroupRunsFeature {
	const groups = createGroupRuns(deps);
	const { merged } = deps.pipelines;
	deps.queryRuns.register({
		name: GROUP,
		executionType: "manual",
		ended: async (_tx, { query, connection, originId }) => ({
			description: `Ran the query ${query.name} on ${connection.name}, one of several connections`,
			metadata: { group_execution_id: originId },
		}),
	});
	deps.events.inTransaction("pipeline_job_finished", (tx, { jobId }) => groups.runEnded(tx, jobId));
	deps.events.inTransaction("pipeline_job_recorded", (tx, { jobId }) => groups.runEnded(tx, jobId));
	return {
		routes: createRoutes(groups, createGroupResults({ groups, merged, quotas: deps.quotas })),
		channels: [createChannel({ store: deps.store, clock: deps.clock })],
	};
}
