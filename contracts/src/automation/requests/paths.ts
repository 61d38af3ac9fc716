/** Addresses of automation requests: one entry per route, and the channel. */

export const automationRequestPaths = {
	list: { id: "automation_requests.list", method: "GET", path: "/api/automation/requests/", auth: "bearer" },
	create: { id: "automation_requests.create", method: "POST", path: "/api/automation/requests/", auth: "bearer" },
	detail: { id: "automation_requests.detail", method: "GET", path: "/api/automation/requests/:id/", auth: "bearer" },
	update: { id: "automation_requests.update", method: "PATCH", path: "/api/automation/requests/:id/", auth: "bearer" },
	execute: {
		id: "automation_requests.execute",
		method: "POST",
		path: "/api/automation/requests/:id/execute/",
		auth: "bearer",
	},
	retry: {
		id: "automation_requests.retry",
		method: "POST",
		path: "/api/automation/requests/:id/retry/",
		auth: "bearer",
	},
	approve: {
		id: "automation_requests.approve",
		method: "POST",
		path: "/api/automation/requests/:id/approve/",
		auth: "bearer",
	},
	reject: {
		id: "automation_requests.reject",
		method: "POST",
		path: "/api/automation/requests/:id/reject/",
		auth: "bearer",
	},
	rollback: {
		id: "automation_requests.rollback",
		method: "POST",
		path: "/api/automation/requests/:id/rollback/",
		auth: "bearer",
	},
	copy: { id: "automation_requests.copy", method: "POST", path: "/api/automation/requests/:id/copy/", auth: "bearer" },
	history: {
		id: "automation_requests.history",
		method: "GET",
		path: "/api/automation/requests/:id/history/",
		auth: "bearer",
	},
	version: {
		id: "automation_requests.version",
		method: "GET",
		path: "/api/automation/requests/:id/history/:version/",
		auth: "bearer",
	},
	comment: {
		id: "automation_requests.comment",
		method: "POST",
		path: "/api/automation/requests/:id/comments/",
		auth: "bearer",
	},
	review: {
		id: "automation_requests.review",
		method: "GET",
		path: "/api/automation/requests/:id/review/",
		auth: "bearer",
	},
	cancel: {
		id: "automation_requests.cancel",
		method: "POST",
		path: "/api/automation/requests/:id/cancel/",
		auth: "bearer",
	},
} as const;

export const automationRequestChannelPath = {
	path: "/ws/automation/request/:request_id/",
	frameTypes: ["request_status", "execution_spawned", "execution_status", "execution_complete", "request_complete"],
	final: ["request_complete"],
} as const;
