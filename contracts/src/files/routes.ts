/** Routes of objects as files. */
import * as z from "zod";
import { defineRoute } from "../core/route.ts";
import { queryFilePaths } from "./paths.ts";
import {
	applyAnswer,
	applyInput,
	fileError,
	fileQuery,
	queryFile,
	queryFilesAnswer,
	validateFilesInput,
} from "./shapes.ts";
import { APPLY_LIMITS } from "./values.ts";

const common = { throttle: "user" } as const;

/** Everything that is wrong with the files; also a body by field, as of other routes. */
const refused = z.union([z.object({ errors: z.array(fileError) }), z.record(z.string(), z.array(z.unknown()))]);

export const queryFileRoutes = {
	export: defineRoute({
		...queryFilePaths.export,
		...common,
		summary:
			"The caller's own queries, schedules, checks, connections, change plans and calendar entries as YAML files " +
			"without secrets, one per object",
		permission: "view_savedquery",
		audit: { none: "read" },
		answers: { 200: queryFilesAnswer },
	}),
	validate: defineRoute({
		...queryFilePaths.validate,
		...common,
		summary: "Check files and list what applying them would change; needs no right to change anything",
		permission: "view_savedquery",
		audit: { none: "changes nothing" },
		body: validateFilesInput,
		bodyLimit: APPLY_LIMITS.body,
		answers: { 200: applyAnswer, 400: refused },
	}),
	read: defineRoute({
		...queryFilePaths.read,
		...common,
		summary: "The query that a file describes, so that it can be run without being saved; changes nothing",
		permission: "view_savedquery",
		audit: { none: "changes nothing" },
		body: queryFile,
		bodyLimit: APPLY_LIMITS.fileBody,
		answers: { 200: fileQuery, 400: refused },
	}),
	apply: defineRoute({
		...queryFilePaths.apply,
		...common,
		summary:
			"Make the caller's queries, schedules, checks, connections, change plans and calendar entries those of " +
			"the files, all or nothing",
		permission: "view_savedquery",
		audit: { category: "query_management", action: "query_apply" },
		body: applyInput,
		bodyLimit: APPLY_LIMITS.body,
		answers: { 200: applyAnswer, 400: refused },
	}),
} as const;
