/** Addresses of the search for objects: one entry per route. */

export const findPaths = {
	search: { id: "find.search", method: "GET", path: "/api/find/", auth: "bearer" },
	startLive: { id: "find.start_live", method: "POST", path: "/api/find/live/", auth: "bearer" },
	live: { id: "find.live", method: "GET", path: "/api/find/live/:id/", auth: "bearer" },
} as const;
