/** Addresses of checks: one entry per route. */

export const checkPaths = {
	list: { id: "checks.list", method: "GET", path: "/api/checks/", auth: "bearer" },
	create: { id: "checks.create", method: "POST", path: "/api/checks/", auth: "bearer" },
	preview: { id: "checks.preview", method: "POST", path: "/api/checks/preview/", auth: "bearer" },
	templates: { id: "checks.templates", method: "GET", path: "/api/checks/templates/", auth: "bearer" },
	install: { id: "checks.install", method: "POST", path: "/api/checks/templates/:key/install/", auth: "bearer" },
	detail: { id: "checks.detail", method: "GET", path: "/api/checks/:id/", auth: "bearer" },
	update: { id: "checks.update", method: "PATCH", path: "/api/checks/:id/", auth: "bearer" },
	replace: { id: "checks.replace", method: "PUT", path: "/api/checks/:id/", auth: "bearer" },
	remove: { id: "checks.remove", method: "DELETE", path: "/api/checks/:id/", auth: "bearer" },
	evaluate: { id: "checks.evaluate", method: "POST", path: "/api/checks/:id/evaluate/", auth: "bearer" },
	acknowledge: { id: "checks.acknowledge", method: "POST", path: "/api/checks/:id/acknowledge/", auth: "bearer" },
	mute: { id: "checks.mute", method: "POST", path: "/api/checks/:id/mute/", auth: "bearer" },
	events: { id: "checks.events", method: "GET", path: "/api/checks/:id/events/", auth: "bearer" },
	evidence: { id: "checks.evidence", method: "GET", path: "/api/checks/:id/states/:connection_id/", auth: "bearer" },
} as const;
