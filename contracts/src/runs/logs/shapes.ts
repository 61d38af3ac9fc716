/** The log of executions of saved queries. */
import * as z from "zod";
import { boolParam, defineOrdering, paging, timestamp, uuid } from "../../core/common.ts";
import { EXECUTION_LOG_ORDERINGS } from "./values.ts";

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

export const executionLogList = z.object({
	...paging,
	query: uuid.optional(),
	success: boolParam.optional(),
	ordering: defineOrdering(EXECUTION_LOG_ORDERINGS, "-executed_at"),
});
export type ExecutionLogList = z.output<typeof executionLogList>;
