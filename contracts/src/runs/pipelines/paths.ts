/** Addresses of runs: one entry per route, and the channel. */

export const pipelinePaths = {
	create: { id: "pipelines.create", method: "POST", path: "/api/queries/pipeline-executions/", auth: "bearer" },
	list: { id: "pipelines.list", method: "GET", path: "/api/queries/pipeline-executions/", auth: "bearer" },
	detail: { id: "pipelines.detail", method: "GET", path: "/api/queries/pipeline-executions/:id/", auth: "bearer" },
	stages: {
		id: "pipelines.stages",
		method: "GET",
		path: "/api/queries/pipeline-executions/:id/stages/",
		auth: "bearer",
	},
	results: {
		id: "pipelines.results",
		method: "GET",
		path: "/api/queries/pipeline-executions/:id/results/",
		auth: "bearer",
	},
	cancel: {
		id: "pipelines.cancel",
		method: "POST",
		path: "/api/queries/pipeline-executions/:id/cancel/",
		auth: "bearer",
	},
} as const;

export const chainExecutionChannelPath = {
	path: "/ws/chain-execution/:job_id/",
	frameTypes: ["node_start", "node_result", "node_complete", "execution_complete", "execution_failed"],
	final: ["execution_complete", "execution_failed"],
} as const;
