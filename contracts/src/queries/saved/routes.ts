/** The routes of saved queries and their versions. */
import * as z from "zod";
import { uuidParams } from "../../core/common.ts";
import { defineCrudRoutes } from "../../core/crud.ts";
import { defineRoute } from "../../core/route.ts";
import { savedQueryPaths } from "./paths.ts";
import {
	connectionQuestion,
	connectionVerdict,
	executionReport,
	savedQuery,
	savedQueryInput,
	savedQueryList,
	savedQueryPatch,
	savedQuerySummary,
	savedQueryVersion,
	versionAnswer,
	versionParams,
	versionQuestion,
} from "./shapes.ts";
import { SAVED_QUERY_LIMITS } from "./values.ts";

const common = { throttle: "user" } as const;
const read = { ...common, audit: { none: "read" } } as const;

const { list, create, ...one } = defineCrudRoutes({
	paths: savedQueryPaths,
	noun: "query",
	permission: "savedquery",
	audit: { category: "query_management", action: "query" },
	shapes: {
		item: savedQuery,
		listed: savedQuerySummary,
		query: savedQueryList,
		create: savedQueryInput,
		update: savedQueryPatch,
	},
	bodyLimit: SAVED_QUERY_LIMITS.body,
	summary: {
		list: "One's own queries, those shared with one, and public ones, without their canvases",
		create: "Save a new query as v1.0",
		detail: "A query with its canvas and its version history",
		replace: "Replace a query; what is left out takes its default, the version moves as with a change",
		update: "Change some fields; another meaning of the canvas or other post-processors make a new version",
		remove: "Delete a query with all its versions",
	},
	removed: "The query is gone",
});

export const savedQueryRoutes = {
	list,
	create,
	validateConnection: defineRoute({
		...savedQueryPaths.validateConnection,
		...common,
		summary: "Whether a class may contain another one",
		permission: "view_savedquery",
		audit: { none: "changes nothing" },
		body: connectionQuestion,
		answers: { 200: connectionVerdict },
	}),
	...one,
	execute: defineRoute({
		...savedQueryPaths.execute,
		...common,
		summary: "Record how an execution ended; runs nothing",
		permission: "execute_savedquery",
		audit: { category: "query_execution", action: "query_run" },
		params: uuidParams,
		body: executionReport,
		bodyLimit: SAVED_QUERY_LIMITS.body,
		answers: { 200: z.object({ message: z.string() }) },
	}),
	favorite: defineRoute({
		...savedQueryPaths.favorite,
		...common,
		summary: "Make the query one of the caller's favorites, or no longer",
		permission: "view_savedquery",
		audit: { category: "query_management", action: "query_favorite" },
		params: uuidParams,
		answers: { 200: z.object({ is_favorite: z.boolean() }) },
	}),
	duplicate: defineRoute({
		...savedQueryPaths.duplicate,
		...common,
		summary: "A private copy as v1.0 that belongs to the caller",
		permission: "add_savedquery",
		audit: { category: "query_management", action: "query_duplicate" },
		params: uuidParams,
		answers: { 201: savedQuery },
	}),
	version: defineRoute({
		...savedQueryPaths.version,
		...read,
		summary: "An old version with its canvas",
		permission: "view_savedquery",
		params: versionParams,
		answers: { 200: savedQueryVersion },
	}),
	versionPreview: defineRoute({
		...savedQueryPaths.versionPreview,
		...common,
		summary: "The version that saving a canvas would give, and what would have changed; saves nothing",
		permission: "view_savedquery",
		audit: { none: "changes nothing" },
		params: uuidParams,
		body: versionQuestion,
		bodyLimit: SAVED_QUERY_LIMITS.body,
		answers: { 200: versionAnswer },
	}),
	restore: defineRoute({
		...savedQueryPaths.restore,
		...common,
		summary: "Make an old version's canvas the current one, as a new version",
		permission: "change_savedquery",
		audit: { category: "query_management", action: "query_restore" },
		params: versionParams,
		answers: { 200: savedQuery },
	}),
} as const;
