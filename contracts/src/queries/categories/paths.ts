/** Addresses of query categories: one entry per route. */
import { defineCrudPaths, REPLACE_FIRST } from "../../core/paths.ts";

export const queryCategoryPaths = defineCrudPaths("query_categories", "/api/queries/categories/", REPLACE_FIRST);
