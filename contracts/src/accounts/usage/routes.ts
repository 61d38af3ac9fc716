/** Routes of the caller's usage. */
import * as z from "zod";
import { defineRoute } from "../../core/route.ts";
import { quota } from "../groups/shapes.ts";
import { usagePaths } from "./paths.ts";
import { authStats } from "./shapes.ts";

const usage = z.object({
	ai_analysis_today: z.int(),
	executions_today: z.int(),
	automation_requests_today: z.int(),
	queries_total: z.int(),
	scheduled_tasks_total: z.int(),
	connections_total: z.int(),
	automation_running: z.int(),
	checks_total: z.int(),
	connection_groups_total: z.int(),
	calendar_entries_total: z.int(),
	categories_total: z.int(),
	sockets_open: z.int(),
	webhooks_total: z.int(),
	tokens_total: z.int(),
	automation_connections_total: z.int(),
	automation_templates_total: z.int(),
	automation_references_total: z.int(),
	change_plans_total: z.int(),
});

const read = {
	throttle: "user",
	permission: "any",
	audit: { none: "read" },
} as const;

export const usageRoutes = {
	quotaUsage: defineRoute({
		...usagePaths.quotaUsage,
		...read,
		summary: "The caller's quota - 0 is unlimited - and what of it is used; days are UTC",
		answers: { 200: z.object({ quota, usage }) },
	}),
	stats: defineRoute({
		...usagePaths.stats,
		...read,
		summary: "How many queries the caller ran, active schedules and unread notifications they have",
		answers: { 200: authStats },
	}),
} as const;
