/** Addresses of the log of executions: one entry per route. */

export const executionLogPaths = {
	list: { id: "execution_logs.list", method: "GET", path: "/api/queries/execution-logs/", auth: "bearer" },
} as const;
