/** The route of numbers over time. */
import { defineRoute } from "../../core/route.ts";
import { seriesPaths } from "./paths.ts";
import { seriesAnswer, seriesQuery } from "./shapes.ts";

export const seriesRoutes = {
	series: defineRoute({
		...seriesPaths.series,
		throttle: "user",
		summary: "A number of each snapshot of a saved query over time, by group; export=csv and openmetrics download it",
		permission: "view_snapshot",
		audit: { none: "read" },
		query: seriesQuery,
		answers: { 200: seriesAnswer },
	}),
} as const;
