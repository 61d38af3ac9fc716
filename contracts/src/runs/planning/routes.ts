/** Routes of plans and previews. */
import { errorUpstream } from "../../core/common.ts";
import { defineRoute } from "../../core/route.ts";
import { planningPaths } from "./paths.ts";
import { planAnswer, planInput, previewAnswer, previewInput } from "./shapes.ts";

const BODY_LIMIT = 10 * 1024 * 1024;

const common = { throttle: "user", bodyLimit: BODY_LIMIT } as const;

export const planningRoutes = {
	plan: defineRoute({
		...planningPaths.plan,
		...common,
		summary: "Explain a canvas: stages, strategies, queries and how many requests there will be",
		permission: "view_savedquery",
		audit: { none: "changes nothing" },
		body: planInput,
		answers: { 200: planAnswer },
	}),
	preview: defineRoute({
		...planningPaths.preview,
		...common,
		summary: "The first rows of one node of a canvas, at once",
		permission: "execute_savedquery",
		audit: { none: "changes nothing" },
		body: previewInput,
		answers: { 200: previewAnswer, 502: errorUpstream, 504: errorUpstream },
	}),
} as const;
