/** Routes of runs in the background. */
import { uuidParams } from "../../core/common.ts";
import { defineRoute } from "../../core/route.ts";
import { pipelineJob } from "../pipelines/shapes.ts";
import { backgroundRunPaths } from "./paths.ts";
import { backgroundRunInput } from "./shapes.ts";

export const backgroundRunRoutes = {
	start: defineRoute({
		...backgroundRunPaths.start,
		summary: "Run a saved query in the background; its end writes the execution log and, if enabled, a snapshot",
		throttle: "user",
		permission: "execute_savedquery",
		audit: { category: "query_execution", action: "query_run_start" },
		params: uuidParams,
		body: backgroundRunInput,
		answers: { 202: pipelineJob },
	}),
} as const;
