/** What a start page shows: the caller's counters, and how the service does. */
import * as z from "zod";
import { ownProfile, wsTicket } from "../accounts/session/shapes.ts";
import { check } from "../checks/shapes.ts";
import { defineEnvelope, timestamp } from "../core/common.ts";
import { controllerConnection } from "../fabrics/connections/shapes.ts";
import { FINDING_SEVERITIES } from "../history/drift/values.ts";
import { snapshotQueriesAnswer } from "../history/shapes.ts";
import { pipelineJob } from "../runs/pipelines/shapes.ts";
import { changeWindowListed } from "../windows/shapes.ts";
import { FAULT_SEVERITIES, PROBLEM_LIMITS, SERVICE_HEALTH } from "./values.ts";

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

const named = { id: z.string(), name: z.string() };
const severityCounts = z.object({ severity: z.enum(FINDING_SEVERITIES), failing: z.int(), error: z.int() });

const checkProblems = z.object({
	/** Active checks by their worst state. */
	total: z.int(),
	ok: z.int(),
	pending: z.int(),
	/** Not evaluated yet. */
	unknown: z.int(),
	/** Checks that fail or cannot be evaluated, the most severe first; each severity once. */
	severities: z.array(severityCounts),
	/** The worst checks, whatever their state. */
	worst: z.array(check).meta({ description: `At most ${PROBLEM_LIMITS.checks}.` }),
});

const faultCount = z.object({
	severity: z.enum(FAULT_SEVERITIES),
	count: z.int(),
	/** At the end of the day `compared_to`; null if it is unknown. */
	before: z.int().nullable(),
});

const fabricFaults = z.object({
	connection: z.object(named),
	/** The query whose newest snapshot on the connection counts. */
	saved_query: z.object(named),
	/** How the numbers follow from rows, as a series takes it. */
	series: z.object({ value: z.enum(["count", "sum"]), field: z.string().nullable(), group_by: z.string() }),
	/** Whether the query reads all active faults of the fabric; false: filters leave some out. */
	is_whole: z.boolean(),
	/** When a run last found these rows: they may equal those of an older snapshot. */
	at: timestamp,
	/** Whether the numbers of the snapshot are still being computed: ask again. */
	is_computing: z.boolean(),
	/** The worst first, each severity once; empty while the rows are not counted, or cannot be. */
	severities: z.array(faultCount),
	/** Beginning of the latest earlier day (UTC) with a snapshot, in 14 days; null: there is none. */
	compared_to: timestamp.nullable(),
});

const faultProblems = z.object({
	/** By name. */
	fabrics: z.array(fabricFaults).meta({ description: `At most ${PROBLEM_LIMITS.connections}.` }),
	/** Fabrics whose faults are in snapshots. */
	total: z.int(),
	/** Active connections without a snapshot of faults, by name. */
	missing: z.array(z.object(named)).meta({ description: `At most ${PROBLEM_LIMITS.connections}.` }),
	missing_total: z.int(),
});

const connectionProblems = z.object({
	/** Active connections. */
	total: z.int(),
	/** Connections of which neither a test nor a run has reached or missed a controller. */
	unknown: z.int(),
	/** The one that is down for the longest time first. */
	down: z
		.array(z.object({ ...named, since: timestamp, error: z.string() }))
		.meta({ description: `At most ${PROBLEM_LIMITS.connections}.` }),
	down_total: z.int(),
});

/** The present problems that the caller sees; a part is null where the caller may not view it. */
export const problems = z.object({
	checks: checkProblems.nullable(),
	faults: faultProblems.nullable(),
	connections: connectionProblems.nullable(),
	/** Version of the class model in use; null where none is loaded. */
	controller_version: z.string().nullable(),
});
export type Problems = z.infer<typeof problems>;

/** Each part is what its own route answers; null where the caller may not ask that one. */
export const opening = z.object({
	profile: ownProfile,
	/** The first 200. */
	connections: defineEnvelope(controllerConnection).nullable(),
	/** The newest 20. */
	pipeline_executions: defineEnvelope(pipelineJob).nullable(),
	/** Queries with snapshots. */
	snapshot_queries: snapshotQueriesAnswer.nullable(),
	/** Change windows that are open; the first 200. */
	open_windows: defineEnvelope(changeWindowListed).nullable(),
	/** Null where the quota `sockets_max` is used up. */
	ws_ticket: wsTicket.nullable(),
});
export type Opening = z.infer<typeof opening>;
