/** Routes of single objects. */
import { defineRoute } from "../../core/route.ts";
import { objectPaths } from "./paths.ts";
import { objectAnswer, objectQuery } from "./shapes.ts";

export const objectRoutes = {
	detail: defineRoute({
		...objectPaths.detail,
		throttle: "user",
		permission: "view_snapshot",
		audit: { none: "reads" },
		summary: "One object of a connection: attributes, changes, surroundings, checks, and the same elsewhere",
		query: objectQuery,
		answers: { 200: objectAnswer },
	}),
} as const;
