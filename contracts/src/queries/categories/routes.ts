/** Routes of query categories. */
import { intParams } from "../../core/common.ts";
import { defineCrudRoutes } from "../../core/crud.ts";
import { queryCategoryPaths } from "./paths.ts";
import { categoryInput, categoryList, categoryPatch, queryCategory } from "./shapes.ts";

export const queryCategoryRoutes = defineCrudRoutes({
	paths: queryCategoryPaths,
	noun: "category",
	permission: "querycategory",
	audit: { category: "category_management", action: "category" },
	shapes: {
		item: queryCategory,
		params: intParams,
		query: categoryList,
		create: categoryInput,
		update: categoryPatch,
	},
	summary: {
		list: "Query categories, by name",
		create: "Make a category; its name is unique whatever the case of its letters",
		replace: "Replace a category; what is left out takes its default",
		update: "Change some fields of a category",
		remove: "Delete a category; its queries stay, without one",
	},
	removed: "The category is gone",
});
