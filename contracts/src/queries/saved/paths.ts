/** Addresses of saved queries: one entry per route. */

export const savedQueryPaths = {
	list: { id: "saved_queries.list", method: "GET", path: "/api/queries/saved-queries/", auth: "bearer" },
	create: { id: "saved_queries.create", method: "POST", path: "/api/queries/saved-queries/", auth: "bearer" },
	validateConnection: {
		id: "saved_queries.validate_connection",
		method: "POST",
		path: "/api/queries/saved-queries/validate-connection/",
		auth: "bearer",
	},
	detail: { id: "saved_queries.detail", method: "GET", path: "/api/queries/saved-queries/:id/", auth: "bearer" },
	replace: { id: "saved_queries.replace", method: "PUT", path: "/api/queries/saved-queries/:id/", auth: "bearer" },
	update: { id: "saved_queries.update", method: "PATCH", path: "/api/queries/saved-queries/:id/", auth: "bearer" },
	remove: { id: "saved_queries.remove", method: "DELETE", path: "/api/queries/saved-queries/:id/", auth: "bearer" },
	execute: {
		id: "saved_queries.execute",
		method: "POST",
		path: "/api/queries/saved-queries/:id/execute/",
		auth: "bearer",
	},
	favorite: {
		id: "saved_queries.favorite",
		method: "POST",
		path: "/api/queries/saved-queries/:id/favorite/",
		auth: "bearer",
	},
	duplicate: {
		id: "saved_queries.duplicate",
		method: "POST",
		path: "/api/queries/saved-queries/:id/duplicate/",
		auth: "bearer",
	},
	version: {
		id: "saved_queries.version",
		method: "GET",
		path: "/api/queries/saved-queries/:id/versions/:version/",
		auth: "bearer",
	},
	versionPreview: {
		id: "saved_queries.version_preview",
		method: "POST",
		path: "/api/queries/saved-queries/:id/version-preview/",
		auth: "bearer",
	},
	restore: {
		id: "saved_queries.restore",
		method: "POST",
		path: "/api/queries/saved-queries/:id/versions/:version/restore/",
		auth: "bearer",
	},
} as const;
