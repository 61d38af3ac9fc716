/** Addresses of automation jobs: one entry per route, and the channel. */

export const automationExecutionPaths = {
	list: { id: "automation_executions.list", method: "GET", path: "/api/automation/executions/", auth: "bearer" },
	detail: {
		id: "automation_executions.detail",
		method: "GET",
		path: "/api/automation/executions/:id/",
		auth: "bearer",
	},
	cancel: {
		id: "automation_executions.cancel",
		method: "POST",
		path: "/api/automation/executions/:id/cancel/",
		auth: "bearer",
	},
	relaunch: {
		id: "automation_executions.relaunch",
		method: "POST",
		path: "/api/automation/executions/:id/relaunch/",
		auth: "bearer",
	},
	output: {
		id: "automation_executions.output",
		method: "GET",
		path: "/api/automation/executions/:id/output/",
		auth: "bearer",
	},
	download: {
		id: "automation_executions.download_output",
		method: "GET",
		path: "/api/automation/executions/:id/download-output/",
		auth: "bearer",
	},
	nodes: {
		id: "automation_executions.workflow_nodes",
		method: "GET",
		path: "/api/automation/executions/:id/workflow-nodes/",
		auth: "bearer",
	},
	nodeOutput: {
		id: "automation_executions.node_output",
		method: "GET",
		path: "/api/automation/executions/:id/node-output/:automation_job_id/",
		auth: "bearer",
	},
	rowResults: {
		id: "automation_executions.row_results",
		method: "GET",
		path: "/api/automation/executions/:id/row-results/",
		auth: "bearer",
	},
} as const;

export const automationExecutionChannelPath = {
	path: "/ws/automation/execution/:execution_id/",
	frameTypes: ["stdout_chunk", "status_changed", "execution_complete"],
	final: ["execution_complete"],
} as const;
