/** Routes of the gallery of questions. */

import { check } from "../../checks/shapes.ts";
import { defineEnvelope } from "../../core/common.ts";
import { defineRoute } from "../../core/route.ts";
import { savedQuery } from "../../queries/saved/shapes.ts";
import { groupExecution } from "../../runs/groups/shapes.ts";
import { galleryPaths } from "./paths.ts";
import {
	question,
	questionListQuery,
	questionParams,
	questionRunBody,
	questionSaveBody,
	questionWatchBody,
} from "./shapes.ts";

const common = { throttle: "user" } as const;

export const galleryRoutes = {
	list: defineRoute({
		...galleryPaths.list,
		...common,
		summary: "Ready questions about a fabric; a search knows synonyms such as BD for bridge domain",
		permission: "view_savedquery",
		audit: { none: "read" },
		query: questionListQuery,
		answers: { 200: defineEnvelope(question) },
	}),
	run: defineRoute({
		...galleryPaths.run,
		...common,
		summary: "Run a question on connections or on a group of them",
		permission: "execute_savedquery",
		audit: { category: "query_execution", action: "question_run" },
		params: questionParams,
		body: questionRunBody,
		answers: { 202: groupExecution },
	}),
	watch: defineRoute({
		...galleryPaths.watch,
		...common,
		summary: "Save a question as a query with snapshots, a check of its rows and a schedule, all or nothing",
		permission: "add_check",
		audit: { category: "query_management", action: "question_watch" },
		params: questionParams,
		body: questionWatchBody,
		answers: { 201: check },
	}),
	save: defineRoute({
		...galleryPaths.save,
		...common,
		summary: "Save a question as a query of the caller",
		permission: "add_savedquery",
		audit: { category: "query_management", action: "question_save" },
		params: questionParams,
		body: questionSaveBody,
		answers: { 201: savedQuery },
	}),
} as const;
