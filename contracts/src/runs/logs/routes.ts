/** Routes of the log of executions. */
import { defineEnvelope } from "../../core/common.ts";
import { defineRoute } from "../../core/route.ts";
import { executionLogPaths } from "./paths.ts";
import { executionLog, executionLogList } from "./shapes.ts";

export const executionLogRoutes = {
	list: defineRoute({
		...executionLogPaths.list,
		throttle: "user",
		audit: { none: "read" },
		summary: "Executions of queries that the caller may see, and the caller's own",
		permission: "view_executionlog",
		query: executionLogList,
		answers: { 200: defineEnvelope(executionLog) },
	}),
} as const;
