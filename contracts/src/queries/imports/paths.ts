/** Addresses of requests that become canvases: one entry per route. */

export const requestImportPaths = {
	import: { id: "planning.import_requests", method: "POST", path: "/api/queries/import-requests/", auth: "bearer" },
} as const;
