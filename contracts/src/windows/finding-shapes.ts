/** Findings: differences and results of checks, each with its class. */
import * as z from "zod";
import { defineLongText, paging, timestamp, uuid } from "../core/common.ts";
import { refuseBlank } from "../core/text.ts";
import { changedBy } from "../history/compare-shapes.ts";
import { FINDING_SEVERITIES } from "../history/drift/values.ts";
import { defineChoice } from "../queries/flow/fields.ts";
import { EXPECTED_CHANGES, FINDING_CLASSES } from "./values.ts";

export const windowFinding = z.object({
	id: z.string(),
	class: z.enum(FINDING_CLASSES),
	severity: z.enum(FINDING_SEVERITIES),
	connection_id: z.string(),
	/** Index of the plan's item; null for a missing change that any item could have shown. */
	item: z.int().nullable(),
	/** Null for a check and for the row counts of a group. */
	dn: z.string().nullable(),
	class_name: z.string().nullable(),
	/** Null for a check and for row counts. */
	change: z.enum(EXPECTED_CHANGES).nullable(),
	/** A sentence with the facts that no other field has; may be empty. */
	detail: z.string(),
	attributes: z.array(z.object({ name: z.string(), before: z.string().nullable(), after: z.string().nullable() })),
	/** Objects that violate the check now, at most 100; empty for a query. */
	dns: z.array(z.string()),
	/** Newest first; empty if no user is known. */
	changed_by: z.array(changedBy),
	/** Whether another user than the implementers changed it; null if that cannot be known. */
	foreign: z.boolean().nullable(),
	/** Id of the expectation that it matches or that is missing. */
	expectation: z.string().nullable(),
	/** Whether the matching expectation was added after the start. */
	late: z.boolean(),
	accepted_by: z.string().nullable(),
	accepted_at: timestamp.nullable(),
	reason: z.string(),
});
export type WindowFinding = z.infer<typeof windowFinding>;

export const findingListQuery = z.object({
	...paging,
	class: defineChoice(FINDING_CLASSES).optional(),
	connection: uuid.optional(),
	item: z
		.string()
		.max(2)
		.regex(/^[0-9]{1,2}$/, "Must be the number of an item.")
		.transform(Number)
		.optional(),
	format: z.enum(["json", "ndjson"], { error: "Must be json or ndjson." }).default("json"),
});
export type FindingList = z.output<typeof findingListQuery>;

export const findingParams = z.object({ id: uuid, finding_id: uuid });
export const windowReasonBody = z.object({ reason: refuseBlank(defineLongText(2000)) });

/** Numbers of objects and attributes that were left out, by reason. */
export const ignoredCounts = z.object({ volatile: z.int(), rules: z.int() });
export const itemCounts = z.object({
	expected: z.int(),
	undeclared: z.int(),
	missing: z.int(),
	accepted: z.int(),
	minor: z.int(),
	allowed: z.int(),
	new: z.int(),
	worse: z.int(),
	same: z.int(),
	fixed: z.int(),
	late: z.int(),
	ignored: ignoredCounts,
});
export type ItemCounts = z.infer<typeof itemCounts>;
