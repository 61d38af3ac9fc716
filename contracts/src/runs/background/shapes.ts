/** Running a saved query in the background: the job is a pipeline run, and its end is recorded. */
import * as z from "zod";
import { defineDictionary } from "../../core/bounded.ts";
import { uuid } from "../../core/common.ts";
import { FLOW_LIMITS } from "../../queries/flow/values.ts";
import { idempotencyKey } from "../pipelines/shapes.ts";

export const backgroundRunInput = z.object({
	controller_connection_id: uuid,
	/** Answers to the query's variables, by their ids. */
	variable_values: defineDictionary(z.unknown(), {
		max: FLOW_LIMITS.variables,
		error: "Must be an object of variable id: value.",
	}).nullish(),
	idempotency_key: idempotencyKey,
});
export type BackgroundRunInput = z.output<typeof backgroundRunInput>;
