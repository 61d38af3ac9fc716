/** One query on many connections at once: a run for each, and one answer over all of them. */
import * as z from "zod";
import { defineList } from "../../core/bounded.ts";
import { defineEnvelope, defineTrimmedText, paging, timestamp, timestampInput, uuid } from "../../core/common.ts";
import { GROUP_CONNECTIONS_MAX } from "../../fabrics/groups/values.ts";
import { canvasSchema } from "../../queries/flow/shapes.ts";
import { runInputs } from "../inputs.ts";
import { idempotencyKey } from "../pipelines/shapes.ts";
import { GROUP_RUN_STATUSES, GROUP_STATUSES } from "./values.ts";

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
		connection_ids: defineList(uuid, {
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

export const groupExecutionList = z.object({
	...paging,
	status: z.enum(GROUP_STATUSES, { error: `Must be one of: ${GROUP_STATUSES.join(", ")}.` }).optional(),
	/** A part of the query's name. */
	search: defineTrimmedText(200).optional(),
	saved_query_id: uuid.optional(),
	connection_group: uuid.optional(),
	created_after: timestampInput.optional(),
	created_before: timestampInput.optional(),
});
export type GroupExecutionList = z.output<typeof groupExecutionList>;

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

export const groupResults = defineEnvelope(z.union([pivotEntry, mergedRow])).extend({
	/** Absent when every connection answered. */
	partial: z.array(absence).optional(),
	/** Connections whose release lacks a class of the query; absent when there are none. */
	unsupported: z.array(absence).optional(),
});
