/** Addresses of saved queries: one entry per route. */
import { defineCrudPaths, REPLACE_FIRST } from "../../core/paths.ts";

const { list, create, ...one } = defineCrudPaths("saved_queries", "/api/queries/saved-queries/", REPLACE_FIRST);

export const savedQueryPaths = {
	list,
	create,
	validateConnection: {
		id: "saved_queries.validate_connection",
		method: "POST",
		path: "/api/queries/saved-queries/validate-connection/",
		auth: "bearer",
	},
	...one,
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
