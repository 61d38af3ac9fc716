/** Reference data of automation templates: categories, columns, lists of values, expressions. */
import * as z from "zod";
import { defineList, definePatternText } from "../../core/bounded.ts";
import { boolParam, defineOrdering, paging, timestamp } from "../../core/common.ts";
import { defineLine } from "../../core/text.ts";
import { getText, removeDuplicates, searchText } from "../common.ts";
import { templateColumn } from "../templates/shapes.ts";
import { AUTOMATION_LIMITS } from "../values.ts";
import { REGEX_FLAGS } from "./values.ts";

const color = definePatternText(/^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/, 7, "Must be a hex colour such as #1f77b4.");
const order = z.int("Must be a whole number.").min(-1_000_000).max(1_000_000);

export const automationCategoryInput = z.object({
	name: defineLine(100),
	description: getText(2000).default(""),
	color: color.default("#64748b"),
	icon: getText(100).default(""),
	display_order: order.default(0),
});
export const automationCategoryPatch = z
	.object({ name: defineLine(100), description: getText(2000), color, icon: getText(100), display_order: order })
	.partial();
export type AutomationCategoryInput = z.output<typeof automationCategoryInput>;
export type AutomationCategoryPatch = z.output<typeof automationCategoryPatch>;

export const automationCategory = z.object({
	id: z.int(),
	name: z.string(),
	description: z.string(),
	color: z.string(),
	icon: z.string(),
	display_order: z.int(),
	/** Templates of the category that the caller may see. */
	template_count: z.int(),
	created_at: timestamp,
});
export type AutomationCategory = z.infer<typeof automationCategory>;

export const columnTemplateInput = z.object({
	name: defineLine(100),
	description: getText(2000).default(""),
	column: templateColumn,
	is_public: z.boolean().default(false),
});
export const columnTemplatePatch = z
	.object({ name: defineLine(100), description: getText(2000), column: templateColumn, is_public: z.boolean() })
	.partial();
export type ColumnTemplateInput = z.output<typeof columnTemplateInput>;

const owned = {
	is_public: z.boolean(),
	/** Templates that use it. */
	usage_count: z.int(),
	created_by: z.string(),
	created_at: timestamp,
	updated_at: timestamp,
	can_edit: z.boolean(),
};

export const columnTemplate = z.object({
	id: z.string(),
	name: z.string(),
	description: z.string(),
	column: templateColumn,
	...owned,
});
export type ColumnTemplate = z.infer<typeof columnTemplate>;

const values = defineList(z.string("Must be a text.").max(1000, "Must be at most 1000 characters."), {
	max: AUTOMATION_LIMITS.values,
	tooMany: `Must have at most ${AUTOMATION_LIMITS.values} values.`,
})
	.min(1, "Must have at least one value.")
	.transform(removeDuplicates);

export const validationListInput = z.object({
	name: defineLine(100),
	description: getText(2000).default(""),
	values,
	case_sensitive: z.boolean().default(true),
	error_message: getText(500).default(""),
	is_public: z.boolean().default(true),
});
export const validationListPatch = z
	.object({
		name: defineLine(100),
		description: getText(2000),
		values,
		case_sensitive: z.boolean(),
		error_message: getText(500),
		is_public: z.boolean(),
	})
	.partial();
export type ValidationListInput = z.output<typeof validationListInput>;

export const validationList = z.object({
	id: z.string(),
	name: z.string(),
	description: z.string(),
	values: z.array(z.string()),
	case_sensitive: z.boolean(),
	error_message: z.string(),
	...owned,
});
export type ValidationList = z.infer<typeof validationList>;

const flags = definePatternText(REGEX_FLAGS, 3, "Must be made of i (any case), m (lines) and s (dot takes line ends).");
const pattern = z.string().min(1, "Must not be empty.").max(2000, "Must be at most 2000 characters.");
const testStrings = defineList(z.string().max(1000, "Must be at most 1000 characters."), {
	max: 100,
	tooMany: "Must have at most 100 texts.",
});

export const regexPatternInput = z.object({
	name: defineLine(100),
	description: getText(2000).default(""),
	pattern,
	flags: flags.default(""),
	category: getText(100).default(""),
	test_strings: testStrings.default([]),
	is_public: z.boolean().default(true),
});
export const regexPatternPatch = z
	.object({
		name: defineLine(100),
		description: getText(2000),
		pattern,
		flags,
		category: getText(100),
		test_strings: testStrings,
		is_public: z.boolean(),
	})
	.partial();
export type RegexPatternInput = z.output<typeof regexPatternInput>;

export const regexPattern = z.object({
	id: z.string(),
	name: z.string(),
	description: z.string(),
	pattern: z.string(),
	flags: z.string(),
	category: z.string(),
	test_strings: z.array(z.string()),
	...owned,
});
export type RegexPattern = z.infer<typeof regexPattern>;

export const regexPatternTest = z.object({ pattern, flags: flags.default(""), test_strings: testStrings });
export type RegexPatternTest = z.output<typeof regexPatternTest>;

const list = z.object({
	...paging,
	search: searchText.optional(),
	ordering: defineOrdering(["name", "created_at"], "name"),
});
export const ownedList = list.extend({ mine: boolParam.optional() });
export type OwnedList = z.output<typeof ownedList>;
export const automationCategoryList = list.extend({
	ordering: defineOrdering(["display_order", "name", "created_at"], "display_order"),
});
export type AutomationCategoryList = z.output<typeof automationCategoryList>;
