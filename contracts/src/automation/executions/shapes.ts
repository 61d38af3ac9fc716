/**
 * Executions of automation requests: one job or workflow each, its output, nodes and row results.
 */
import * as z from "zod";
import { definePatternText } from "../../core/bounded.ts";
import { defineOrdering, paging, timestamp, uuid } from "../../core/common.ts";
import { automationWarning } from "../common.ts";
import { rowCounts } from "../row-counts.ts";
import { AUTOMATION_KINDS } from "../values.ts";
import { AUTOMATION_EXECUTION_STATUSES, LAUNCH_STATES, OUTPUT_MAX, ROW_STATUSES } from "./values.ts";

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
	launch_state: z.enum(LAUNCH_STATES),
	/** The change window whose gate the launch waits for, and that ends with the job. */
	change_window: z.string().nullable(),
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
	/** Rows by the worst result of their hosts; null before the job ends, and without a job. */
	row_counts: rowCounts.nullable(),
	/** Hosts that took part; null before the end of the job, for workflows, and if not known. */
	host_count: z.int().nullable(),
	/** What a job left open or failed, such as `rows_untouched`. */
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

export const automationExecutionList = z.object({
	...paging,
	automation_request: uuid.optional(),
	automation_connection: uuid.optional(),
	status: z
		.enum(AUTOMATION_EXECUTION_STATUSES, { error: `Must be one of: ${AUTOMATION_EXECUTION_STATUSES.join(", ")}.` })
		.optional(),
	ordering: defineOrdering(["created_at", "updated_at", "started_at", "finished_at", "status"], "-created_at"),
});
export type AutomationExecutionList = z.output<typeof automationExecutionList>;

const defineCountParam = (name: string) =>
	definePatternText(/^[0-9]{1,10}$/, 10, `${name} must be a whole number.`).transform(Number);
export const outputQuery = z.object({
	/** In UTF-16 code units of the whole text. */
	offset: defineCountParam("offset").default(0),
	limit: defineCountParam("limit")
		.refine((value) => value >= 1, "limit must be at least 1.")
		.transform((value) => Math.min(value, OUTPUT_MAX))
		.default(OUTPUT_MAX),
});
export type OutputQuery = z.output<typeof outputQuery>;

export const automationOutput = z.object({
	execution_id: z.string(),
	automation_job_id: z.int().nullable(),
	status: z.string(),
	offset: z.int(),
	next_offset: z.int(),
	stdout: z.string(),
	/** True when nothing follows `next_offset` and nothing will. */
	complete: z.boolean(),
});
export type AutomationOutput = z.infer<typeof automationOutput>;

export const automationNode = z.object({
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
export type AutomationNode = z.infer<typeof automationNode>;

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

export const automationRowResults = z.object({
	execution_id: z.string(),
	/** One entry per row and host; of several tasks the worst result. */
	rows: z.array(rowResult),
	/** Rows by status; of several hosts the worst. */
	summary: z.record(z.enum(ROW_STATUSES), z.int()),
	warnings: z.array(automationWarning),
	/** How a playbook reports its rows; null unless the job has ended and left some unknown. */
	hint: z.string().nullable(),
});
export type AutomationRowResults = z.infer<typeof automationRowResults>;
