/** Addresses of the overview: one entry per route. */

export const dashboardPaths = {
	stats: { id: "dashboard.stats", method: "GET", path: "/api/dashboard/stats/", auth: "bearer" },
	opening: { id: "dashboard.opening", method: "POST", path: "/api/dashboard/opening/", auth: "bearer" },
	problems: { id: "dashboard.problems", method: "GET", path: "/api/dashboard/problems/", auth: "bearer" },
	platformInfo: { id: "dashboard.platform_info", method: "GET", path: "/api/dashboard/platform-info/", auth: "bearer" },
} as const;
