/** Addresses of plans and previews: one entry per route. */

export const planningPaths = {
	plan: {
		id: "planning.generate_query",
		method: "POST",
		path: "/api/queries/saved-queries/generate-query/",
		auth: "bearer",
	},
	preview: { id: "planning.preview", method: "POST", path: "/api/queries/saved-queries/preview/", auth: "bearer" },
} as const;
