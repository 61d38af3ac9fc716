/** Routes of classes and packages of the model. */
import * as z from "zod";
import { defineEnvelope, paging } from "../../core/common.ts";
import { defineRoute } from "../../core/route.ts";
import {
	classDetail,
	className,
	classRef,
	defineWholeParam,
	explorerRead,
	notModified,
	searchLimit,
	term,
} from "../explorer/shapes.ts";
import { mimClassPaths } from "./paths.ts";
import { enhancedSearch, packageCount, related, suggestions } from "./shapes.ts";

const DEPTH = { fallback: 3, max: 10 } as const;

const TOP = { fallback: 10, max: 200 } as const;

/** Its children are nodes like itself. */
const hierarchyNode = z.object({
	name: z.string(),
	display_name: z.string(),
	truncated: z.boolean().optional(),
	children: z.array(z.looseObject({ name: z.string(), display_name: z.string(), children: z.array(z.unknown()) })),
});

const byName = z.object({ name: className });

export const mimClassRoutes = {
	list: defineRoute({
		...mimClassPaths.list,
		...explorerRead,
		summary: "All classes by name, or those of one package",
		query: z.object({ ...paging, package: z.string().max(64, "Must be at most 64 characters.").optional() }),
		answers: { 200: defineEnvelope(classRef), 304: notModified },
	}),
	search: defineRoute({
		...mimClassPaths.search,
		...explorerRead,
		summary: "Classes whose name or label holds a text",
		query: z.object({ q: term, limit: searchLimit }),
		answers: { 200: z.array(classRef), 304: notModified },
	}),
	enhanced: defineRoute({
		...mimClassPaths.enhanced,
		...explorerRead,
		summary: "Ranked search for classes, by package",
		query: z.object({ q: term, limit: searchLimit }),
		answers: { 200: enhancedSearch, 304: notModified },
	}),
	roots: defineRoute({
		...mimClassPaths.roots,
		...explorerRead,
		summary: "The context roots: classes that scope the names of what is below them",
		answers: { 200: z.array(classRef), 304: notModified },
	}),
	suggest: defineRoute({
		...mimClassPaths.suggest,
		...explorerRead,
		summary: "Classes that fit a question in plain words",
		query: z.object({ q: term, limit: searchLimit }),
		answers: { 200: suggestions, 304: notModified },
	}),
	detail: defineRoute({
		...mimClassPaths.detail,
		...explorerRead,
		summary: "All that is known of a class and its properties",
		params: byName,
		answers: { 200: classDetail, 304: notModified },
	}),
	hierarchy: defineRoute({
		...mimClassPaths.hierarchy,
		...explorerRead,
		summary: "What a class may contain, level by level",
		params: byName,
		query: z.object({ depth: defineWholeParam("depth", 0, DEPTH.max).default(DEPTH.fallback) }),
		answers: { 200: hierarchyNode, 304: notModified },
	}),
	related: defineRoute({
		...mimClassPaths.related,
		...explorerRead,
		summary: "Every class that contains, is contained, inherits or refers",
		params: byName,
		answers: { 200: related, 304: notModified },
	}),
	children: defineRoute({
		...mimClassPaths.children,
		...explorerRead,
		summary: "What a class may contain, by name or label; all of it without a text",
		params: z.object({ parent: className }),
		query: z.object({ q: z.string().trim().max(200, "Must be at most 200 characters.").default("") }),
		answers: { 200: z.array(classRef), 304: notModified },
	}),
	packages: defineRoute({
		...mimClassPaths.packages,
		...explorerRead,
		summary: "All packages by name",
		answers: { 200: z.array(packageCount), 304: notModified },
	}),
	topPackages: defineRoute({
		...mimClassPaths.topPackages,
		...explorerRead,
		summary: "The packages with the most classes",
		query: z.object({ limit: defineWholeParam("limit", 1, TOP.max).default(TOP.fallback) }),
		answers: { 200: z.array(packageCount), 304: notModified },
	}),
} as const;
