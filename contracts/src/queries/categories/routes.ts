/** Routes of query categories. */
import { defineEnvelope, intParams } from "../../core/common.ts";
import { defineRawAnswer, defineRoute } from "../../core/route.ts";
import { queryCategoryPaths } from "./paths.ts";
import { categoryInput, categoryList, categoryPatch, queryCategory } from "./shapes.ts";

const common = { throttle: "user" } as const;
const read = { ...common, audit: { none: "read" } } as const;

export const queryCategoryRoutes = {
	list: defineRoute({
		...queryCategoryPaths.list,
		...read,
		summary: "Query categories, by name",
		permission: "view_querycategory",
		query: categoryList,
		answers: { 200: defineEnvelope(queryCategory) },
	}),
	create: defineRoute({
		...queryCategoryPaths.create,
		...common,
		summary: "Make a category; its name is unique whatever the case of its letters",
		permission: "add_querycategory",
		audit: { category: "category_management", action: "category_create" },
		body: categoryInput,
		answers: { 201: queryCategory },
	}),
	detail: defineRoute({
		...queryCategoryPaths.detail,
		...read,
		summary: "One category",
		permission: "view_querycategory",
		params: intParams,
		answers: { 200: queryCategory },
	}),
	replace: defineRoute({
		...queryCategoryPaths.replace,
		...common,
		summary: "Replace a category; what is left out takes its default",
		permission: "change_querycategory",
		audit: { category: "category_management", action: "category_update" },
		params: intParams,
		body: categoryInput,
		answers: { 200: queryCategory },
	}),
	update: defineRoute({
		...queryCategoryPaths.update,
		...common,
		summary: "Change some fields of a category",
		permission: "change_querycategory",
		audit: { category: "category_management", action: "category_update" },
		params: intParams,
		body: categoryPatch,
		answers: { 200: queryCategory },
	}),
	remove: defineRoute({
		...queryCategoryPaths.remove,
		...common,
		summary: "Delete a category; its queries stay, without one",
		permission: "delete_querycategory",
		audit: { category: "category_management", action: "category_delete" },
		params: intParams,
		answers: { 204: defineRawAnswer("", "The category is gone") },
	}),
} as const;
