/** Reference data of automation templates: categories, columns, lists of values, expressions. */
import * as z from "zod";
import { AUTOMATION_LIMITS, common, distinct, lineOf, read, searchText, textOf } from "./automation-common.ts";
import { templateColumn } from "./automation-templates.ts";
import { listOf, patterned } from "./bounded.ts";
import { boolParam, envelope, intParams, ordering, paging, timestamp, uuidParams } from "./common.ts";
import { type PermissionRule, raw, route } from "./route.ts";

const color = patterned(/^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/, 7, "Must be a hex colour such as #1f77b4.");
const order = z.int("Must be a whole number.").min(-1_000_000).max(1_000_000);

const categoryInput = z.object({
	name: lineOf(100),
	description: textOf(2000).default(""),
	color: color.default("#64748b"),
	icon: textOf(100).default(""),
	display_order: order.default(0),
});
const categoryPatch = z
	.object({ name: lineOf(100), description: textOf(2000), color, icon: textOf(100), display_order: order })
	.partial();
export type AutomationCategoryInput = z.output<typeof categoryInput>;
export type AutomationCategoryPatch = z.output<typeof categoryPatch>;

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

const columnInput = z.object({
	name: lineOf(100),
	description: textOf(2000).default(""),
	column: templateColumn,
	is_public: z.boolean().default(false),
});
const columnPatch = z
	.object({ name: lineOf(100), description: textOf(2000), column: templateColumn, is_public: z.boolean() })
	.partial();
export type ColumnTemplateInput = z.output<typeof columnInput>;
export type ColumnTemplatePatch = z.output<typeof columnPatch>;

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

const values = listOf(z.string("Must be a text.").max(1000, "Must be at most 1000 characters."), {
	max: AUTOMATION_LIMITS.values,
	tooMany: `Must have at most ${AUTOMATION_LIMITS.values} values.`,
})
	.min(1, "Must have at least one value.")
	.transform(distinct);

const listInput = z.object({
	name: lineOf(100),
	description: textOf(2000).default(""),
	values,
	case_sensitive: z.boolean().default(true),
	error_message: textOf(500).default(""),
	is_public: z.boolean().default(true),
});
const listPatch = z
	.object({
		name: lineOf(100),
		description: textOf(2000),
		values,
		case_sensitive: z.boolean(),
		error_message: textOf(500),
		is_public: z.boolean(),
	})
	.partial();
export type ValidationListInput = z.output<typeof listInput>;
export type ValidationListPatch = z.output<typeof listPatch>;

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

export const REGEX_FLAGS = /^(?!.*(.).*\1)[ims]*$/;
const flags = patterned(REGEX_FLAGS, 3, "Must be made of i (any case), m (lines) and s (dot takes line ends).");
const pattern = z.string().min(1, "Must not be empty.").max(2000, "Must be at most 2000 characters.");
const testStrings = listOf(z.string().max(1000, "Must be at most 1000 characters."), {
	max: 100,
	tooMany: "Must have at most 100 texts.",
});

const patternInput = z.object({
	name: lineOf(100),
	description: textOf(2000).default(""),
	pattern,
	flags: flags.default(""),
	category: textOf(100).default(""),
	test_strings: testStrings.default([]),
	is_public: z.boolean().default(true),
});
const patternPatch = z
	.object({
		name: lineOf(100),
		description: textOf(2000),
		pattern,
		flags,
		category: textOf(100),
		test_strings: testStrings,
		is_public: z.boolean(),
	})
	.partial();
export type RegexPatternInput = z.output<typeof patternInput>;
export type RegexPatternPatch = z.output<typeof patternPatch>;

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

const patternTest = z.object({ pattern, flags: flags.default(""), test_strings: testStrings });
export type RegexPatternTest = z.output<typeof patternTest>;

const list = z.object({ ...paging, search: searchText.optional(), ordering: ordering(["name", "created_at"], "name") });
const ownedList = list.extend({ mine: boolParam.optional() });
export type OwnedList = z.output<typeof ownedList>;
const categoryList = list.extend({
	ordering: ordering(["display_order", "name", "created_at"], "display_order"),
});
export type AutomationCategoryList = z.output<typeof categoryList>;

/** The six routes of a resource. */
function crud<
	const Area extends string,
	Item extends z.ZodType,
	Input extends z.ZodType,
	Patch extends z.ZodType,
	List extends z.ZodType,
	Params extends z.ZodType,
>(
	area: Area,
	parts: {
		readonly noun: string;
		readonly model: string;
		readonly category: "category_management" | "validation_management";
		readonly item: Item;
		readonly input: Input;
		readonly patch: Patch;
		readonly list: List;
		readonly params: Params;
		/** Largest body in bytes; 1 MiB where absent. */
		readonly bodyLimit?: number;
	},
) {
	const { noun, model, category, item, input, patch, params } = parts;
	const limit = parts.bodyLimit === undefined ? {} : { bodyLimit: parts.bodyLimit };
	const path = `/api/automation/${area}/` as const;
	const one = `${path}:id/` as const;
	const id = `automation_${area.replaceAll("-", "_")}`;
	const may = (verb: "view" | "add" | "change" | "delete"): PermissionRule => `${verb}_${model}`;
	const audit = (verb: string) => ({ category, action: `${model}_${verb}` });
	return {
		list: route({
			...common,
			id: `${id}.list`,
			method: "GET",
			path,
			summary: `The ${noun}s that the caller sees`,
			permission: may("view"),
			audit: read,
			query: parts.list,
			answers: { 200: envelope(item) },
		}),
		create: route({
			...common,
			id: `${id}.create`,
			method: "POST",
			path,
			summary: `Make a ${noun}`,
			permission: may("add"),
			audit: audit("create"),
			body: input,
			...limit,
			answers: { 201: item },
		}),
		detail: route({
			...common,
			id: `${id}.detail`,
			method: "GET",
			path: one,
			summary: `One ${noun}`,
			permission: may("view"),
			audit: read,
			params,
			answers: { 200: item },
		}),
		update: route({
			...common,
			id: `${id}.update`,
			method: "PATCH",
			path: one,
			summary: `Change some fields of a ${noun}`,
			permission: may("change"),
			audit: audit("update"),
			params,
			body: patch,
			...limit,
			answers: { 200: item },
		}),
		replace: route({
			...common,
			id: `${id}.replace`,
			method: "PUT",
			path: one,
			summary: `Replace all fields of a ${noun}, those left out by their defaults`,
			permission: may("change"),
			audit: audit("update"),
			params,
			body: input,
			...limit,
			answers: { 200: item },
		}),
		remove: route({
			...common,
			id: `${id}.remove`,
			method: "DELETE",
			path: one,
			summary: `Delete a ${noun}`,
			permission: may("delete"),
			audit: audit("delete"),
			params,
			answers: { 204: raw("", "It is deleted") },
		}),
	};
}

export const automationCategoryRoutes = crud("categories", {
	noun: "template category",
	model: "automationcategory",
	category: "category_management",
	item: automationCategory,
	input: categoryInput,
	patch: categoryPatch,
	list: categoryList,
	params: intParams,
});

/** Bytes of a request with one column: up to 1,000 choices of 1,000 characters. */
const COLUMN_BODY = 4 * 1024 * 1024;

export const columnTemplateRoutes = crud("column-templates", {
	bodyLimit: COLUMN_BODY,
	noun: "column template",
	model: "columntemplate",
	category: "validation_management",
	item: columnTemplate,
	input: columnInput,
	patch: columnPatch,
	list: ownedList,
	params: uuidParams,
});

export const validationListRoutes = crud("validation-lists", {
	bodyLimit: AUTOMATION_LIMITS.body,
	noun: "validation list",
	model: "validationlist",
	category: "validation_management",
	item: validationList,
	input: listInput,
	patch: listPatch,
	list: ownedList,
	params: uuidParams,
});

export const regexPatternRoutes = {
	...crud("regex-patterns", {
		noun: "regex pattern",
		model: "regexpattern",
		category: "validation_management",
		item: regexPattern,
		input: patternInput,
		patch: patternPatch,
		list: ownedList,
		params: uuidParams,
	}),
	test: route({
		...common,
		id: "automation_regex_patterns.test",
		method: "POST",
		path: "/api/automation/regex-patterns/test/",
		summary: "Try a pattern on texts; it must match the whole of one",
		permission: "view_regexpattern",
		audit: { none: "changes nothing" },
		body: patternTest,
		answers: {
			200: z.object({
				valid: z.literal(true),
				results: z.array(z.object({ text: z.string(), matches: z.boolean() })),
			}),
		},
	}),
} as const;
