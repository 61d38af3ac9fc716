/** Addresses of runs in the background: one entry per route. */

export const backgroundRunPaths = {
	start: {
		id: "background_runs.start",
		method: "POST",
		path: "/api/queries/saved-queries/:id/execute_background/",
		auth: "bearer",
	},
} as const;
