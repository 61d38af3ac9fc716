/** Expectations: the changes that a window declares before the work. */
import * as z from "zod";
import { defineDictionary, defineList } from "../core/bounded.ts";
import { defineLongText, uuid } from "../core/common.ts";
import { FINDING_SEVERITIES } from "../history/drift/values.ts";
import { defineChoice, defineWholeNumber } from "../queries/flow/fields.ts";
import { EXPECTATION_SOURCES, EXPECTED_CHANGES, IMPORT_FORMATS, WINDOW_LIMITS } from "./values.ts";

const MAX_TEXT = 1_000;
const pattern = z.string().min(1, "Must not be empty.").max(MAX_TEXT, `Must have at most ${MAX_TEXT} characters.`);
const value = z.string().max(4_000, "Must have at most 4000 characters.").nullable();

export const expectedDn = z.union([pattern, z.strictObject({ regex: pattern })], {
	error: "Must be a dn, a dn with * and **, or {regex}.",
});

export const expectedCount = z
	.strictObject({
		min: defineWholeNumber(0, 1_000_000).default(1),
		max: defineWholeNumber(0, 1_000_000).nullable().default(null),
	})
	.refine(({ min, max }) => max === null || max >= min, { path: ["max"], error: "Must not be less than min." });

/** An expected difference. The service adds `id` and `late`. */
export const expectationInput = z.strictObject({
	item: defineWholeNumber(0, WINDOW_LIMITS.items - 1)
		.nullable()
		.default(null)
		.meta({ description: "Index of the plan's item whose differences are expected; null: any item." }),
	connection_ids: defineList(uuid, { max: WINDOW_LIMITS.connections })
		.nullable()
		.default(null)
		.meta({ description: "Null: on every connection of the window." }),
	change: defineChoice(EXPECTED_CHANGES).default("any"),
	class_name: z.string().min(1, "Must not be empty.").max(200).nullable().default(null),
	dn: expectedDn.meta({
		description:
			"`*` stands for any characters but `/` outside of brackets, `**` for any. Matching is case-sensitive. " +
			"A regular expression (RE2) must match the whole dn.",
	}),
	attributes: defineDictionary(z.strictObject({ from: value.optional(), to: value.optional() }), { max: 200 })
		.nullable()
		.default(null)
		.meta({ description: "Only these attributes are expected to differ; null: any." }),
	count: expectedCount
		.nullable()
		.default(null)
		.meta({ description: "Differences on each connection; null: at least one." }),
	required: z.boolean().default(true).meta({ description: "Whether its absence is a finding." }),
	severity: z.enum(FINDING_SEVERITIES).default("warning"),
	note: defineLongText(500).default(""),
	source: z.enum(EXPECTATION_SOURCES).default("manual"),
});
export type ExpectationInput = z.output<typeof expectationInput>;

export const expectation = expectationInput.extend({
	id: z.string(),
	/** Whether it was added after the start: then it never counts towards `passed`. */
	late: z.boolean(),
});
export type Expectation = z.infer<typeof expectation>;

export const expectationList = defineList(
	expectationInput.extend({ id: z.string().max(36).optional(), late: z.boolean().optional() }),
	{
		max: WINDOW_LIMITS.expectations,
		tooMany: `Must have at most ${WINDOW_LIMITS.expectations} expectations.`,
	},
);
export const expectationsBody = z.object({ expectations: expectationList });
export type ExpectationsInput = z.output<typeof expectationsBody>;
export const expectationsAnswer = z.object({ expectations: z.array(expectation) });

export const expectationImportBody = z.object({
	format: defineChoice(IMPORT_FORMATS),
	/** The text of the file; absent for `request` and `comparison`. */
	content: z.string().max(WINDOW_LIMITS.importBytes).optional(),
	/** Id of an automation request, whose approved rows are turned into expectations. */
	request: uuid.optional(),
	/** Id of an earlier window on other connections, whose findings are expected again. */
	window: uuid.optional(),
});
export type ExpectationImport = z.output<typeof expectationImportBody>;

export const notUnderstood = z.looseObject({
	/** Name of the entry, such as the address of a Terraform resource. */
	what: z.string(),
	reason: z.string(),
});
export type NotUnderstood = z.infer<typeof notUnderstood>;
export const expectationImportAnswer = z.object({
	added: z.int(),
	not_understood: z.array(notUnderstood),
});
export type ExpectationImportAnswer = z.infer<typeof expectationImportAnswer>;
