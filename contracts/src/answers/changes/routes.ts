/** The routes of the feed of changes. */
import { defineRoute } from "../../core/route.ts";
import { changePaths } from "./paths.ts";
import { changeList, changeListQuery, changeSummary, changeSummaryQuery } from "./shapes.ts";

const read = { throttle: "user", permission: "view_snapshot", audit: { none: "read" } } as const;

export const changeRoutes = {
	list: defineRoute({
		...changePaths.list,
		...read,
		summary: "What changed on the fabrics, newest first, by the snapshots of the queries that the caller sees",
		query: changeListQuery,
		answers: { 200: changeList },
	}),
	summary: defineRoute({
		...changePaths.summary,
		...read,
		summary: "How many changes there were, by fabric and period, person, tenant and class",
		query: changeSummaryQuery,
		answers: { 200: changeSummary },
	}),
} as const;
