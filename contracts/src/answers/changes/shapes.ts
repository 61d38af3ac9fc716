/** Changes of objects between two snapshots, over all queries and fabrics. */
import * as z from "zod";
import { timeZone } from "../../accounts/session/shapes.ts";
import { definePatternText } from "../../core/bounded.ts";
import { defineEnvelope, paging, timestamp, timestampInput, uuid } from "../../core/common.ts";
import { changedBy } from "../../history/compare-shapes.ts";
import { FINDING_SEVERITIES } from "../../history/drift/values.ts";
import { ATTRIBUTION_REASONS } from "../../history/values.ts";
import { CHANGE_BUCKETS, CHANGE_KINDS, CHANGE_LIMITS } from "./values.ts";

const defineFilterText = (max: number) => z.string().trim().min(1, "This field may not be blank.").max(max);

const filters = {
	since: timestampInput.optional().meta({ description: "Inclusive; 24 hours ago where it is absent." }),
	until: timestampInput.optional().meta({ description: "Exclusive; without it, up to now." }),
	connection: uuid.optional().meta({ description: "Id of a connection." }),
	saved_query: uuid.optional().meta({ description: "Id of a query that saw the change." }),
	user: defineFilterText(200).optional().meta({ description: "Name of a person of the fabric, as in changed_by." }),
	tenant: defineFilterText(200).optional(),
	class: defineFilterText(200).optional(),
	change: z.enum(CHANGE_KINDS, { error: `Must be one of: ${CHANGE_KINDS.join(", ")}.` }).optional(),
	severity: z.enum(FINDING_SEVERITIES, { error: `Must be one of: ${FINDING_SEVERITIES.join(", ")}.` }).optional(),
	search: defineFilterText(200)
		.optional()
		.meta({ description: "A part of the dn, class, attributes, values or persons; upper and lower case alike." }),
};

export const changeListQuery = z.object({
	...filters,
	...paging,
	cursor: z
		.string()
		.max(500)
		.optional()
		.meta({ description: "Of a `next` link, which keeps the view of the first page." }),
});
export type ChangeListQuery = z.output<typeof changeListQuery>;

export const changeSummaryQuery = z.object({
	...filters,
	bucket: z.enum(CHANGE_BUCKETS, { error: `Must be one of: ${CHANGE_BUCKETS.join(", ")}.` }).default("hour"),
	tz: timeZone.default("UTC"),
	important: definePatternText(/^[0-9]{1,4}$/, 4, "Must be a whole number of at least 0.")
		.transform((value) => Math.min(Number(value), CHANGE_LIMITS.important))
		.default(0)
		.meta({ description: `Changes to list as important, up to ${CHANGE_LIMITS.important}.` }),
});
export type ChangeSummaryQuery = z.output<typeof changeSummaryQuery>;

export type ChangeFilter = Omit<ChangeListQuery, "page" | "page_size" | "cursor">;

/**
 * One change of one object. Queries that saw the same change share an entry, with the attributes of
 * all of them and the time and snapshots of the earliest.
 */
export const feedEntry = z.object({
	id: z.int(),
	/** Of the snapshot that first shows the change. */
	at: timestamp,
	connection: z.object({ id: z.string(), name: z.string() }),
	dn: z.string(),
	/** Null if it is unknown. */
	class_name: z.string().nullable(),
	change: z.enum(CHANGE_KINDS),
	attributes: z
		.array(z.object({ name: z.string(), before: z.string().nullable(), after: z.string().nullable() }))
		.meta({
			description:
				`By name; all attributes of an added or deleted object. Null where absent. A value of more than ` +
				`${CHANGE_LIMITS.value} characters is cut and ends with "…"; values that are no text are JSON.`,
		}),
	attributes_omitted: z
		.int()
		.meta({ description: `Attributes beyond the first ${CHANGE_LIMITS.attributes}, which are in the snapshots.` }),
	changed_by: z.array(changedBy).meta({ description: "Newest first; empty if nobody is known (yet)." }),
	changed_by_reason: z.enum(ATTRIBUTION_REASONS).nullable(),
	severity: z.enum(FINDING_SEVERITIES),
	saved_queries: z.array(z.object({ id: z.string(), name: z.string() })),
	/** Null if it no longer exists. */
	snapshot_id: z.string().nullable(),
	previous_snapshot_id: z.string().nullable(),
});
export type FeedEntry = z.infer<typeof feedEntry>;

export const changeList = defineEnvelope(feedEntry);

const counts = { added: z.int(), deleted: z.int(), modified: z.int() };
const named = z.array(z.object({ name: z.string(), changes: z.int() }));

export const changeSummary = z.object({
	/** Connections with changes, by name. */
	connections: z.array(
		z.object({
			id: z.string(),
			name: z.string(),
			...counts,
			/** Those with the most changes, up to the limit; `users_total` counts all. */
			users: named,
			users_total: z.int(),
			/** One point for each period of the window, by the beginnings of the periods. */
			series: z.array(
				z.object({
					at: timestamp,
					...counts,
					/** Whether a run with snapshots completed in it; false: a count of 0 is not known. */
					is_observed: z.boolean(),
				}),
			),
		}),
	),
	/** Those with the most changes, up to the limit; `totals` counts all. */
	users: named,
	tenants: named,
	classes: named,
	/** The highest severity first, then the newest; as many as were requested. */
	important: z.array(feedEntry),
	totals: z.object({ changes: z.int(), users: z.int(), tenants: z.int(), classes: z.int() }),
});
export type ChangeSummary = z.infer<typeof changeSummary>;
