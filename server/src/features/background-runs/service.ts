/** Starting a saved query in the background: the job and what its end is to leave behind, in one transaction. */
import type { BackgroundRunInput, PipelineJob } from "@weft/contracts";
import type { Caller, Identity } from "../../platform/caller.ts";
import { notFound } from "../../platform/errors.ts";
import type { Events } from "../../platform/events.ts";
import type { Quotas } from "../../platform/quotas.ts";
import type { Store } from "../../ports/store.ts";
import { type PipelineFeature, presentJob } from "../pipelines/index.ts";
import type { VisibleQuery } from "../saved-queries/index.ts";
import type { BackgroundRunRepo } from "./repo.ts";

export interface StartDeps {
	readonly store: Store;
	readonly repo: Pick<BackgroundRunRepo, "insert">;
	readonly events: Pick<Events, "changed">;
	readonly quotas: Pick<Quotas, "check">;
	readonly pipelines: Pick<PipelineFeature, "start" | "readProgram">;
	findQuery(identity: Identity, id: string): Promise<VisibleQuery | null>;
	/** A connection that the caller sees and that is active. @throws 400 under `field` for every other. */
	usableConnection(
		identity: Identity,
		id: string,
		field: string,
	): Promise<{ readonly id: string; readonly name: string }>;
}

export function createBackgroundRuns({ store, repo, events, pipelines, ...deps }: StartDeps) {
	return {
		/** 404 for a query that the caller does not see; 400 under the field for everything else. */
		async start(caller: Caller, id: string, input: BackgroundRunInput): Promise<PipelineJob> {
			const query = await deps.findQuery(caller, id);
			if (query === null) throw notFound("There is no such query.");
			const connection = await deps.usableConnection(
				caller,
				input.controller_connection_id,
				"controller_connection_id",
			);
			const program = pipelines.readProgram({
				flow_data: query.flowData,
				post_processors: query.postProcessors,
				variables: query.variables,
				variable_values: input.variable_values,
			});
			return store.transaction(async (tx) => {
				await deps.quotas.check(caller, "can_execute_queries", tx);
				const job = await pipelines.start(tx, { ownerId: caller.userId, program, connection, query });
				await repo.insert(tx, {
					job_id: job.id,
					user_id: caller.userId,
					username: caller.username,
					query_id: query.id,
					query_name: query.name,
					query_version: query.version,
					query_version_hash: query.versionHash,
					enable_time_machine: query.enableTimeMachine,
					ip_address: caller.ip,
					user_agent: caller.userAgent,
					request_id: caller.requestId,
				});
				await events.changed(tx, caller, {
					targetType: "pipeline_execution",
					targetId: job.id,
					description: `${caller.username} started ${query.name} against ${connection.name}`,
					metadata: {
						saved_query_id: query.id,
						version: query.version,
						controller_connection_id: connection.id,
						stages: job.total_stages,
					},
				});
				await deps.quotas.check(caller, "executions_daily", tx);
				return presentJob(job);
			});
		},
	};
}
export type BackgroundRuns = ReturnType<typeof createBackgroundRuns>;
