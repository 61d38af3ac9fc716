/** What a canvas will do before anything runs: the plan, and a look at the rows of one node. */
import * as z from "zod";
import { uuid } from "../../core/common.ts";
import { canvasSchema } from "../../queries/flow/shapes.ts";
import { FLOW_LIMITS } from "../../queries/flow/values.ts";
import { runInputs } from "../inputs.ts";
import { STRATEGIES } from "./values.ts";

const asked = {
	flow_data: canvasSchema,
	variables: runInputs.variables,
	variable_values: runInputs.variable_values,
};

export const planInput = z.object({
	...asked,
	/** Instead of what would be chosen; 400 where a stage cannot be asked for in this way. */
	force_strategy: z.enum(STRATEGIES, { error: `Must be one of: ${STRATEGIES.join(", ")}.` }).nullish(),
	/** Those of the query: the plan warns of fields that no row has. Invalid ones are ignored. */
	post_processors: runInputs.post_processors,
	/** The connection whose classes are counted for estimates; without it typical counts are used. */
	connection_id: uuid.nullish(),
});
export type PlanInput = z.output<typeof planInput>;

export const planAnswer = z.object({
	stages: z.array(
		z.object({
			index: z.int(),
			node_ids: z.array(z.string()),
			class_name: z.string(),
			/** Class nodes whose rows are the rows of the stage. */
			answer_node_ids: z.array(z.string()),
			/** Whether the rows of the stage are rows of the result. */
			is_result: z.boolean(),
			strategy: z.enum(STRATEGIES),
			request_count_estimate: z.int(),
			/** Values that earlier stages will bring are shown as `{Class.property}`. */
			preview_query: z.string(),
			/** The same of every step and branch of the stage: a sample of each kind of request. */
			preview_queries: z.array(z.string()),
			reason: z.string(),
		}),
	),
	warnings: z.array(z.string()),
	/** Objects per class on the connection, without classes that it could not count. */
	counts: z.record(z.string(), z.int()),
});
export type PlanAnswer = z.infer<typeof planAnswer>;

export const previewInput = z.object({
	...asked,
	node_id: z
		.string({ error: "Must be the id of a node." })
		.max(FLOW_LIMITS.idLength, `Must have at most ${FLOW_LIMITS.idLength} characters.`),
	connection_id: uuid,
});
export type PreviewInput = z.output<typeof previewInput>;

export const previewAnswer = z.object({
	node_id: z.string(),
	class_name: z.string(),
	/** The first of them. */
	rows: z.array(z.record(z.string(), z.unknown())),
	/** How many there are in all. */
	count: z.int(),
	/** The first paths that were asked for the node's own stage. */
	queries: z.array(z.string()),
	/** With those of the stages before it. */
	request_count: z.int(),
});
export type PreviewAnswer = z.infer<typeof previewAnswer>;
