/** Routes of the model explorer. */
import * as z from "zod";
import { defineEnvelope, paging } from "../../core/common.ts";
import { defineRoute } from "../../core/route.ts";
import { mimPaths } from "./paths.ts";
import {
	ancestor,
	classDetail,
	className,
	classParams,
	defineWholeParam,
	explorerRead,
	insights,
	modelStats,
	notModified,
	relationships,
	searchHit,
	searchLimit,
	term,
	treeNode,
} from "./shapes.ts";

const everything = 1_000_000;

export const mimRoutes = {
	search: defineRoute({
		...mimPaths.search,
		...explorerRead,
		summary: "Classes, properties and packages by name, label, description, alias, DN fragment, or nearly so",
		query: z.object({ q: term, limit: searchLimit, type: z.enum(["class", "property", "package"]).optional() }),
		answers: { 200: z.object({ query: z.string(), results: z.array(searchHit) }), 304: notModified },
	}),
	tree: defineRoute({
		...mimPaths.tree,
		...explorerRead,
		summary: "The children of a class in the tree of objects; without a parent those of its top",
		query: z.object({
			parent: className.optional(),
			/** Includes classes that nearly every class contains: tags, annotations, faults, health. */
			include_common: z
				.enum(["true", "false"], { error: "Must be true or false." })
				.transform((value) => value === "true")
				.default(false),
		}),
		answers: { 200: z.array(treeNode), 304: notModified },
	}),
	detail: defineRoute({
		...mimPaths.detail,
		...explorerRead,
		summary: "All that is known of a class and its properties",
		params: classParams,
		answers: { 200: classDetail, 304: notModified },
	}),
	dnFormats: defineRoute({
		...mimPaths.dnFormats,
		...explorerRead,
		summary: "Every form that the DN of an object of the class may have",
		params: classParams,
		query: z.object(paging),
		answers: { 200: defineEnvelope(z.string()), 304: notModified },
	}),
	insights: defineRoute({
		...mimPaths.insights,
		...explorerRead,
		summary: "How to name, ask for and fill objects of the class, worked out from the model",
		params: classParams,
		answers: { 200: insights, 304: notModified },
	}),
	relationships: defineRoute({
		...mimPaths.relationships,
		...explorerRead,
		summary: "What may contain the class, what it may contain, and what it refers to or is referred to by",
		params: classParams,
		query: z.object({
			limit: defineWholeParam("limit", 1, everything).optional(),
			offset: defineWholeParam("offset", 0, everything).default(0),
			/** `false` leaves out what super classes bring. */
			inherited: z
				.enum(["true", "false"], { error: "Must be true or false." })
				.transform((value) => value === "true")
				.default(true),
		}),
		answers: { 200: relationships, 304: notModified },
	}),
	ancestors: defineRoute({
		...mimPaths.ancestors,
		...explorerRead,
		summary: "The way from the top of the tree to the class, the top first",
		params: classParams,
		answers: { 200: z.array(ancestor), 304: notModified },
	}),
	stats: defineRoute({
		...mimPaths.stats,
		...explorerRead,
		summary: "Sizes of the loaded model",
		answers: { 200: modelStats, 304: notModified },
	}),
} as const;
