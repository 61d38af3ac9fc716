/** One query on many connections at once: a run for each, and one answer over all of them. */
import * as z from "zod";
import { listOf } from "./bounded.ts";
import { channel } from "./channel.ts";
import { envelope, errorDetail, paging, timestamp, timestampInput, trimmed, uuid, uuidParams } from "./common.ts";
import { GROUP_CONNECTIONS_MAX } from "./connection-groups.ts";
import { canvasSchema } from "./flow.ts";
import { EXPORT_FORMATS, idempotencyKey } from "./pipelines.ts";
import { route } from "./route.ts";
import { runInputs } from "./run-inputs.ts";

export const GROUP_STATUSES = ["running", "completed", "partial", "failed", "cancelled"] as const;
/** `unsupported`: the connection's release does not have a class of the query. */
export const GROUP_RUN_STATUSES = ["pending", "running", "completed", "failed", "cancelled", "unsupported"] as const;
export type GroupStatus = (typeof GROUP_STATUSES)[number];
export type GroupRunStatus = (typeof GROUP_RUN_STATUSES)[number];

const BODY_LIMIT = 16 * 1024 * 1024;

const groupRun = z.object({
	controller_connection_id: z.string(),
	controller_connection_name: z.string(),
	/** The run, which `/api/queries/pipeline-executions/` shows in full. */
	pipeline_job_id: z.string(),
	status: z.enum(GROUP_RUN_STATUSES),
	/** Null before the run is complete. */
	total_rows: z.int().nullable(),
	error: z.string().nullable(),
});
export type GroupRun = z.infer<typeof groupRun>;

export const groupExecution = z.object({
	id: z.string(),
	/**
	 * `completed`: every connection answered, or lacks the class. `partial`: some did, some did not.
	 * `failed`: none did. `cancelled`: by the cancel route.
	 */
	status: z.enum(GROUP_STATUSES),
	saved_query_id: z.string().nullable(),
	query_name: z.string().nullable(),
	query_version: z.string().nullable(),
	/** The group that was named; null without one, and once it is deleted. */
	connection_group: z.string().nullable(),
	/** Members of the group that the caller did not see at the start. They were not run. */
	hidden_count: z.int(),
	/** Of the completed runs; null while the status is `running`. */
	total_rows: z.int().nullable(),
	created_at: timestamp,
	completed_at: timestamp.nullable(),
	results_url: z.string(),
	/** In the order of the results. */
	runs: z.array(groupRun),
});
export type GroupExecution = z.infer<typeof groupExecution>;

export const groupExecutionCreate = z
	.object({
		/** The query: one of these two. */
		saved_query_id: uuid.nullish(),
		flow_data: canvasSchema.nullish(),
		/** Where: one of these two. */
		connection_ids: listOf(uuid, {
			max: GROUP_CONNECTIONS_MAX,
			tooMany: `Must be at most ${GROUP_CONNECTIONS_MAX} connections.`,
		})
			.min(1, "Must name at least one connection.")
			.transform((ids) => [...new Set(ids)])
			.nullish(),
		connection_group: uuid.nullish(),
		/** Post-processors and variables are those of a canvas; a saved query has its own. */
		...runInputs,
		idempotency_key: idempotencyKey,
	})
	.refine(
		({ connection_ids, connection_group }) =>
			((connection_ids ?? null) === null) !== ((connection_group ?? null) === null),
		"Give either connection_ids or connection_group.",
	)
	.refine(
		({ saved_query_id, flow_data }) => ((saved_query_id ?? null) === null) !== ((flow_data ?? null) === null),
		"Give either saved_query_id or flow_data.",
	);
export type GroupExecutionCreate = z.output<typeof groupExecutionCreate>;

const list = z.object({
	...paging,
	status: z.enum(GROUP_STATUSES, { error: `Must be one of: ${GROUP_STATUSES.join(", ")}.` }).optional(),
	/** A part of the query's name. */
	search: trimmed(200).optional(),
	saved_query_id: uuid.optional(),
	connection_group: uuid.optional(),
	created_after: timestampInput.optional(),
	created_before: timestampInput.optional(),
});
export type GroupExecutionList = z.output<typeof list>;

/** A connection that gave no rows, and why. */
const absence = z.object({ connection: z.string(), error: z.string() });
export type GroupAbsence = z.infer<typeof absence>;

/** What connections have under one value of the pivot's property. */
export const pivotEntry = z.object({
	key: z.string(),
	connections: z.array(z.string()),
	/** Connections that answered and have no such row. */
	missing: z.array(z.string()),
	/**
	 * Attribute to connection to value. A list where a connection has several rows with this key;
	 * null where its rows lack the attribute.
	 */
	differing: z.record(z.string(), z.record(z.string(), z.unknown())),
});
export type PivotEntry = z.infer<typeof pivotEntry>;

/** `{connection, Class: {attributes}}`, or flat where a post-processor made it so. */
const mergedRow = z.record(z.string(), z.unknown());

const results = envelope(z.union([pivotEntry, mergedRow])).extend({
	/** Absent when every connection answered. */
	partial: z.array(absence).optional(),
	/** Connections whose release lacks a class of the query; absent when there are none. */
	unsupported: z.array(absence).optional(),
});
export type GroupResults = z.infer<typeof results>;

const base = { auth: "bearer", throttle: "user", permission: "view_pipelineexecution" } as const;
const read = { ...base, method: "GET", audit: { none: "reads" } } as const;
const change = { ...base, method: "POST", permission: "execute_savedquery" } as const;
const ROOT = "/api/queries/group-executions/";

export const groupExecutionRoutes = {
	create: route({
		...change,
		id: "group_executions.create",
		path: ROOT,
		summary: "Run a saved query or a canvas on several connections at once",
		audit: { category: "query_execution", action: "group_execution_start" },
		body: groupExecutionCreate,
		bodyLimit: BODY_LIMIT,
		answers: { 201: groupExecution },
	}),
	list: route({
		...read,
		id: "group_executions.list",
		path: ROOT,
		summary: "The caller's group executions, newest first",
		query: list,
		answers: { 200: envelope(groupExecution) },
	}),
	detail: route({
		...read,
		id: "group_executions.detail",
		path: `${ROOT}:id/`,
		summary: "A group execution with its run on each connection",
		params: uuidParams,
		answers: { 200: groupExecution },
	}),
	cancel: route({
		...change,
		id: "group_executions.cancel",
		path: `${ROOT}:id/cancel/`,
		summary: "Cancel the runs that have not ended",
		audit: { category: "query_execution", action: "group_execution_cancel" },
		params: uuidParams,
		answers: { 200: groupExecution },
	}),
	retry: route({
		...change,
		id: "group_executions.retry",
		path: `${ROOT}:id/retry/`,
		summary: "Start the runs again that failed or were cancelled",
		audit: { category: "query_execution", action: "group_execution_retry" },
		params: uuidParams,
		answers: { 202: groupExecution },
	}),
	/**
	 * The header `X-Weft-Partial: true` goes with every answer that lacks the rows of a connection. A
	 * file then names the connections first: `{"_partial": […]}` as the first line or element, or
	 * `# partial: NAME: ERROR` as first lines of CSV.
	 */
	results: route({
		...read,
		id: "group_executions.results",
		path: `${ROOT}:id/results/`,
		summary: "Rows of all connections in their order: in pages, as one file (export), or by a property (pivot)",
		params: uuidParams,
		query: z
			.object({
				...paging,
				export: z.enum(EXPORT_FORMATS, { error: `Must be one of: ${EXPORT_FORMATS.join(", ")}.` }).optional(),
				/** A property, such as `name`: one entry for each of its values. */
				pivot: trimmed(200).optional(),
			})
			.refine(({ export: format, pivot }) => format === undefined || pivot === undefined, {
				path: ["pivot"],
				error: "Cannot be combined with export.",
			}),
		answers: { 200: results, 409: errorDetail },
	}),
} as const;

/** Progress of all runs: how each stands now, then each change, then the end. */
export const groupExecutionChannel = channel({
	path: "/ws/group-execution/:id/",
	summary: "Progress of a group execution: each connection's run, and the end",
	params: z.object({ id: uuid }),
	frames: {
		run_status: z.object({
			controller_connection_id: z.string(),
			status: z.enum(GROUP_RUN_STATUSES),
			total_rows: z.int().nullable(),
		}),
		group_complete: z.object({ status: z.enum(GROUP_STATUSES), total_rows: z.int(), results_url: z.string() }),
	},
	final: ["group_complete"],
});
