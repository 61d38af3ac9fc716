/** Runs: a canvas becomes a pipeline job of one or more stages with rows, progress and an end. */
import * as z from "zod";
import { patterned } from "./bounded.ts";
import { channel } from "./channel.ts";
import { envelope, errorDetail, paging, timestamp, timestampInput, trimmed, uuid, uuidParams } from "./common.ts";
import { canvasSchema, INJECT_MODES } from "./flow.ts";
import { route } from "./route.ts";
import { runInputs } from "./run-inputs.ts";

export const PIPELINE_STATUSES = ["pending", "running", "completed", "failed", "cancelled"] as const;
export const STAGE_STATUSES = ["pending", "running", "completed", "failed", "skipped", "cancelled"] as const;
export const EXPORT_FORMATS = ["csv", "json", "ndjson"] as const;
export type PipelineStatus = (typeof PIPELINE_STATUSES)[number];
export type StageStatus = (typeof STAGE_STATUSES)[number];
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

const BODY_LIMIT = 16 * 1024 * 1024;

/** One object of the answer: `{Class: {attributes}}`, or flat where a post-processor made it so. */
const resultRow = z.record(z.string(), z.unknown());

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
export const idempotencyKey = trimmed(200).nullish().meta({
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
	/** A part of the query's name; runs without a saved query have none. */
	search: trimmed(200).optional(),
	saved_query_id: uuid.optional(),
	controller_connection_id: uuid.optional(),
	created_after: timestampInput.optional(),
	created_before: timestampInput.optional(),
};
const runList = z.object({ ...paging, ...runFilters });
export type RunList = z.output<typeof runList>;
const stageParam = patterned(/^[0-9]{1,4}$/, 4, "Must be the index of a stage.").transform(Number);

const base = { auth: "bearer", throttle: "user", permission: "view_pipelineexecution" } as const;
const read = { ...base, method: "GET", audit: { none: "reads" } } as const;
const ROOT = "/api/queries/pipeline-executions/";

export const pipelineRoutes = {
	create: route({
		...base,
		id: "pipelines.create",
		method: "POST",
		path: ROOT,
		summary: "Run a canvas against a controller, in the background",
		permission: "execute_savedquery",
		audit: { category: "query_execution", action: "query_run" },
		body: pipelineCreate,
		bodyLimit: BODY_LIMIT,
		answers: { 201: pipelineJob },
	}),
	list: route({
		...read,
		id: "pipelines.list",
		path: ROOT,
		summary: "The caller's runs, newest first",
		query: runList,
		answers: { 200: envelope(pipelineJob) },
	}),
	detail: route({
		...read,
		id: "pipelines.detail",
		path: `${ROOT}:id/`,
		summary: "A run with its stages",
		params: uuidParams,
		answers: { 200: pipelineDetail },
	}),
	stages: route({
		...read,
		id: "pipelines.stages",
		path: `${ROOT}:id/stages/`,
		summary: "The stages of a run",
		params: uuidParams,
		answers: { 200: z.array(pipelineStage) },
	}),
	/** With `export` the answer is the whole result as a file. */
	results: route({
		...read,
		id: "pipelines.results",
		path: `${ROOT}:id/results/`,
		summary: "The rows of a completed run, in pages or as one file (export)",
		params: uuidParams,
		query: z.object({
			...paging,
			stage: stageParam.optional(),
			export: z.enum(EXPORT_FORMATS, { error: `Must be one of: ${EXPORT_FORMATS.join(", ")}.` }).optional(),
		}),
		answers: { 200: envelope(resultRow), 409: errorDetail },
	}),
	cancel: route({
		...base,
		id: "pipelines.cancel",
		method: "POST",
		path: `${ROOT}:id/cancel/`,
		summary: "Stop a run that has not ended",
		permission: "execute_savedquery",
		audit: { category: "query_execution", action: "query_cancel" },
		params: uuidParams,
		answers: { 200: pipelineJob },
	}),
} as const;

/**
 * Progress of one run. A running one: all frames so far, then new ones. An ended one: its last
 * frame.
 */
export const chainExecutionChannel = channel({
	path: "/ws/chain-execution/:job_id/",
	summary: "Progress of a run, from its first node to its end",
	params: z.object({ job_id: uuid }),
	frames: {
		node_start: z.object({ node_id: z.string(), class_name: z.string() }),
		node_result: z.object({ node_id: z.string(), row_count: z.int() }),
		node_complete: z.object({ node_id: z.string(), duration_ms: z.int() }),
		execution_complete: z.object({ status: z.literal("completed"), total_rows: z.int(), results_url: z.string() }),
		execution_failed: z.object({ error: z.string(), failed_node: z.string().nullable() }),
	},
	final: ["execution_complete", "execution_failed"],
});
