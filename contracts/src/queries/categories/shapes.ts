/** Categories that saved queries are sorted into. */
import * as z from "zod";
import { definePatternText } from "../../core/bounded.ts";
import { defineLongText, defineOrdering, defineTrimmedText, paging, timestamp } from "../../core/common.ts";
import { DEFAULT_CATEGORY_COLOR } from "./values.ts";

const SEARCH_LENGTH = 200;

const categoryFields = {
	name: defineTrimmedText(100),
	description: defineLongText(2_000),
	color: definePatternText(/^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/, 7, "Must be a hex colour such as #1f77b4."),
	icon: defineLongText(100),
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
	search: defineLongText(SEARCH_LENGTH).optional(),
	ordering: defineOrdering(["name", "created_at"], "name"),
});
