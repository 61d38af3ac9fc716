/** Routes of the overview. */
import { defineRoute } from "../core/route.ts";
import { dashboardPaths } from "./paths.ts";
import { dashboardStats, opening, platformInfo, problems } from "./shapes.ts";

const read = {
	throttle: "user",
	permission: "any",
	audit: { none: "read" },
} as const;

export const dashboardRoutes = {
	stats: defineRoute({
		...dashboardPaths.stats,
		...read,
		summary: "Counters for the caller's start page",
		answers: { 200: dashboardStats },
	}),
	opening: defineRoute({
		...dashboardPaths.opening,
		...read,
		summary: "Start of a user interface: profile, connections, newest runs, queries with snapshots, a WebSocket ticket",
		audit: { none: "changes nothing that outlives a minute" },
		answers: { 200: opening },
	}),
	problems: defineRoute({
		...dashboardPaths.problems,
		...read,
		summary: "The present problems: checks and faults by severity, and connections that are down",
		answers: { 200: problems },
	}),
	platformInfo: defineRoute({
		...dashboardPaths.platformInfo,
		...read,
		summary: "Versions, uptime, and the health of what the service builds on",
		answers: { 200: platformInfo },
	}),
} as const;
