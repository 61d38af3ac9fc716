/** Addresses of snapshots: one entry per route. */
import { seriesPaths } from "./series/paths.ts";

export const timeMachinePaths = {
	capture: { id: "time_machine.capture", method: "POST", path: "/api/time-machine/capture/", auth: "bearer" },
	queries: { id: "time_machine.queries", method: "GET", path: "/api/time-machine/queries/", auth: "bearer" },
	list: { id: "time_machine.list", method: "GET", path: "/api/time-machine/snapshots/", auth: "bearer" },
	detail: { id: "time_machine.detail", method: "GET", path: "/api/time-machine/snapshots/:id/", auth: "bearer" },
	annotate: {
		id: "time_machine.annotate",
		method: "POST",
		path: "/api/time-machine/snapshots/:id/annotate/",
		auth: "bearer",
	},
	compare: { id: "time_machine.compare", method: "POST", path: "/api/time-machine/compare/", auth: "bearer" },
	identityAttributes: {
		id: "time_machine.identity_attributes",
		method: "GET",
		path: "/api/time-machine/identity-attributes/",
		auth: "bearer",
	},
	volatileAttributes: {
		id: "time_machine.volatile_attributes",
		method: "GET",
		path: "/api/time-machine/volatile-attributes/",
		auth: "bearer",
	},
	heatmap: { id: "time_machine.heatmap", method: "GET", path: "/api/time-machine/heatmap/", auth: "bearer" },
	...seriesPaths,
	timeline: { id: "time_machine.timeline", method: "GET", path: "/api/time-machine/timeline/", auth: "bearer" },
	blame: { id: "time_machine.blame", method: "GET", path: "/api/time-machine/blame/", auth: "bearer" },
	dns: { id: "time_machine.dns", method: "GET", path: "/api/time-machine/saved-queries/:id/dns/", auth: "bearer" },
	cleanupPreview: {
		id: "time_machine.cleanup_preview",
		method: "POST",
		path: "/api/time-machine/cleanup/preview/",
		auth: "bearer",
	},
	cleanup: { id: "time_machine.cleanup", method: "POST", path: "/api/time-machine/cleanup/execute/", auth: "bearer" },
	settings: { id: "time_machine.settings", method: "GET", path: "/api/time-machine/settings/", auth: "bearer" },
	updateSettings: {
		id: "time_machine.update_settings",
		method: "PUT",
		path: "/api/time-machine/settings/",
		auth: "bearer",
	},
} as const;
