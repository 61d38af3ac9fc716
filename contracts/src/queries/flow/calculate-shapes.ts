/** The post-processor `calculate`: percentages, free parts of ranges, and networks that overlap. */
import * as z from "zod";
import { defineList } from "../../core/bounded.ts";
import { fieldPath } from "./fields.ts";
import { CALCULATE_OPERATIONS } from "./values.ts";

const defineFieldList = () =>
	defineList(fieldPath, {
		max: 200,
		error: "Must be a list of fields.",
		tooMany: "Must have at most 200 fields.",
	});
const percent = z.object({
	operation: z.literal("percent"),
	field: fieldPath,
	/** The field with the number that is 100 percent. */
	of: fieldPath,
	target: fieldPath,
});
const free = z.object({
	operation: z.literal("free"),
	/** Fields with the first and the last number of the row's range. */
	from: fieldPath,
	to: fieldPath,
	/** Fields with the numbers and ranges that are in use. */
	used: defineFieldList().min(1, { error: "Needs at least one field." }),
	/** The ranges that are not in use. */
	target: fieldPath,
	/** Those of `used` that lie in the row's range. */
	usedTarget: fieldPath.optional(),
	/** How many numbers are not in use. */
	countTarget: fieldPath.optional(),
});
const overlap = z.object({
	operation: z.literal("overlap"),
	/** The field with an address or a prefix. */
	field: fieldPath,
	/** Only rows with equal values of these fields are compared. */
	groupBy: defineFieldList().default([]),
	/** The field by which the other rows are named. */
	show: fieldPath.default("dn"),
	target: fieldPath,
});

export const calculateConfig = z.discriminatedUnion("operation", [percent, free, overlap], {
	error: `Must be one of: ${CALCULATE_OPERATIONS.join(", ")}.`,
});
