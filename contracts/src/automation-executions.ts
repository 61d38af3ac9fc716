/**
 * Executions of automation requests: one job or workflow each, its output, nodes and row results.
 */
import * as z from "zod";
import { AUTOMATION_KINDS, automationWarning, common, execution, read } from "./automation-common.ts";
import { patterned } from "./bounded.ts";
import { channel } from "./channel.ts";
import {
	envelope,
	errorDetail,
	errorUpstream,
	intId,
	ordering,
	paging,
	timestamp,
	uuid,
	uuidParams,
} from "./common.ts";
import { raw, route } from "./route.ts";

export const AUTOMATION_EXECUTION_STATUSES = [
	"pending",
	"waiting",
	"running",
	"successful",
	"failed",
	"error",
	"cancelled",
] as const;
export type AutomationExecutionStatus = (typeof AUTOMATION_EXECUTION_STATUSES)[number];

export const ROW_STATUSES = ["ok", "changed", "failed", "skipped", "unreachable", "censored", "unknown"] as const;
export type RowStatus = (typeof ROW_STATUSES)[number];

const status = z.enum(AUTOMATION_EXECUTION_STATUSES);

/**
 * `captured`: compare `snapshot_id`, which may be an earlier snapshot if nothing changed. `failed`:
 * `problem` holds the reason.
 */
const watchedState = z.object({
	status: z.enum(["waiting", "captured", "failed"]),
	snapshot_id: z.string().nullable(),
	problem: z.string().nullable(),
});

export const automationExecution = z.object({
	id: z.string(),
	automation_request: z.string(),
	automation_request_title: z.string(),
	template_name: z.string(),
	kind: z.enum(AUTOMATION_KINDS),
	automation_connection: z.string(),
	automation_connection_name: z.string(),
	/** Null before the launch is known to have happened. */
	automation_job_id: z.int().nullable(),
	/** The job's page of the automation server's user interface; empty without a job. */
	automation_job_url: z.string(),
	status,
	check_mode: z.boolean(),
	progress_percentage: z.int(),
	current_task: z.string().nullable(),
	/** Tasks over all hosts; `failed` counts unreachable hosts too. */
	playbook_counts: z.object({ ok: z.int(), changed: z.int(), failed: z.int() }),
	started_at: timestamp.nullable(),
	finished_at: timestamp.nullable(),
	elapsed_seconds: z.int(),
	relaunch_of: z.string().nullable(),
	relaunch_count: z.int(),
	/** Why the server lets it wait, or why it did not run. */
	explanation: z.string(),
	/** Why there is no job, or why it cannot be followed any more. */
	error: z.string().nullable(),
	cancel_requested_at: timestamp.nullable(),
	/** Why the job could not be cancelled. */
	cancel_error: z.string().nullable(),
	/** True when output and results are whole: the server has delivered everything. */
	output_complete: z.boolean(),
	/** Events that the server announced and never delivered. */
	lost_events: z.int(),
	/** Rows whose result is not known at the end of the job; null before the end. */
	rows_unknown: z.int().nullable(),
	/** What a job left open although it ended well, such as `rows_untouched`. */
	warnings: z.array(automationWarning),
	/** Snapshots before and after the job; null if none were requested. */
	watch: z
		.object({
			saved_query_id: z.string(),
			controller_connection_id: z.string(),
			before: watchedState,
			after: watchedState,
		})
		.nullable(),
	launched_by: z.string(),
	created_at: timestamp,
	updated_at: timestamp,
});
export type AutomationExecution = z.infer<typeof automationExecution>;

const list = z.object({
	...paging,
	automation_request: uuid.optional(),
	automation_connection: uuid.optional(),
	status: z
		.enum(AUTOMATION_EXECUTION_STATUSES, { error: `Must be one of: ${AUTOMATION_EXECUTION_STATUSES.join(", ")}.` })
		.optional(),
	ordering: ordering(["created_at", "updated_at", "started_at", "finished_at", "status"], "-created_at"),
});
export type AutomationExecutionList = z.output<typeof list>;

/** UTF-16 code units that one answer has at most. */
export const OUTPUT_MAX = 10_000_000;
const units = (name: string) => patterned(/^[0-9]{1,10}$/, 10, `${name} must be a whole number.`).transform(Number);
const outputQuery = z.object({
	/** In UTF-16 code units of the whole text. */
	offset: units("offset").default(0),
	limit: units("limit")
		.refine((value) => value >= 1, "limit must be at least 1.")
		.transform((value) => Math.min(value, OUTPUT_MAX))
		.default(OUTPUT_MAX),
});
export type OutputQuery = z.output<typeof outputQuery>;

const output = z.object({
	execution_id: z.string(),
	automation_job_id: z.int().nullable(),
	status: z.string(),
	offset: z.int(),
	next_offset: z.int(),
	stdout: z.string(),
	/** True when nothing follows `next_offset` and nothing will. */
	complete: z.boolean(),
});
export type AutomationOutput = z.infer<typeof output>;

const node = z.object({
	id: z.int(),
	identifier: z.string(),
	job_id: z.int().nullable(),
	name: z.string(),
	/**
	 * The job's status; `pending` before it has a job, `skipped` if the workflow took another branch.
	 */
	status: z.string(),
	elapsed: z.number(),
	depends_on: z.array(z.int()),
	/** The node whose job is the nested workflow that holds this node; null on the first level. */
	parent_id: z.int().nullable(),
	type: z.string(),
});
export type AutomationNode = z.infer<typeof node>;

const rowResult = z.object({
	row_index: z.int(),
	sheet: z.string().nullable(),
	/**
	 * `unknown`: the job reported no result of this row. `censored`: it may have, but tasks with
	 * `no_log` hide their items.
	 */
	status: z.enum(ROW_STATUSES),
	host: z.string().nullable(),
	message: z.string(),
});
export type AutomationRowResult = z.infer<typeof rowResult>;

const rowResults = z.object({
	execution_id: z.string(),
	/** One entry per row and host; of several tasks the worst result. */
	rows: z.array(rowResult),
	/** Rows by status; of several hosts the worst. */
	summary: z.record(z.enum(ROW_STATUSES), z.int()),
	warnings: z.array(automationWarning),
	/** How a playbook reports its rows; null unless the job has ended and left some unknown. */
	hint: z.string().nullable(),
});
export type AutomationRowResults = z.infer<typeof rowResults>;

const path = "/api/automation/executions/";
const one = `${path}:id/` as const;
const look = {
	...common,
	method: "GET",
	permission: "view_automationexecution",
	audit: read,
	params: uuidParams,
} as const;

export const automationExecutionRoutes = {
	list: route({
		...common,
		id: "automation_executions.list",
		method: "GET",
		path,
		summary: "Executions of the requests that the caller sees, newest first",
		permission: "view_automationexecution",
		audit: read,
		query: list,
		answers: { 200: envelope(automationExecution) },
	}),
	detail: route({
		...look,
		id: "automation_executions.detail",
		path: one,
		summary: "One execution",
		answers: { 200: automationExecution },
	}),
	cancel: route({
		...common,
		id: "automation_executions.cancel",
		method: "POST",
		path: `${one}cancel/`,
		summary: "Cancel the job on the automation server",
		permission: "launch_automationrequest",
		audit: execution("automation_execution_cancel"),
		params: uuidParams,
		answers: { 202: automationExecution, 409: errorDetail },
	}),
	relaunch: route({
		...common,
		id: "automation_executions.relaunch",
		method: "POST",
		path: `${one}relaunch/`,
		summary: "Launch the same job again, on all its hosts or on those that failed",
		permission: "launch_automationrequest",
		audit: execution("automation_execution_relaunch"),
		params: uuidParams,
		body: z.object({ hosts: z.enum(["all", "failed"], { error: "Must be all or failed." }).default("all") }),
		bodyOptional: true,
		answers: { 201: automationExecution, 409: errorDetail, 502: errorUpstream, 504: errorUpstream },
	}),
	output: route({
		...look,
		id: "automation_executions.output",
		path: `${one}output/`,
		summary: "The output so far, from an offset",
		query: outputQuery,
		answers: { 200: output },
	}),
	download: route({
		...look,
		id: "automation_executions.download_output",
		path: `${one}download-output/`,
		summary: "The output so far as a file",
		answers: { 200: raw("text/plain", "The output as an attachment") },
	}),
	nodes: route({
		...look,
		id: "automation_executions.workflow_nodes",
		path: `${one}workflow-nodes/`,
		summary: "The nodes of a workflow and of workflows in it, and how each stands; none for a plain job",
		answers: { 200: z.object({ nodes: z.array(node) }) },
	}),
	nodeOutput: route({
		...common,
		id: "automation_executions.node_output",
		method: "GET",
		path: `${one}node-output/:automation_job_id/`,
		summary: "The output of one node's job",
		permission: "view_automationexecution",
		audit: read,
		params: z.object({ id: uuid, automation_job_id: intId }),
		query: outputQuery,
		answers: { 200: output },
	}),
	rowResults: route({
		...look,
		id: "automation_executions.row_results",
		path: `${one}row-results/`,
		summary: "What became of each row, on each host",
		answers: { 200: rowResults },
	}),
} as const;

export const automationExecutionChannel = channel({
	path: "/ws/automation/execution/:execution_id/",
	summary: "One execution: how it stands, its output from the beginning and as it comes, to its end",
	params: z.object({ execution_id: uuid }),
	frames: {
		/** In UTF-16 code units, without gaps. */
		stdout_chunk: z.object({ offset: z.int(), text: z.string() }),
		/** The first one tells how it stands: `from` is null. */
		status_changed: z.object({ from: z.string().nullable(), to: z.string() }),
		execution_complete: z.object({ status: z.string(), artifacts: z.record(z.string(), z.unknown()) }),
	},
	final: ["execution_complete"],
});
