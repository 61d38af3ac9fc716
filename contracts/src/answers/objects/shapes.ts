/** One object of a fabric: its attributes, history and surroundings. */
import * as z from "zod";
import { CHECK_STATES } from "../../checks/values.ts";
import { timestamp, uuid } from "../../core/common.ts";

import { changedBy } from "../../history/compare-shapes.ts";
import { FINDING_SEVERITIES } from "../../history/drift/values.ts";
import { ATTRIBUTION_REASONS } from "../../history/values.ts";
import { namedRef } from "../find/shapes.ts";
import { ATTRIBUTE_KINDS, OBJECT_CHANGES, OBJECT_PARTS } from "./values.ts";

export const objectQuery = z.object({
	connection: uuid.meta({ description: "The id of a controller connection." }),
	dn: z.string().min(1, "This field may not be blank.").max(10_000),
	live: z
		.enum(["1"], { error: "Must be 1." })
		.optional()
		.meta({ description: "Asks the controller for the object and its children first; needs execute_savedquery." }),
});
export type ObjectQuery = z.output<typeof objectQuery>;

export const objectAttribute = z.object({ name: z.string(), value: z.unknown(), kind: z.enum(ATTRIBUTE_KINDS) });
export type ObjectAttribute = z.infer<typeof objectAttribute>;

export const objectChange = z.object({
	/** Of its entry in the feed of changes. */
	id: z.int(),
	/** The time of the later snapshot. */
	at: timestamp,
	change: z.enum(OBJECT_CHANGES),
	/** Empty unless modified. Null where the attribute is absent. Values as in the feed. */
	attributes: z.array(z.object({ name: z.string(), before: z.unknown(), after: z.unknown() })),
	/** Attributes that the feed does not have; they are in the snapshots. */
	attributes_omitted: z.int(),
	/** Newest first; empty if the controller has no record of it or was not asked. */
	changed_by: z.array(changedBy),
	/** Why `changed_by` is empty; null if that is unknown or it is not empty. */
	changed_by_reason: z.enum(ATTRIBUTION_REASONS).nullable(),
	severity: z.enum(FINDING_SEVERITIES),
	/** Queries that saw the change. */
	saved_queries: z.array(namedRef),
	/** Null if it no longer exists. */
	snapshot_id: z.string().nullable(),
	previous_snapshot_id: z.string().nullable(),
});

export const objectAnswer = z.object({
	connection: namedRef,
	dn: z.string(),
	class_name: z.string(),
	label: z.string(),
	/** By kind, then by name; from the newest snapshot that has the object, or live. */
	attributes: z.array(objectAttribute),
	/** When a run last found the rows of that snapshot, or when the controller answered. */
	seen_at: timestamp,
	is_current: z.boolean(),
	/** Of the kept snapshots; null if only the controller has the object. */
	first_seen_at: timestamp.nullable(),
	last_seen_at: timestamp.nullable(),
	/** The newest 50 of the feed of changes over all histories, newest first. */
	changes: z.array(objectChange),
	/** Earlier changes are unknown: the first snapshot that has it, or the retention of the feed. */
	changes_since: timestamp.nullable(),
	/** Whether snapshots of its histories are still being read into the feed. */
	are_changes_pending: z.boolean(),
	/** Parts that have more entries than this answer shows. */
	truncated: z.array(z.enum(OBJECT_PARTS)),
	/** Null for the root; the class is null where no snapshot has the parent. */
	parent: z.object({ dn: z.string(), class_name: z.string().nullable() }).nullable(),
	/** Objects directly below it, by class. */
	children: z.array(z.object({ class_name: z.string(), count: z.int() })),
	/** `dn` is the relation object; `other_dn` the object at its other end. */
	relations: z.array(
		z.object({
			class_name: z.string(),
			dn: z.string(),
			other_dn: z.string(),
			direction: z.enum(["out", "in"]),
		}),
	),
	/** Relations that exist, of which at most 500 are shown. */
	relations_total: z.int(),
	/** Checks whose evidence holds the object. */
	checks: z.array(
		z.object({
			id: z.string(),
			name: z.string(),
			state: z.enum(CHECK_STATES),
			severity: z.enum(FINDING_SEVERITIES),
		}),
	),
	/**
	 * Objects of the same name, without numbers of nodes and pods, on other connections. `differing`
	 * are names of attributes; `differences` have their values, null where absent.
	 */
	elsewhere: z.array(
		z.object({
			connection: namedRef,
			dn: z.string(),
			equal: z.boolean(),
			differing: z.array(z.string()),
			differences: z.array(z.object({ name: z.string(), here: z.unknown(), there: z.unknown() })),
		}),
	),
	histories: z.array(z.object({ saved_query: namedRef, snapshots: z.int() })),
	/** Null unless asked for; without an error, attributes and children are the controller's. */
	live: z
		.object({
			at: timestamp,
			/** False if the controller answered and has no such object. */
			is_present: z.boolean().nullable(),
			error: z.string().nullable(),
		})
		.nullable(),
});
export type ObjectAnswer = z.infer<typeof objectAnswer>;
