/** Routes of requests that become canvases. */
import * as z from "zod";
import { defineRoute } from "../../core/route.ts";
import { requestImportPaths } from "./paths.ts";
import { importedRequest, requestImportInput } from "./shapes.ts";
import { REQUEST_IMPORT_LIMITS } from "./values.ts";

export const requestImportRoutes = {
	import: defineRoute({
		...requestImportPaths.import,
		throttle: "user",
		summary: "Turn URLs, moquery, icurl and curl commands, or a Postman collection, into canvases; saves nothing",
		permission: "view_savedquery",
		audit: { none: "changes nothing" },
		body: requestImportInput,
		bodyLimit: REQUEST_IMPORT_LIMITS.body,
		answers: { 200: z.object({ results: z.array(importedRequest) }) },
	}),
} as const;
