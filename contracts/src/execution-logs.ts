/** The log of executions of saved queries. */
import * as z from "zod";
import { boolParam, envelope, ordering, paging, timestamp, uuid } from "./common.ts";
import { route } from "./route.ts";

export const executionLog = z.object({
	id: z.string(),
	/** Null once the query has been deleted. */
	query: z.string().nullable(),
	query_name: z.string(),
	executed_by: z.string(),
	executed_at: timestamp,
	execution_time_ms: z.int(),
	result_count: z.int(),
	success: z.boolean(),
	error_message: z.string().nullable(),
});
export type ExecutionLog = z.infer<typeof executionLog>;

export const EXECUTION_LOG_ORDERINGS = ["executed_at", "execution_time_ms"] as const;

export const executionLogList = z.object({
	...paging,
	query: uuid.optional(),
	success: boolParam.optional(),
	ordering: ordering(EXECUTION_LOG_ORDERINGS, "-executed_at"),
});
export type ExecutionLogList = z.output<typeof executionLogList>;

export const executionLogRoutes = {
	list: route({
		auth: "bearer",
		throttle: "user",
		method: "GET",
		audit: { none: "read" },
		id: "execution_logs.list",
		path: "/api/queries/execution-logs/",
		summary: "Executions of queries that the caller may see, and the caller's own",
		permission: "view_executionlog",
		query: executionLogList,
		answers: { 200: envelope(executionLog) },
	}),
} as const;
