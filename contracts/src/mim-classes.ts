/** The model explorer's older routes by class and package. */
import * as z from "zod";
import { envelope, paging } from "./common.ts";
import {
	classDetail,
	className,
	classRef,
	explorerRead,
	notModified,
	searchHit,
	searchLimit,
	term,
	wholeParam,
} from "./mim.ts";
import { route } from "./route.ts";

const DEPTH = { fallback: 3, max: 10 } as const;
/** Nodes of one hierarchy at most; where it is cut, nodes say so. */
export const HIERARCHY_NODES = 5_000;
const TOP = { fallback: 10, max: 200 } as const;

export interface HierarchyNode {
	readonly name: string;
	readonly display_name: string;
	readonly children: HierarchyNode[];
	/** Children are omitted: `depth`, the node limit, or a class that contains itself. */
	truncated?: boolean;
}
/** Its children are nodes like itself. */
const hierarchyNode = z.object({
	name: z.string(),
	display_name: z.string(),
	truncated: z.boolean().optional(),
	children: z.array(z.looseObject({ name: z.string(), display_name: z.string(), children: z.array(z.unknown()) })),
});

export const RELATIONS = ["contains", "contained_by", "super_class", "sub_class", "association"] as const;
export const related = z.object({
	class_name: z.string(),
	related: z.array(
		classRef.extend({
			relation: z.enum(RELATIONS),
			direction: z.enum(["to", "from"]),
			/** The relation's class; null where it is no association. */
			via: z.string().nullable(),
		}),
	),
});
export type Related = z.infer<typeof related>;

export const packageCount = z.object({ name: z.string(), class_count: z.int() });
export type PackageCount = z.infer<typeof packageCount>;

export const suggestions = z.object({
	query: z.string(),
	suggestions: z.array(classRef.extend({ score: z.number(), reason: z.string() })),
});
export type Suggestions = z.infer<typeof suggestions>;

export const enhancedSearch = z.object({
	query: z.string(),
	total: z.int(),
	packages: z.array(z.object({ package: z.string(), count: z.int(), results: z.array(searchHit) })),
});
export type EnhancedSearch = z.infer<typeof enhancedSearch>;

const byName = z.object({ name: className });
const path = "/api/mim/classes/";
const one = `${path}:name/` as const;
const packagesPath = "/api/mim/packages/";

export const mimClassRoutes = {
	list: route({
		...explorerRead,
		id: "mim_classes.list",
		path,
		summary: "All classes by name, or those of one package",
		query: z.object({ ...paging, package: z.string().max(64, "Must be at most 64 characters.").optional() }),
		answers: { 200: envelope(classRef), 304: notModified },
	}),
	search: route({
		...explorerRead,
		id: "mim_classes.search",
		path: `${path}search/`,
		summary: "Classes whose name or label holds a text",
		query: z.object({ q: term, limit: searchLimit }),
		answers: { 200: z.array(classRef), 304: notModified },
	}),
	enhanced: route({
		...explorerRead,
		id: "mim_classes.search_enhanced",
		path: `${path}search/enhanced/`,
		summary: "Ranked search for classes, by package",
		query: z.object({ q: term, limit: searchLimit }),
		answers: { 200: enhancedSearch, 304: notModified },
	}),
	roots: route({
		...explorerRead,
		id: "mim_classes.roots",
		path: `${path}roots/`,
		summary: "The context roots: classes that scope the names of what is below them",
		answers: { 200: z.array(classRef), 304: notModified },
	}),
	suggest: route({
		...explorerRead,
		id: "mim_classes.suggest",
		path: `${path}suggest/`,
		summary: "Classes for what somebody wants to know, in their own words",
		query: z.object({ q: term, limit: searchLimit }),
		answers: { 200: suggestions, 304: notModified },
	}),
	detail: route({
		...explorerRead,
		id: "mim_classes.detail",
		path: one,
		summary: "All that is known of a class and its properties",
		params: byName,
		answers: { 200: classDetail, 304: notModified },
	}),
	hierarchy: route({
		...explorerRead,
		id: "mim_classes.hierarchy",
		path: `${one}hierarchy/`,
		summary: "What a class may contain, level by level",
		params: byName,
		query: z.object({ depth: wholeParam("depth", 0, DEPTH.max).default(DEPTH.fallback) }),
		answers: { 200: hierarchyNode, 304: notModified },
	}),
	related: route({
		...explorerRead,
		id: "mim_classes.related",
		path: `${one}related/`,
		summary: "Every class that contains, is contained, inherits or refers",
		params: byName,
		answers: { 200: related, 304: notModified },
	}),
	children: route({
		...explorerRead,
		id: "mim_classes.children_search",
		path: `${path}:parent/children/search/`,
		summary: "What a class may contain, by name or label; all of it without a text",
		params: z.object({ parent: className }),
		query: z.object({ q: z.string().trim().max(200, "Must be at most 200 characters.").default("") }),
		answers: { 200: z.array(classRef), 304: notModified },
	}),
	packages: route({
		...explorerRead,
		id: "mim_packages.list",
		path: packagesPath,
		summary: "All packages by name",
		answers: { 200: z.array(packageCount), 304: notModified },
	}),
	topPackages: route({
		...explorerRead,
		id: "mim_packages.top",
		path: `${packagesPath}top/`,
		summary: "The packages with the most classes",
		query: z.object({ limit: wholeParam("limit", 1, TOP.max).default(TOP.fallback) }),
		answers: { 200: z.array(packageCount), 304: notModified },
	}),
} as const;
