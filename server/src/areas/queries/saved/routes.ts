/** Categories, saved queries and execution logs. */
import { executionLogRoutes, queryCategoryRoutes, savedQueryRoutes } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import { type BoundRoute, bindAll, buildReply, noContent } from "../../../core/http/binder.ts";
import {
	createCategory,
	listCategories,
	readVisibleCategory,
	removeCategory,
	updateCategory,
} from "./manage-categories.ts";
import {
	createSavedQuery,
	listVisibleSavedQueries,
	previewVersion,
	readSavedQuery,
	removeSavedQuery,
	updateSavedQuery,
} from "./manage-queries.ts";
import {
	duplicateQuery,
	executeSavedQuery,
	listQueryLogs,
	restoreQueryVersion,
	saveQueryVersion,
	toggleFavorite,
	validateConnection,
} from "./use-query.ts";

export function createRoutes(ctx: Context): BoundRoute[] {
	return [
		...bindAll(queryCategoryRoutes, {
			list: async ({ caller, query, url }) => buildReply(200, await listCategories(ctx, caller, query, url)),
			create: async ({ caller, body }) => buildReply(201, await createCategory(ctx, caller, body)),
			detail: async ({ caller, params }) => buildReply(200, await readVisibleCategory(ctx, caller, params.id)),
			replace: async ({ caller, params, body }) => buildReply(200, await updateCategory(ctx, caller, params.id, body)),
			update: async ({ caller, params, body }) => buildReply(200, await updateCategory(ctx, caller, params.id, body)),
			remove: async ({ caller, params }) => {
				await removeCategory(ctx, caller, params.id);
				return noContent;
			},
		}),
		...bindAll(savedQueryRoutes, {
			list: async ({ caller, query, url }) => buildReply(200, await listVisibleSavedQueries(ctx, caller, query, url)),
			create: async ({ caller, body }) => buildReply(201, await createSavedQuery(ctx, caller, body)),
			detail: async ({ caller, params }) => buildReply(200, await readSavedQuery(ctx, caller, params.id)),
			replace: async ({ caller, params, body }) =>
				buildReply(200, await updateSavedQuery(ctx, caller, params.id, body)),
			update: async ({ caller, params, body }) => buildReply(200, await updateSavedQuery(ctx, caller, params.id, body)),
			remove: async ({ caller, params }) => {
				await removeSavedQuery(ctx, caller, params.id);
				return noContent;
			},
			execute: async ({ caller, params, body }) =>
				buildReply(200, await executeSavedQuery(ctx, caller, params.id, body)),
			favorite: async ({ caller, params }) => buildReply(200, await toggleFavorite(ctx, caller, params.id)),
			duplicate: async ({ caller, params }) => buildReply(201, await duplicateQuery(ctx, caller, params.id)),
			version: async ({ caller, params }) =>
				buildReply(200, await saveQueryVersion(ctx, caller, params.id, params.version)),
			restore: async ({ caller, params }) =>
				buildReply(200, await restoreQueryVersion(ctx, caller, params.id, params.version)),
			versionPreview: async ({ caller, params, body }) =>
				buildReply(200, await previewVersion(ctx, caller, params.id, body)),
			validateConnection: async ({ body }) => buildReply(200, await validateConnection(ctx, body)),
		}),
		...bindAll(executionLogRoutes, {
			list: async ({ caller, query, url }) => buildReply(200, await listQueryLogs(ctx, caller, query, url)),
		}),
	];
}
