/** Addresses of the feed of changes: one entry per route. */

export const changePaths = {
	list: { id: "changes.list", method: "GET", path: "/api/changes/", auth: "bearer" },
	summary: { id: "changes.summary", method: "GET", path: "/api/changes/summary/", auth: "bearer" },
} as const;
