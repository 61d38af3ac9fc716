/** What a start page shows: the caller's counters, and how the service does. */
import * as z from "zod";
import { ownProfile, wsTicket } from "../accounts/session/shapes.ts";
import { defineEnvelope, timestamp } from "../core/common.ts";
import { controllerConnection } from "../fabrics/connections/shapes.ts";
import { snapshotQueriesAnswer } from "../history/shapes.ts";
import { pipelineJob } from "../runs/pipelines/shapes.ts";
import { SERVICE_HEALTH } from "./values.ts";

export const dashboardStats = z.object({
	/** The caller's own. */
	saved_queries: z.int(),
	/** The caller's own: all, the active ones, and of those the ones whose last run failed. */
	scheduled_tasks: z.object({ total: z.int(), enabled: z.int(), failing: z.int() }),
	/** The caller's of the last seven days; everybody's for administrators. */
	automation_requests_7d: z.int(),
	snapshots_7d: z.int(),
	unread_notifications: z.int(),
	last_login: timestamp.nullable(),
});
export type DashboardStats = z.infer<typeof dashboardStats>;

const health = z.enum(SERVICE_HEALTH);

export const platformInfo = z.object({
	version: z.string(),
	/** Version of the class model in use; null where none is loaded. */
	controller_version: z.string().nullable(),
	mim_installed_at: timestamp.nullable(),
	/** Of the process that answers. */
	uptime_seconds: z.int(),
	services: z.object({ relational_db: health, graph_db: health, cache: health }),
});
export type PlatformInfo = z.infer<typeof platformInfo>;

/** Each part is what its own route answers; null where the caller may not ask that one. */
export const opening = z.object({
	profile: ownProfile,
	/** The first 200. */
	connections: defineEnvelope(controllerConnection).nullable(),
	/** The newest 20. */
	pipeline_executions: defineEnvelope(pipelineJob).nullable(),
	/** Queries with snapshots. */
	snapshot_queries: snapshotQueriesAnswer.nullable(),
	/** Null where the quota `sockets_max` is used up. */
	ws_ticket: wsTicket.nullable(),
});
export type Opening = z.infer<typeof opening>;
