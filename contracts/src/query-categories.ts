/** Categories that saved queries are sorted into. */
import * as z from "zod";
import { patterned } from "./bounded.ts";
import { envelope, intParams, longText, ordering, paging, timestamp, trimmed } from "./common.ts";
import { raw, route } from "./route.ts";

const SEARCH_LENGTH = 200;

export const DEFAULT_CATEGORY_COLOR = "#64748b";

const categoryFields = {
	name: trimmed(100),
	description: longText(2_000),
	color: patterned(/^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/, 7, "Must be a hex colour such as #1f77b4."),
	icon: longText(100),
};

export const categoryInput = z.object({
	name: categoryFields.name,
	description: categoryFields.description.default(""),
	color: categoryFields.color.default(DEFAULT_CATEGORY_COLOR),
	icon: categoryFields.icon.default(""),
});
export const categoryPatch = z.object(categoryFields).partial();

export const queryCategory = z.object({
	id: z.int(),
	name: z.string(),
	description: z.string(),
	color: z.string(),
	icon: z.string(),
	/** Queries of the category that the caller may see. */
	query_count: z.int(),
	created_at: timestamp,
});
export type QueryCategory = z.infer<typeof queryCategory>;

export const categoryList = z.object({
	...paging,
	search: longText(SEARCH_LENGTH).optional(),
	ordering: ordering(["name", "created_at"], "name"),
});

const CATEGORIES = "/api/queries/categories/";
const common = { auth: "bearer", throttle: "user" } as const;
const read = { ...common, method: "GET", audit: { none: "read" } } as const;

export const queryCategoryRoutes = {
	list: route({
		...read,
		id: "query_categories.list",
		path: CATEGORIES,
		summary: "Query categories, by name",
		permission: "view_querycategory",
		query: categoryList,
		answers: { 200: envelope(queryCategory) },
	}),
	create: route({
		...common,
		id: "query_categories.create",
		method: "POST",
		path: CATEGORIES,
		summary: "Make a category; its name is unique whatever the case of its letters",
		permission: "add_querycategory",
		audit: { category: "category_management", action: "category_create" },
		body: categoryInput,
		answers: { 201: queryCategory },
	}),
	detail: route({
		...read,
		id: "query_categories.detail",
		path: `${CATEGORIES}:id/`,
		summary: "One category",
		permission: "view_querycategory",
		params: intParams,
		answers: { 200: queryCategory },
	}),
	replace: route({
		...common,
		id: "query_categories.replace",
		method: "PUT",
		path: `${CATEGORIES}:id/`,
		summary: "Replace a category; what is left out takes its default",
		permission: "change_querycategory",
		audit: { category: "category_management", action: "category_update" },
		params: intParams,
		body: categoryInput,
		answers: { 200: queryCategory },
	}),
	update: route({
		...common,
		id: "query_categories.update",
		method: "PATCH",
		path: `${CATEGORIES}:id/`,
		summary: "Change some fields of a category",
		permission: "change_querycategory",
		audit: { category: "category_management", action: "category_update" },
		params: intParams,
		body: categoryPatch,
		answers: { 200: queryCategory },
	}),
	remove: route({
		...common,
		id: "query_categories.remove",
		method: "DELETE",
		path: `${CATEGORIES}:id/`,
		summary: "Delete a category; its queries stay, without one",
		permission: "delete_querycategory",
		audit: { category: "category_management", action: "category_delete" },
		params: intParams,
		answers: { 204: raw("", "The category is gone") },
	}),
} as const;
