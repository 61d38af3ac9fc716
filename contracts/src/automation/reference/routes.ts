/** Routes of reference data of automation templates. */
import * as z from "zod";
import { intParams } from "../../core/common.ts";
import { defineCrudRoutes } from "../../core/crud.ts";
import { defineRoute } from "../../core/route.ts";
import { common } from "../common.ts";
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

export const automationCategoryRoutes = defineCrudRoutes({
	paths: automationCategoryPaths,
	noun: "template category",
	permission: "automationcategory",
	audit: { category: "category_management", action: "automationcategory" },
	shapes: {
		item: automationCategory,
		params: intParams,
		query: automationCategoryList,
		create: automationCategoryInput,
		update: automationCategoryPatch,
	},
	removed: "It is deleted",
});

/** Bytes of a request with one column: up to 1,000 choices of 1,000 characters. */
const COLUMN_BODY = 4 * 1024 * 1024;

export const columnTemplateRoutes = defineCrudRoutes({
	paths: columnTemplatePaths,
	noun: "column template",
	permission: "columntemplate",
	audit: { category: "validation_management", action: "columntemplate" },
	shapes: { item: columnTemplate, query: ownedList, create: columnTemplateInput, update: columnTemplatePatch },
	removed: "It is deleted",
	bodyLimit: COLUMN_BODY,
});

export const validationListRoutes = defineCrudRoutes({
	paths: validationListPaths,
	noun: "validation list",
	permission: "validationlist",
	audit: { category: "validation_management", action: "validationlist" },
	shapes: { item: validationList, query: ownedList, create: validationListInput, update: validationListPatch },
	removed: "It is deleted",
	bodyLimit: AUTOMATION_LIMITS.body,
});

export const regexPatternRoutes = {
	...defineCrudRoutes({
		paths: regexPatternPaths,
		noun: "regex pattern",
		permission: "regexpattern",
		audit: { category: "validation_management", action: "regexpattern" },
		shapes: { item: regexPattern, query: ownedList, create: regexPatternInput, update: regexPatternPatch },
		removed: "It is deleted",
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
