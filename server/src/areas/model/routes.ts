/** The explorer, its older routes, and the tools. */
import { mimClassRoutes, mimRoutes, mimToolRoutes } from "@weft/contracts";
import type { Context } from "../../context.ts";
import { type BoundRoute, bindAll, buildReply } from "../../core/http/binder.ts";
import { checkCanvas, compareVersions, findPaths, readDnClasses } from "./compare-model-versions.ts";
import { createModelAnswers } from "./model-answers.ts";
import {
	findClassesContaining,
	listAncestors,
	listClasses,
	listContextRoots,
	listDnFormats,
	listMatchingChildren,
	listPackages,
	listTopPackages,
	readDetail,
	readHierarchy,
	readInsights,
	readModelStats,
	readRelated,
	readRelationships,
	readTree,
	searchByPackage,
	searchModel,
	suggestClasses,
} from "./read-model.ts";
import { createPersonalRoutes } from "./routes-personal.ts";

export function createRoutes(ctx: Context): BoundRoute[] {
	const createModelHandler = createModelAnswers(ctx);
	return [
		...bindAll(mimRoutes, {
			search: createModelHandler("search", (current, { query }) => searchModel(current, query)),
			tree: createModelHandler("tree", (current, { query }) => readTree(current, query)),
			detail: createModelHandler("detail", (current, { params }) => readDetail(current, params.class_name)),
			dnFormats: createModelHandler(
				"dns",
				(current, { params, query, url }) => listDnFormats(current, params.class_name, query, url),
				true,
			),
			insights: createModelHandler("insights", (current, { params }) => readInsights(current, params.class_name)),
			relationships: createModelHandler("relationships", (current, { params, query: { offset, limit, inherited } }) =>
				readRelationships(current, params.class_name, { offset, limit, inherited }),
			),
			ancestors: createModelHandler("ancestors", (current, { params }) => listAncestors(current, params.class_name)),
			stats: createModelHandler("stats", (current) => readModelStats(current)),
		}),
		...bindAll(mimClassRoutes, {
			list: createModelHandler("list", (current, { query, url }) => listClasses(current, query, url), true),
			search: createModelHandler("substring", (current, { query }) => findClassesContaining(current, query)),
			enhanced: createModelHandler("enhanced", (current, { query }) => searchByPackage(current, query)),
			roots: createModelHandler("roots", (current) => listContextRoots(current)),
			suggest: createModelHandler("suggest", (current, { query }) => suggestClasses(current, query)),
			detail: createModelHandler("detail", (current, { params }) => readDetail(current, params.name)),
			hierarchy: createModelHandler("hierarchy", (current, { params, query }) =>
				readHierarchy(current, params.name, query.depth),
			),
			related: createModelHandler("related", (current, { params }) => readRelated(current, params.name)),
			children: createModelHandler("children", (current, { params, query }) =>
				listMatchingChildren(current, params.parent, query.q),
			),
			packages: createModelHandler("packages", (current) => listPackages(current)),
			topPackages: createModelHandler("top", (current, { query }) => listTopPackages(current, query.limit)),
		}),
		...bindAll(mimToolRoutes, {
			dn: createModelHandler("dn", (current, { query }) => readDnClasses(current, query.dn)),
			path: createModelHandler("path", (current, { query }) => findPaths(current, query)),
			compare: async ({ query, url }) => buildReply(200, await compareVersions(ctx, query, url)),
			check: async ({ caller, body }) => buildReply(200, await checkCanvas(ctx, caller, body)),
		}),
		...createPersonalRoutes(ctx),
	];
}
