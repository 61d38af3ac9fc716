/** Addresses of scheduled tasks: one entry per route. */
import { defineCrudPaths } from "../core/paths.ts";

const { list, create, ...one } = defineCrudPaths("schedules", "/api/queries/scheduled-tasks/");

export const schedulePaths = {
	list,
	create,
	upcoming: { id: "schedules.upcoming", method: "GET", path: "/api/queries/scheduled-tasks/upcoming/", auth: "bearer" },
	calendar: { id: "schedules.calendar", method: "GET", path: "/api/queries/scheduled-tasks/calendar/", auth: "bearer" },
	preview: { id: "schedules.preview", method: "POST", path: "/api/queries/scheduled-tasks/preview/", auth: "bearer" },
	stats: { id: "schedules.stats", method: "GET", path: "/api/queries/scheduled-tasks/stats/", auth: "bearer" },
	...one,
	pause: { id: "schedules.pause", method: "POST", path: "/api/queries/scheduled-tasks/:id/pause/", auth: "bearer" },
	resume: { id: "schedules.resume", method: "POST", path: "/api/queries/scheduled-tasks/:id/resume/", auth: "bearer" },
	executeNow: {
		id: "schedules.execute_now",
		method: "POST",
		path: "/api/queries/scheduled-tasks/:id/execute_now/",
		auth: "bearer",
	},
	clone: { id: "schedules.clone", method: "POST", path: "/api/queries/scheduled-tasks/:id/clone/", auth: "bearer" },
	taskExecutions: {
		id: "schedules.task_executions",
		method: "GET",
		path: "/api/queries/scheduled-tasks/:id/executions/",
		auth: "bearer",
	},
	executions: { id: "schedules.executions", method: "GET", path: "/api/queries/scheduled-executions/", auth: "bearer" },
	settings: { id: "schedules.settings", method: "GET", path: "/api/queries/task-settings/", auth: "bearer" },
	changeSettings: {
		id: "schedules.change_settings",
		method: "PATCH",
		path: "/api/queries/task-settings/",
		auth: "bearer",
	},
} as const;
