/** Addresses of group runs: one entry per route, and the channel. */

export const groupExecutionPaths = {
	create: { id: "group_executions.create", method: "POST", path: "/api/queries/group-executions/", auth: "bearer" },
	list: { id: "group_executions.list", method: "GET", path: "/api/queries/group-executions/", auth: "bearer" },
	detail: { id: "group_executions.detail", method: "GET", path: "/api/queries/group-executions/:id/", auth: "bearer" },
	cancel: {
		id: "group_executions.cancel",
		method: "POST",
		path: "/api/queries/group-executions/:id/cancel/",
		auth: "bearer",
	},
	retry: {
		id: "group_executions.retry",
		method: "POST",
		path: "/api/queries/group-executions/:id/retry/",
		auth: "bearer",
	},
	results: {
		id: "group_executions.results",
		method: "GET",
		path: "/api/queries/group-executions/:id/results/",
		auth: "bearer",
	},
} as const;

export const groupExecutionChannelPath = {
	path: "/ws/group-execution/:id/",
	frameTypes: ["run_status", "group_complete"],
	final: ["group_complete"],
} as const;
