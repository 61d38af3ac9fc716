/** Findings: differences and results of checks, each with its class. */
import * as z from "zod";
import { defineLongText, paging, timestamp, uuid } from "../core/common.ts";
import { changedBy } from "../history/compare-shapes.ts";
import { FINDING_SEVERITIES } from "../history/drift/values.ts";
import { defineWholeNumber } from "../queries/flow/fields.ts";
import { EXPECTED_CHANGES, FINDING_CLASSES, WINDOW_LIMITS } from "./values.ts";

export const windowFinding = z.object({
	id: z.string(),
	class: z.enum(FINDING_CLASSES),
	severity: z.enum(FINDING_SEVERITIES),
	connection_id: z.string(),
	/** Index of the plan's item; null for an expectation of any item that did not happen. */
	item: z.int().nullable(),
	/** Null for a check, and for numbers of a group. */
	dn: z.string().nullable(),
	class_name: z.string().nullable(),
	/** Null for a check and for numbers. */
	change: z.enum(EXPECTED_CHANGES).nullable(),
	/** In words what cannot be read from the other fields. */
	detail: z.string(),
	attributes: z.array(z.object({ name: z.string(), before: z.string().nullable(), after: z.string().nullable() })),
	/** Of a check: objects that violate it now, at most 100. */
	dns: z.array(z.string()),
	/** Newest first; empty if nobody is known. */
	changed_by: z.array(changedBy),
	/** Whether another user than the implementers changed it; null if that cannot be known. */
	foreign: z.boolean().nullable(),
	/** Id of the expectation that it is about. */
	expectation: z.string().nullable(),
	/** Matched an expectation that was added after the start. */
	late: z.boolean(),
	accepted_by: z.string().nullable(),
	accepted_at: timestamp.nullable(),
	reason: z.string(),
});
export type WindowFinding = z.infer<typeof windowFinding>;

export const findingListQuery = z.object({
	...paging,
	class: z.enum(FINDING_CLASSES, { error: `Must be one of: ${FINDING_CLASSES.join(", ")}.` }).optional(),
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
export const findingAcceptBody = z.object({
	reason: defineLongText(2000).refine((text) => text.trim() !== "", "Must not be empty."),
});

const ignoredCounts = z.object({ volatile: z.int(), rules: z.int() });
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
export const itemIndex = defineWholeNumber(0, WINDOW_LIMITS.items - 1);
