/** Running a saved query in the background: the job is a pipeline run, and its end is recorded. */
import * as z from "zod";
import { dictionaryOf } from "./bounded.ts";
import { uuid, uuidParams } from "./common.ts";
import { FLOW_LIMITS } from "./flow-fields.ts";
import { idempotencyKey, pipelineJob } from "./pipelines.ts";
import { route } from "./route.ts";

export const backgroundRunInput = z.object({
	controller_connection_id: uuid,
	/** Answers to the query's variables, by their ids. */
	variable_values: dictionaryOf(z.unknown(), {
		max: FLOW_LIMITS.variables,
		error: "Must be an object of variable id: value.",
	}).nullish(),
	idempotency_key: idempotencyKey,
});
export type BackgroundRunInput = z.output<typeof backgroundRunInput>;

export const backgroundRunRoutes = {
	start: route({
		id: "background_runs.start",
		method: "POST",
		path: "/api/queries/saved-queries/:id/execute_background/",
		summary: "Run a saved query in the background; its end writes the execution log and, if enabled, a snapshot",
		auth: "bearer",
		throttle: "user",
		permission: "execute_savedquery",
		audit: { category: "query_execution", action: "query_run_start" },
		params: uuidParams,
		body: backgroundRunInput,
		answers: { 202: pipelineJob },
	}),
} as const;
