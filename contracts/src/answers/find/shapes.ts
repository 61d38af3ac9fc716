/** The search for objects: in snapshots, and on controllers. */
import * as z from "zod";
import { defineList } from "../../core/bounded.ts";
import { defineTrimmedText, limitParam, timestamp, uuid } from "../../core/common.ts";
import { FIND_KINDS, FIND_LIMITS, LIVE_FIND_CONNECTION_STATUSES, LIVE_FIND_STATUSES } from "./values.ts";

export const namedRef = z.object({ id: z.string(), name: z.string() });
export type NamedRef = z.infer<typeof namedRef>;

const question = defineTrimmedText(FIND_LIMITS.question);

export const findQuery = z.object({
	q: question.meta({
		description:
			"An IP address or prefix, a MAC address in any notation, a VLAN (`150`, `vlan-150`, `VLAN 150`), a DN, " +
			"or a part of a name or description.",
	}),
	connection: uuid.optional().meta({ description: "The id of a controller connection; all of them where absent." }),
	limit: limitParam(FIND_LIMITS.objects, FIND_LIMITS.usual),
});
export type FindQuery = z.output<typeof findQuery>;

export const foundObject = z.object({
	connection: namedRef,
	dn: z.string(),
	class_name: z.string(),
	/** Its name, or the last part of its DN. */
	label: z.string(),
	/** The attribute that matches best, with its value as captured; `dn` for a part of the DN. */
	matched: z.object({ attribute: z.string(), value: z.string() }),
	/** The query of the snapshot; null in a live search. */
	saved_query: namedRef.nullable(),
	/** The newest snapshot that has the object; null in a live search. */
	snapshot_id: z.string().nullable(),
	/** When a run last found the rows of that snapshot, or the time of the live search. */
	seen_at: timestamp,
	/** The time of the oldest kept snapshot that has the object; null in a live search. */
	first_seen_at: timestamp.nullable(),
	/** Whether the latest snapshot of its query on its connection still has the object. */
	is_current: z.boolean(),
});
export type FoundObject = z.infer<typeof foundObject>;

export const findAnswer = z.object({
	kind: z.enum(FIND_KINDS),
	/** The question as it is searched: IPv6 as RFC 5952, prefixes without host bits, `vlan-150`. */
	normalized: z.string(),
	/** Matching objects that the caller sees. */
	total: z.int(),
	/** False if there are more than `total` says. */
	is_total_exact: z.boolean(),
	/** Best first: exact, then prefix, then substring. */
	objects: z.array(foundObject),
});
export type FindAnswer = z.infer<typeof findAnswer>;

export const liveFindBody = z
	.object({
		q: question,
		/** Where: one of these two. */
		controller_connection_ids: defineList(uuid, {
			max: FIND_LIMITS.connections,
			tooMany: `Must be at most ${FIND_LIMITS.connections} connections.`,
		})
			.min(1, "Must name at least one connection.")
			.transform((ids) => [...new Set(ids)])
			.nullish(),
		connection_group_id: uuid.nullish(),
	})
	.refine(
		({ controller_connection_ids, connection_group_id }) =>
			((controller_connection_ids ?? null) === null) !== ((connection_group_id ?? null) === null),
		"Give either controller_connection_ids or connection_group_id.",
	);
export type LiveFindBody = z.output<typeof liveFindBody>;

export const liveFindStarted = z.object({
	/** The search, for `/api/find/live/<id>/`. */
	id: z.string(),
	/** A run for each connection. */
	runs: z.array(z.string()),
});
export type LiveFindStarted = z.infer<typeof liveFindStarted>;

export const liveFindAnswer = findAnswer.extend({
	/** `done`: every connection has ended. */
	status: z.enum(LIVE_FIND_STATUSES),
	connections: z.array(
		z.object({
			connection: namedRef,
			status: z.enum(LIVE_FIND_CONNECTION_STATUSES),
			/** Null unless the connection failed. */
			error: z.string().nullable(),
		}),
	),
});
export type LiveFindAnswer = z.infer<typeof liveFindAnswer>;

export const liveFindQuery = z.object({ limit: limitParam(FIND_LIMITS.objects, FIND_LIMITS.usual) });
