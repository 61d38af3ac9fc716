/** Addresses of checks: one entry per route. */
import { defineCrudPaths } from "../core/paths.ts";

const { list, create, ...one } = defineCrudPaths("checks", "/api/checks/");

export const checkPaths = {
	list,
	create,
	preview: { id: "checks.preview", method: "POST", path: "/api/checks/preview/", auth: "bearer" },
	templates: { id: "checks.templates", method: "GET", path: "/api/checks/templates/", auth: "bearer" },
	recipients: { id: "checks.recipients", method: "GET", path: "/api/checks/recipients/", auth: "bearer" },
	install: { id: "checks.install", method: "POST", path: "/api/checks/templates/:key/install/", auth: "bearer" },
	...one,
	evaluate: { id: "checks.evaluate", method: "POST", path: "/api/checks/:id/evaluate/", auth: "bearer" },
	watch: { id: "checks.watch", method: "POST", path: "/api/checks/:id/watch/", auth: "bearer" },
	acknowledge: { id: "checks.acknowledge", method: "POST", path: "/api/checks/:id/acknowledge/", auth: "bearer" },
	mute: { id: "checks.mute", method: "POST", path: "/api/checks/:id/mute/", auth: "bearer" },
	events: { id: "checks.events", method: "GET", path: "/api/checks/:id/events/", auth: "bearer" },
	series: { id: "checks.series", method: "GET", path: "/api/checks/:id/series/", auth: "bearer" },
	evidence: { id: "checks.evidence", method: "GET", path: "/api/checks/:id/states/:connection_id/", auth: "bearer" },
} as const;
