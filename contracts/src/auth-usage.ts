/** What the caller may use and has used, and counters for a start page. */
import * as z from "zod";
import { quota } from "./groups.ts";
import { route } from "./route.ts";

const usage = z.object({
	ai_analysis_today: z.int(),
	executions_today: z.int(),
	automation_requests_today: z.int(),
	queries_total: z.int(),
	scheduled_tasks_total: z.int(),
	connections_total: z.int(),
	automation_running: z.int(),
});

const stats = z.object({ queries_run: z.int(), schedules_active: z.int(), notifications_unread: z.int() });
export type AuthStats = z.infer<typeof stats>;

const read = {
	method: "GET",
	auth: "bearer",
	throttle: "user",
	permission: "any",
	audit: { none: "read" },
} as const;

export const usageRoutes = {
	quotaUsage: route({
		...read,
		id: "auth.quota_usage",
		path: "/api/auth/quota-usage/",
		summary: "The caller's quota - 0 is unlimited - and what of it is used; days are UTC",
		answers: { 200: z.object({ quota, usage }) },
	}),
	stats: route({
		...read,
		id: "auth.stats",
		path: "/api/auth/stats/",
		summary: "How many queries the caller ran, active schedules and unread notifications they have",
		answers: { 200: stats },
	}),
} as const;
