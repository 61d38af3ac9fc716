/** Runs: a canvas becomes a pipeline job of one or more stages with rows, progress and an end. */
import * as z from "zod";
import { defineTrimmedText, paging, timestamp, timestampInput, uuid } from "../../core/common.ts";
import { canvasSchema } from "../../queries/flow/shapes.ts";
import { INJECT_MODES } from "../../queries/flow/values.ts";
import { runInputs } from "../inputs.ts";
import { PIPELINE_STATUSES, STAGE_STATUSES } from "./values.ts";

/** One object of the answer: `{Class: {attributes}}`, or flat where a post-processor made it so. */
export const resultRow = z.record(z.string(), z.unknown());

/** Where a run went wrong. */
export const pipelineError = z.object({
	stage_index: z.int().nullable(),
	node_id: z.string().nullable(),
	message: z.string(),
});

export const pipelineJob = z.object({
	id: z.string(),
	status: z.enum(PIPELINE_STATUSES),
	execution_mode: z.literal("pipeline"),
	total_stages: z.int(),
	completed_stages: z.int(),
	failed_stages: z.int(),
	current_stage_index: z.int(),
	progress_percentage: z.int(),
	created_at: timestamp,
	started_at: timestamp.nullable(),
	completed_at: timestamp.nullable(),
	/** From its start to its end; null before the end. */
	execution_time_ms: z.int().nullable(),
	errors: z.array(pipelineError),
	controller_connection_id: z.string(),
	controller_connection_name: z.string(),
	saved_query_id: z.string().nullable(),
	query_name: z.string().nullable(),
	query_version: z.string().nullable(),
	results_url: z.string(),
	/** Rows of the final answer; null before the run is complete. */
	total_rows: z.int().nullable(),
});
export type PipelineJob = z.infer<typeof pipelineJob>;

export const pipelineStage = z.object({
	index: z.int(),
	node_ids: z.array(z.string()),
	class_name: z.string(),
	status: z.enum(STAGE_STATUSES),
	/** How values of earlier stages come in; null for a stage that starts by itself. */
	inject_mode: z.enum(INJECT_MODES).nullable(),
	inputs: z.object({
		source_stages: z.array(z.int()),
		value_count: z.int(),
		sample: z.array(z.string()),
	}),
	outputs: z.object({ result_count: z.int(), sample: z.array(resultRow) }),
	request_count: z.int(),
	/** The first 20 paths that were asked for. */
	queries: z.array(z.string()),
	/** Address of the controller that answered last; null before the end of the stage. */
	member_url: z.string().nullable(),
	started_at: timestamp.nullable(),
	completed_at: timestamp.nullable(),
	execution_time_ms: z.int().nullable(),
	error: z.string().nullable(),
});
export type PipelineStage = z.infer<typeof pipelineStage>;

export const pipelineDetail = pipelineJob.extend({
	stages: z.array(pipelineStage),
	/** Rows of each class node that has answered; empty once the results are deleted. */
	node_results: z.array(z.object({ node_id: z.string(), row_count: z.int() })),
	/** Address of the controller that answered the last stage; null before. */
	member_url: z.string().nullable(),
	/** The snapshot that has these rows: captured from them, or an earlier one with the same rows. */
	snapshot_id: z.string().nullable(),
});

/** Such as a UUID that the client makes for each run that it wants to start. */
export const idempotencyKey = defineTrimmedText(200).nullish().meta({
	description: "A call with the key of an earlier call of the same user starts nothing and answers with that run.",
});

export const pipelineCreate = z.object({
	flow_data: canvasSchema,
	controller_connection_id: uuid,
	saved_query_id: uuid.nullish(),
	...runInputs,
	idempotency_key: idempotencyKey,
});

const statusFilter = z.enum(PIPELINE_STATUSES, { error: `Must be one of: ${PIPELINE_STATUSES.join(", ")}.` });
const runFilters = {
	status: statusFilter.optional(),
	/** A part of the name of the query or of the gallery's question; other runs have none. */
	search: defineTrimmedText(200).optional(),
	saved_query_id: uuid.optional(),
	controller_connection_id: uuid.optional(),
	created_after: timestampInput.optional(),
	created_before: timestampInput.optional(),
};
export const runList = z.object({ ...paging, ...runFilters });
export type RunList = z.output<typeof runList>;
