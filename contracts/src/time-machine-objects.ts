/** Objects through a saved query's snapshots: one through time, and the dns that occur. */
import * as z from "zod";
import { limitParam, timestamp, timestampInput, uuid } from "./common.ts";

export const TIMELINE_LIMIT = 20;
export const TIMELINE_MAX_LIMIT = 100;

export const timelineQuery = z.object({
	saved_query_id: uuid,
	dn: z.string().min(1, "This field may not be blank.").max(10_000),
	/** The latest snapshots; above the maximum it counts as the maximum. */
	limit: limitParam(TIMELINE_MAX_LIMIT, TIMELINE_LIMIT),
	/** Both inclusive. */
	from_date: timestampInput.optional(),
	to_date: timestampInput.optional(),
});
export type TimelineQuery = z.infer<typeof timelineQuery>;

export const timelineAnswer = z.object({
	dn: z.string(),
	saved_query_id: z.string(),
	/** Snapshots looked at: the number of points. */
	snapshot_count: z.int(),
	/** Oldest first. */
	points: z.array(
		z.object({
			snapshot_id: z.string(),
			executed_at: timestamp,
			present: z.boolean(),
			/** As captured; those that are null or absent are not here. */
			attributes: z.record(z.string(), z.unknown()),
		}),
	),
	/** What changed most comes first. */
	attribute_evolution: z.array(
		z.object({
			attribute: z.string(),
			/** How often the value differs from that of the point before which the object was present. */
			change_count: z.int(),
			is_stable: z.boolean(),
			/** Different values, absence not counted. */
			distinct_values: z.int(),
			/** One for each point at which the object is present. */
			values: z.array(
				z.object({
					executed_at: timestamp,
					snapshot_id: z.string(),
					/** Null where the attribute is absent. */
					value: z.unknown(),
					changed: z.boolean(),
				}),
			),
		}),
	),
	/** The attributes that occur, by name. */
	tracked_attributes: z.array(z.string()),
});

export const dnsQuery = z.object({
	/** A part of the dn, upper and lower case alike. */
	q: z.string().max(1000).default(""),
	limit: limitParam(200, 50),
});

export const dnsAnswer = z.object({
	/** By dn. */
	dns: z.array(z.object({ dn: z.string(), className: z.string() })),
	/** How many `dns` holds. */
	count: z.int(),
});
