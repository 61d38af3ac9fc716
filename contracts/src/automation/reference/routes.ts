/** Routes of reference data of automation templates. */
import * as z from "zod";
import { defineEnvelope, intParams, uuidParams } from "../../core/common.ts";
import { defineRawAnswer, defineRoute, type PermissionRule, type RoutePath } from "../../core/route.ts";
import { common, read } from "../common.ts";
import { AUTOMATION_LIMITS } from "../values.ts";
import { automationCategoryPaths, columnTemplatePaths, regexPatternPaths, validationListPaths } from "./paths.ts";
import {
	automationCategory,
	automationCategoryInput,
	automationCategoryList,
	automationCategoryPatch,
	columnTemplate,
	columnTemplateInput,
	columnTemplatePatch,
	ownedList,
	regexPattern,
	regexPatternInput,
	regexPatternPatch,
	regexPatternTest,
	validationList,
	validationListInput,
	validationListPatch,
} from "./shapes.ts";

/** The six routes of a resource. */
function defineResourceRoutes<
	const Paths extends Record<"list" | "create" | "detail" | "update" | "replace" | "remove", RoutePath>,
	Item extends z.ZodType,
	Input extends z.ZodType,
	Patch extends z.ZodType,
	List extends z.ZodType,
	Params extends z.ZodType,
>(
	paths: Paths,
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
	// Its type keeps the id and the path as they are written; that of `paths.list` would not.
	const entry = <Name extends keyof Paths>(name: Name): Paths[Name] => paths[name];
	const may = (verb: "view" | "add" | "change" | "delete"): PermissionRule => `${verb}_${model}`;
	const audit = (verb: string) => ({ category, action: `${model}_${verb}` });
	return {
		list: defineRoute({
			...entry("list"),
			...common,
			summary: `The ${noun}s that the caller sees`,
			permission: may("view"),
			audit: read,
			query: parts.list,
			answers: { 200: defineEnvelope(item) },
		}),
		create: defineRoute({
			...entry("create"),
			...common,
			summary: `Make a ${noun}`,
			permission: may("add"),
			audit: audit("create"),
			body: input,
			...limit,
			answers: { 201: item },
		}),
		detail: defineRoute({
			...entry("detail"),
			...common,
			summary: `One ${noun}`,
			permission: may("view"),
			audit: read,
			params,
			answers: { 200: item },
		}),
		update: defineRoute({
			...entry("update"),
			...common,
			summary: `Change some fields of a ${noun}`,
			permission: may("change"),
			audit: audit("update"),
			params,
			body: patch,
			...limit,
			answers: { 200: item },
		}),
		replace: defineRoute({
			...entry("replace"),
			...common,
			summary: `Replace all fields of a ${noun}, those left out by their defaults`,
			permission: may("change"),
			audit: audit("update"),
			params,
			body: input,
			...limit,
			answers: { 200: item },
		}),
		remove: defineRoute({
			...entry("remove"),
			...common,
			summary: `Delete a ${noun}`,
			permission: may("delete"),
			audit: audit("delete"),
			params,
			answers: { 204: defineRawAnswer("", "It is deleted") },
		}),
	};
}

export const automationCategoryRoutes = defineResourceRoutes(automationCategoryPaths, {
	noun: "template category",
	model: "automationcategory",
	category: "category_management",
	item: automationCategory,
	input: automationCategoryInput,
	patch: automationCategoryPatch,
	list: automationCategoryList,
	params: intParams,
});

/** Bytes of a request with one column: up to 1,000 choices of 1,000 characters. */
const COLUMN_BODY = 4 * 1024 * 1024;

export const columnTemplateRoutes = defineResourceRoutes(columnTemplatePaths, {
	bodyLimit: COLUMN_BODY,
	noun: "column template",
	model: "columntemplate",
	category: "validation_management",
	item: columnTemplate,
	input: columnTemplateInput,
	patch: columnTemplatePatch,
	list: ownedList,
	params: uuidParams,
});

export const validationListRoutes = defineResourceRoutes(validationListPaths, {
	bodyLimit: AUTOMATION_LIMITS.body,
	noun: "validation list",
	model: "validationlist",
	category: "validation_management",
	item: validationList,
	input: validationListInput,
	patch: validationListPatch,
	list: ownedList,
	params: uuidParams,
});

export const regexPatternRoutes = {
	...defineResourceRoutes(regexPatternPaths, {
		noun: "regex pattern",
		model: "regexpattern",
		category: "validation_management",
		item: regexPattern,
		input: regexPatternInput,
		patch: regexPatternPatch,
		list: ownedList,
		params: uuidParams,
	}),
	test: defineRoute({
		...regexPatternPaths.test,
		...common,
		summary: "Try a pattern on texts; it must match the whole of one",
		permission: "view_regexpattern",
		audit: { none: "changes nothing" },
		body: regexPatternTest,
		answers: {
			200: z.object({
				valid: z.literal(true),
				results: z.array(z.object({ text: z.string(), matches: z.boolean() })),
			}),
		},
	}),
} as const;
