/** Routes of the model tools. */
import * as z from "zod";
import { errorDetail, paging, uuid } from "../../core/common.ts";
import { defineRoute } from "../../core/route.ts";
import { canvasSchema } from "../../queries/flow/shapes.ts";
import { className, defineWholeParam, explorerRead, notModified } from "../explorer/shapes.ts";
import { mimToolPaths } from "./paths.ts";
import { dnAnswer, modelCheck, modelComparison, pathAnswer } from "./shapes.ts";
import { CHANGES } from "./values.ts";

const DN_MAX = 4_096;
const PATHS = { fallback: 5, max: 50 } as const;
const BODY_LIMIT = 10 * 1024 * 1024;

/** The id of an installed version, or the key of the newest one with that key. */
const versionRef = z
	.string()
	.min(1, "Must not be empty.")
	.max(64, "Must be at most 64 characters.")
	.regex(/^[\w.()-]+$/, "Must be the id or the key of an installed version.");

export const mimToolRoutes = {
	dn: defineRoute({
		...mimToolPaths.dn,
		...explorerRead,
		summary: "The classes and naming values of a DN, part by part",
		query: z.object({
			dn: z
				.string({ error: "Say which DN." })
				.trim()
				.min(1, "Must not be empty.")
				.max(DN_MAX, `Must be at most ${DN_MAX} characters.`),
		}),
		answers: { 200: dnAnswer, 304: notModified },
	}),
	path: defineRoute({
		...mimToolPaths.path,
		...explorerRead,
		summary: "The shortest ways from one class to another, over containment and relations",
		query: z.object({
			from: className,
			to: className,
			limit: defineWholeParam("limit", 1, PATHS.max).default(PATHS.fallback),
			/** What may be used: containment, relations, or both. */
			over: z
				.enum(["containment", "relations", "both"], { error: "Must be containment, relations or both." })
				.default("both"),
		}),
		answers: { 200: pathAnswer, 304: notModified },
	}),
	compare: defineRoute({
		...mimToolPaths.compare,
		...explorerRead,
		summary: "Classes and properties that appeared, changed or went away between two installed versions",
		query: z.object({
			...paging,
			from: versionRef,
			to: versionRef,
			change: z.enum(CHANGES, { error: `Must be one of: ${CHANGES.join(", ")}.` }).optional(),
			package: z.string().max(64, "Must be at most 64 characters.").optional(),
		}),
		answers: { 200: modelComparison, 409: errorDetail },
	}),
	check: defineRoute({
		...mimToolPaths.check,
		...explorerRead,
		summary: "Classes and properties of a canvas or a saved query that the loaded model does not have",
		audit: { none: "changes nothing" },
		body: z
			.object({ flow_data: canvasSchema.optional(), saved_query_id: uuid.optional() })
			.refine(({ flow_data, saved_query_id }) => (flow_data === undefined) !== (saved_query_id === undefined), {
				error: "Give flow_data or saved_query_id.",
			}),
		bodyLimit: BODY_LIMIT,
		answers: { 200: modelCheck, 404: errorDetail },
	}),
} as const;
