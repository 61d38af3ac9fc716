/** Addresses of objects as files: one entry per route. */

export const queryFilePaths = {
	export: { id: "query_files.export", method: "GET", path: "/api/queries/export-files/", auth: "bearer" },
	validate: { id: "query_files.validate", method: "POST", path: "/api/queries/validate-files/", auth: "bearer" },
	read: { id: "query_files.read", method: "POST", path: "/api/queries/read-file/", auth: "bearer" },
	apply: { id: "query_files.apply", method: "POST", path: "/api/queries/apply/", auth: "bearer" },
} as const;
