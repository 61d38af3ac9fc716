/** Routes of group runs. */
import * as z from "zod";
import { boolParam, defineEnvelope, defineTrimmedText, errorDetail, paging, uuidParams } from "../../core/common.ts";
import { defineRoute } from "../../core/route.ts";
import { EXPORT_FORMATS } from "../pipelines/values.ts";
import { groupExecutionPaths } from "./paths.ts";
import { groupExecution, groupExecutionCreate, groupExecutionList, groupResults } from "./shapes.ts";

const BODY_LIMIT = 16 * 1024 * 1024;

const base = { throttle: "user", permission: "view_pipelineexecution" } as const;
const read = { ...base, audit: { none: "reads" } } as const;
const change = { ...base, permission: "execute_savedquery" } as const;

export const groupExecutionRoutes = {
	create: defineRoute({
		...groupExecutionPaths.create,
		...change,
		summary: "Run a saved query or a canvas on several connections at once",
		audit: { category: "query_execution", action: "group_execution_start" },
		body: groupExecutionCreate,
		bodyLimit: BODY_LIMIT,
		answers: { 201: groupExecution },
	}),
	list: defineRoute({
		...groupExecutionPaths.list,
		...read,
		summary: "The caller's group executions, newest first",
		query: groupExecutionList,
		answers: { 200: defineEnvelope(groupExecution) },
	}),
	detail: defineRoute({
		...groupExecutionPaths.detail,
		...read,
		summary: "A group execution with its run on each connection",
		params: uuidParams,
		answers: { 200: groupExecution },
	}),
	cancel: defineRoute({
		...groupExecutionPaths.cancel,
		...change,
		summary: "Cancel the runs that have not ended",
		audit: { category: "query_execution", action: "group_execution_cancel" },
		params: uuidParams,
		answers: { 200: groupExecution },
	}),
	retry: defineRoute({
		...groupExecutionPaths.retry,
		...change,
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
	results: defineRoute({
		...groupExecutionPaths.results,
		...read,
		summary: "Rows of all connections in their order: in pages, as one file (export), or by a property (pivot)",
		params: uuidParams,
		query: z
			.object({
				...paging,
				export: z.enum(EXPORT_FORMATS, { error: `Must be one of: ${EXPORT_FORMATS.join(", ")}.` }).optional(),
				/** A property, such as `name`: one entry for each of its values. */
				pivot: defineTrimmedText(200).optional(),
				/**
				 * With `pivot`: differences leave out the attributes of
				 * /api/time-machine/identity-attributes/.
				 */
				ignore_identity: boolParam.optional(),
			})
			.refine(({ export: format, pivot }) => format === undefined || pivot === undefined, {
				path: ["pivot"],
				error: "Cannot be combined with export.",
			}),
		answers: { 200: groupResults, 409: errorDetail },
	}),
} as const;
