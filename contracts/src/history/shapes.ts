/** Snapshots of query results: capturing, listing, annotating and deleting them. */
import * as z from "zod";
import { timeZone } from "../accounts/session/shapes.ts";
import { definePatternText } from "../core/bounded.ts";
import { boolParam, limitParam, offsetParam, timestamp, uuid } from "../core/common.ts";
import { refuseTurning } from "../core/text.ts";
import { drift } from "./drift/shapes.ts";
import {
	EXECUTION_TYPES,
	RETENTION_POLICIES,
	SNAPSHOT_MAX_PAGE_SIZE,
	SNAPSHOT_ORIGINS,
	SNAPSHOT_PAGE_SIZE,
} from "./values.ts";

/** Limits an answer to the snapshots of one controller connection. */
export const ofConnection = uuid
	.optional()
	.meta({ description: "One that the query ran on; where it is absent, the snapshots of all connections count." });

/** A day that the calendar has, `YYYY-MM-DD`. */
const day = z.iso.date("Must be a date such as 2026-01-31.").max(10);

/**
 * A capture without `result_data`, which is read from the request's bytes and never parsed to a
 * value.
 */
export const captureFields = z.object({
	controller_connection_id: uuid.nullable().default(null),
	controller_connection_name: z.string().max(200).default(""),
	/** Null for an ad-hoc query, whose snapshots belong together by name and class. */
	saved_query_id: uuid.nullable().default(null),
	query_name: z.string().max(200).default(""),
	class_name: z.string().max(200).default(""),
	/** The canvas of an ad-hoc query; not read when saved_query_id is given. */
	query_structure: z.unknown().optional().meta({ description: "Used when saved_query_id is null." }),
	execution_time_ms: z.number().min(0).max(1e12).nullable().default(null),
});
export type CaptureFields = z.infer<typeof captureFields>;

export const captureBody = captureFields.extend({
	result_data: z.unknown().meta({
		description:
			"The raw result: an object or an array, up to the caller's max_snapshot_size_mb. It is kept exactly as it comes.",
	}),
});

export const captureStored = z.object({
	success: z.literal(true),
	snapshot_id: z.string(),
	result_count: z.int(),
	result_size_mb: z.number(),
	is_duplicate: z.boolean(),
	has_changes: z.boolean(),
});
export type CaptureStored = z.infer<typeof captureStored>;

export const captureSkipped = z.object({
	success: z.literal(true),
	skipped: z.literal(true),
	reason: z.literal("duplicate"),
	previous_snapshot_id: z.string(),
});

export const captureTooLarge = z.object({
	success: z.literal(false),
	error: z.literal("snapshot_too_large"),
	/** MB of 1,048,576 bytes. */
	size_mb: z.number(),
	limit_mb: z.number(),
});

export const captureControllerError = z.object({
	success: z.literal(false),
	error: z.literal("controller_error_response"),
	reason: z.string(),
});

/** Every outcome of a capture is a 200. */
export const captureAnswer = z.union([captureStored, captureSkipped, captureTooLarge, captureControllerError]);
export type CaptureAnswer = z.infer<typeof captureAnswer>;

export const snapshotOrigin = z.enum(SNAPSHOT_ORIGINS);

export const snapshot = z.object({
	id: z.string(),
	saved_query_id: z.string().nullable(),
	query_name: z.string(),
	class_name: z.string(),
	result_count: z.int(),
	/** Bytes of result_data without insignificant whitespace. */
	result_size_bytes: z.int(),
	executed_at: timestamp,
	executed_by: z.string(),
	controller_connection_id: z.string().nullable(),
	controller_connection_name: z.string(),
	execution_time_ms: z.number().nullable(),
	result_hash: z.string(),
	is_duplicate: z.boolean(),
	query_version: z.string(),
	query_version_hash: z.string(),
	execution_type: z.enum(EXECUTION_TYPES),
	/** `run`: the service read the result from the controller. `client`: a request brought it. */
	origin: snapshotOrigin,
	/**
	 * Whether only its user sees it: a result of a saved query that this user may not edit. Checks,
	 * drift and baselines never read it.
	 */
	is_private: z.boolean(),
	has_changes: z.boolean(),
	/**
	 * Null for the first snapshot of a query on a connection, and for those of a version before this
	 * field.
	 */
	drift: drift.nullable(),
	annotation: z.string().nullable(),
	label: z.string().nullable(),
});
export type Snapshot = z.infer<typeof snapshot>;

export const snapshotDetail = snapshot.extend({
	/** The canvas of an ad-hoc query, as it was given. */
	query_structure: z.unknown(),
	result_data: z.unknown().meta({ description: "Exactly as captured: the same values in the same order." }),
});

export const snapshotListQuery = z.object({
	saved_query_id: uuid,
	controller_connection_id: ofConnection,
	/** Above the maximum it counts as the maximum. */
	limit: limitParam(SNAPSHOT_MAX_PAGE_SIZE, SNAPSHOT_PAGE_SIZE),
	offset: offsetParam,
	/** A day in `timezone`. */
	date: day.optional(),
	timezone: timeZone.default("UTC"),
});
export type SnapshotListQuery = z.infer<typeof snapshotListQuery>;

export const snapshotListAnswer = z.object({
	total_count: z.int(),
	/** Most recent first. */
	snapshots: z.array(snapshot),
	/** The connections that the query's snapshots are of, by name, whatever the filter. */
	controllers: z.array(
		z.object({
			/** Null for a connection that is known by name alone. */
			controller_connection_id: z.string().nullable(),
			controller_connection_name: z.string(),
		}),
	),
});

/** At least one of the two. A given value replaces the old one, null removes it. */
export const annotateBody = z
	.object({
		annotation: refuseTurning(z.string().max(10_000)).nullable().optional(),
		label: refuseTurning(z.string().max(200)).nullable().optional(),
	})
	.refine(({ annotation, label }) => annotation !== undefined || label !== undefined, "Give an annotation or a label.");
export type AnnotateBody = z.infer<typeof annotateBody>;

export const snapshotQueriesAnswer = z.object({
	/** The latest execution first. */
	queries: z.array(
		z.object({
			type: z.literal("saved_query"),
			id: z.string(),
			name: z.string(),
			snapshot_count: z.int(),
			latest_execution: timestamp,
			version: z.string(),
			enable_time_machine: z.literal(true),
		}),
	),
});

export const snapshotSettings = z.object({
	retention_policy: z.enum(RETENTION_POLICIES),
	retention_days: z.int().min(1).max(3650),
	retention_count: z.int().min(1).max(10_000),
	max_snapshot_size_mb: z.number().min(0.1).max(100),
	warn_large_snapshots: z.boolean(),
	auto_cleanup_enabled: z.boolean(),
	store_duplicates: z.boolean(),
});
export type SnapshotSettings = z.infer<typeof snapshotSettings>;

/** Omitted fields stay unchanged. */
export const snapshotSettingsBody = snapshotSettings.partial();
export type SnapshotSettingsBody = z.infer<typeof snapshotSettingsBody>;

export const heatmapQuery = z.object({
	saved_query_id: uuid,
	controller_connection_id: ofConnection,
	until: day.optional().meta({
		description: "Instead of the year: the twelve months, or by the hour the 30 days, that end with this day.",
	}),
	step: z.enum(["day", "hour"], { error: "Must be day or hour." }).default("day").meta({
		description: "By the hour without `until`: the 30 days that end today.",
	}),
	by_connection: boolParam.default(false).meta({ description: "Adds `connections`, each with its own snapshots." }),
	/** The current one of `timezone` where it is absent. */
	year: definePatternText(/^[0-9]{4}$/, 4, "Must be a year.")
		.transform(Number)
		.refine((value) => value >= 1970 && value <= 9997, "Must be a year from 1970 to 9997.")
		.optional(),
	timezone: timeZone.default("UTC"),
});

const heatCell = z.object({
	count: z.int(),
	has_changes: z.boolean(),
	/** Objects that drifted, over all snapshots of the cell; those without counts count as one. */
	changes: z.int(),
});

export const heatmapAnswer = z.object({
	/** Of the last day. */
	year: z.int(),
	first: day,
	last: day,
	/** Every day from the first to the last; by the hour `YYYY-MM-DDTHH` in the asked zone. */
	data: z.record(z.string(), heatCell),
	/** Only with `by_connection`, by name. */
	connections: z
		.array(
			z.object({
				/** Null for snapshots that were given rather than read from a controller. */
				controller_connection_id: z.string().nullable(),
				controller_connection_name: z.string(),
				/** The days, or hours, that have snapshots. */
				data: z.record(z.string(), heatCell),
			}),
		)
		.optional(),
});

export const cleanupBody = z.object({
	/** One saved query instead of all that one owns. */
	query_id: uuid.nullish().transform((value) => value ?? null),
	/** Takes snapshots with an annotation or a label, and baselines of checks, too. */
	include_annotated: z.boolean().default(false),
});
export type CleanupBody = z.infer<typeof cleanupBody>;

/** With rules that are not saved yet; those left out are the saved ones. */
export const cleanupPreviewBody = cleanupBody.extend(
	snapshotSettingsBody.pick({ retention_policy: true, retention_days: true, retention_count: true }).shape,
);
export type CleanupPreviewBody = z.infer<typeof cleanupPreviewBody>;

export const cleanupPreviewAnswer = z.object({
	count: z.int(),
	has_more: z.boolean(),
	/** The oldest first. */
	snapshots: z.array(
		z.object({
			id: z.string(),
			query_name: z.string(),
			executed_at: timestamp,
			result_count: z.int(),
			size_bytes: z.int(),
		}),
	),
});

export const cleanupAnswer = z.object({ message: z.string(), deleted_count: z.int() });
