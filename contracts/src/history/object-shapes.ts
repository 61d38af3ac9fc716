/** Objects over a query's snapshots: timelines, last changes per attribute, and known DNs. */
import * as z from "zod";
import { defineList } from "../core/bounded.ts";
import { limitParam, timestamp, timestampInput, uuid } from "../core/common.ts";
import { rulesParam } from "./compare-shapes.ts";
import { ofConnection } from "./shapes.ts";
import { BLAME_LIMIT, BLAME_MAX_LIMIT, TIMELINE_LIMIT, TIMELINE_MAX_DNS, TIMELINE_MAX_LIMIT } from "./values.ts";

const dn = z.string().min(1, "This field may not be blank.").max(10_000);

const DNS = `Must be a JSON array of 1 to ${TIMELINE_MAX_DNS} different dns.`;

const dnList = z
	.string()
	.max(250_000, { error: DNS, abort: true })
	.transform((text, context): unknown => {
		try {
			return JSON.parse(text);
		} catch {
			context.addIssue({ code: "custom", message: DNS });
			return z.NEVER;
		}
	})
	.pipe(
		defineList(dn, { max: TIMELINE_MAX_DNS, error: DNS, tooMany: DNS })
			.min(1, DNS)
			.refine((dns) => new Set(dns).size === dns.length, DNS),
	);

const timelineFields = z.object({
	saved_query_id: uuid,
	controller_connection_id: ofConnection,
	/** One object; or several as `dns`. */
	dn: dn.optional(),
	dns: dnList.optional().meta({
		description:
			`Several instead of one, as a JSON array of up to ${TIMELINE_MAX_DNS}: ` +
			"each gets a timeline of its own, in this order.",
	}),
	/** The latest snapshots; above the maximum it counts as the maximum. */
	limit: limitParam(TIMELINE_MAX_LIMIT, TIMELINE_LIMIT),
	/** Both inclusive. */
	from_date: timestampInput.optional(),
	to_date: timestampInput.optional(),
	rules: rulesParam.meta({
		description: "Changes that the query's drift rules ignore do not count as changes.",
	}),
});

export const timelineQuery = timelineFields.superRefine((query, context) => {
	if (query.dn === undefined && query.dns === undefined)
		context.addIssue({ code: "custom", path: ["dn"], message: "This parameter is required." });
	if (query.dn !== undefined && query.dns !== undefined)
		context.addIssue({ code: "custom", path: ["dns"], message: "Give dn or dns, not both." });
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

/** With `dns`: all of the same snapshots. */
export const timelinesAnswer = timelineAnswer
	.pick({ saved_query_id: true, snapshot_count: true })
	.extend({ timelines: z.array(timelineAnswer.omit({ saved_query_id: true, snapshot_count: true })) });

export const dnsQuery = z.object({
	/** A part of the dn, upper and lower case alike. */
	q: z.string().max(1000).default(""),
	controller_connection_id: ofConnection,
	limit: limitParam(200, 50),
});

export const dnsAnswer = z.object({
	/** By dn. */
	dns: z.array(z.object({ dn: z.string(), className: z.string() })),
	/** How many `dns` holds. */
	count: z.int(),
});

export const blameQuery = z.object({
	saved_query_id: uuid,
	dn,
	controller_connection_id: uuid
		.optional()
		.meta({ description: "One that the query ran on; where it is absent, that of the latest snapshot." }),
	limit: limitParam(BLAME_MAX_LIMIT, BLAME_LIMIT).meta({
		description: `The latest snapshots of that connection: ${BLAME_LIMIT}, or up to ${BLAME_MAX_LIMIT}.`,
	}),
});
export type BlameQuery = z.infer<typeof blameQuery>;

const moment = z.object({ snapshot_id: z.string(), executed_at: timestamp });

export const blameAnswer = z.object({
	dn: z.string(),
	saved_query_id: z.string(),
	/** Null where the query has no snapshots, or the connection is known by name alone. */
	controller_connection_id: z.string().nullable(),
	controller_connection_name: z.string(),
	/** Snapshots looked at, and whether there are older ones. */
	snapshot_count: z.int(),
	has_older: z.boolean(),
	/** Whether the latest snapshot has the object. */
	present: z.boolean(),
	/** Of the snapshots looked at, the earliest and the latest that have the object. */
	first_seen: moment.nullable(),
	last_seen: moment.nullable(),
	/** What changed last comes first; then by name. An attribute that was taken away is here, too. */
	attributes: z.array(
		z.object({
			attribute: z.string(),
			/** As last seen; null where it is absent. */
			value: z.unknown(),
			/** The value before the change; null where it was absent or nothing changed. */
			previous: z.unknown(),
			/**
			 * False if no inspected snapshot has another value; the time is then that of `first_seen`.
			 */
			changed: z.boolean(),
			/** The first snapshot with the value. */
			...moment.shape,
		}),
	),
});
