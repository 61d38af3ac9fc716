/** Expected changes of a row of an automation request, with `{column}` for its values. */
import * as z from "zod";
import { defineDictionary, defineList } from "../core/bounded.ts";
import { FINDING_SEVERITIES } from "../history/drift/values.ts";
import { defineChoice } from "../queries/flow/fields.ts";
import { EXPECTED_CHANGES } from "./values.ts";

const text = z.string().min(1, "Must not be empty.").max(1_000, "Must have at most 1000 characters.");

export const rowExpectation = z.strictObject({
	change: defineChoice(EXPECTED_CHANGES).default("any"),
	class_name: z.string().min(1, "Must not be empty.").max(200).nullable().default(null),
	dn: text.meta({ description: "Such as `uni/tn-{tenant}/BD-{name}`." }),
	attributes: defineDictionary(z.strictObject({ from: text.nullable().optional(), to: text.nullable().optional() }), {
		max: 50,
	})
		.nullable()
		.default(null),
	required: z.boolean().default(true),
	severity: z.enum(FINDING_SEVERITIES).default("warning"),
});
export type RowExpectation = z.output<typeof rowExpectation>;

export const rowExpectations = defineList(rowExpectation, {
	max: 20,
	tooMany: "Must have at most 20 expectations.",
});
