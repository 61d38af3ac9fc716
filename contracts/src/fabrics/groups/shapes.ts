/** Groups of controller connections, so that a query runs on many fabrics at once. */
import * as z from "zod";
import { defineList } from "../../core/bounded.ts";
import { defineLongText, defineTrimmedText, timestamp, userRef, uuid } from "../../core/common.ts";
import { GROUP_CONNECTIONS_MAX } from "./values.ts";

const fields = {
	name: defineTrimmedText(100),
	description: defineLongText(2_000),
	/** In the order of results. Members that the caller does not see stay, after these. */
	connection_ids: defineList(uuid, {
		max: GROUP_CONNECTIONS_MAX,
		tooMany: `Must be at most ${GROUP_CONNECTIONS_MAX} connections.`,
	}).transform((ids) => [...new Set(ids)]),
	is_public: z.boolean(),
};

export const connectionGroupInput = z.object({
	name: fields.name,
	description: fields.description.default(""),
	connection_ids: fields.connection_ids.default([]),
	is_public: fields.is_public.default(false),
});
export type ConnectionGroupInput = z.output<typeof connectionGroupInput>;

export const connectionGroupPatch = z.object(fields).partial();
export type ConnectionGroupPatch = z.output<typeof connectionGroupPatch>;

export const connectionGroup = z.object({
	id: z.string(),
	/** Unique per owner. */
	name: z.string(),
	description: z.string(),
	/** Those that the caller sees, in order. */
	connection_ids: z.array(z.string()),
	/** Members that the caller does not see. They are not run for the caller. */
	hidden_count: z.int(),
	is_public: z.boolean(),
	created_by: userRef,
	created_at: timestamp,
	updated_at: timestamp,
	can_edit: z.boolean(),
	can_delete: z.boolean(),
});
export type ConnectionGroup = z.infer<typeof connectionGroup>;
