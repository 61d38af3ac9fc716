/** Numbers of a saved query's snapshots over time. */
import * as z from "zod";
import { timeZone } from "../../accounts/session/shapes.ts";
import { limitParam, timestamp, timestampInput, uuid } from "../../core/common.ts";
import { fieldPath } from "../../queries/flow/fields.ts";
import { ofConnection } from "../shapes.ts";
import { SERIES_EXPORTS, SERIES_LIMITS, SERIES_STEPS, SERIES_VALUES } from "./values.ts";

export const seriesQuery = z
	.object({
		saved_query_id: uuid,
		controller_connection_id: ofConnection,
		value: z.enum(SERIES_VALUES).default("count"),
		/** `Class.attr`, or the name of a field alone. Needed by all values but `count`. */
		field: fieldPath.optional(),
		group_by: fieldPath.optional(),
		/** Of the snapshots; the first that counts. */
		from: timestampInput.optional(),
		/** The first time that does not count any more. */
		to: timestampInput.optional(),
		/** Of an hour or a day the last snapshot counts. */
		step: z.enum(SERIES_STEPS).default("snapshot"),
		/** Where days and hours begin. */
		timezone: timeZone.default("UTC"),
		/** The groups with the largest latest value; above the maximum it counts as the maximum. */
		groups: limitParam(SERIES_LIMITS.groups, SERIES_LIMITS.defaultGroups),
		export: z.enum(SERIES_EXPORTS).optional(),
	})
	.refine(({ value, field }) => value === "count" || field !== undefined, {
		path: ["field"],
		error: "Needs a field, such as fvBD.mtu. Only value=count can do without.",
	})
	.refine(({ from, to }) => from === undefined || to === undefined || Date.parse(from) < Date.parse(to), {
		path: ["to"],
		error: "Must be after from.",
	});
export type SeriesQuery = z.output<typeof seriesQuery>;

export const seriesGroup = z.object({
	/** A value of `group_by`; null without `group_by`. */
	key: z.string().nullable(),
	/** Oldest first: time, and number with all its digits. Times without a number have no point. */
	points: z.array(z.tuple([timestamp, z.number()])),
});

export const seriesAnswer = z.object({
	/** The connection of the snapshots; null where they name none, or there are none. */
	controller_connection: z.object({ id: z.string(), name: z.string() }).nullable(),
	/** The largest latest value first. */
	groups: z.array(seriesGroup),
	/** Groups with a point in the time that was asked for. */
	total_groups: z.int(),
	/** Snapshots in that time. */
	snapshots: z.int(),
	/** Steps without a snapshot, and steps whose numbers cannot be computed. */
	missing: z.int(),
	/** Why numbers cannot be computed; null if each snapshot has them, or will have them. */
	missing_reason: z.string().nullable(),
	/** Whether numbers of `pending` snapshots are still being computed: ask again. */
	computing: z.boolean(),
	pending: z.int(),
	/** Values of the latest snapshot that are no numbers and do not count. */
	left_out: z.int(),
});
export type SeriesAnswer = z.infer<typeof seriesAnswer>;
