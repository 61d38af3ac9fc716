/** Addresses of the caller's usage: one entry per route. */

export const usagePaths = {
	quotaUsage: { id: "auth.quota_usage", method: "GET", path: "/api/auth/quota-usage/", auth: "bearer" },
	stats: { id: "auth.stats", method: "GET", path: "/api/auth/stats/", auth: "bearer" },
} as const;
