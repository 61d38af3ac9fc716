/** Categories, saved queries and execution logs. */
import { executionLogRoutes, queryCategoryRoutes, queryExchangeRoutes, savedQueryRoutes } from "@weft/contracts";
import { type BoundRoute, bindAll, buildReply, noContent, streamReply } from "../../platform/http/binder.ts";
import type { SavedQueries } from "./service.ts";
import type { Actions } from "./service-actions.ts";
import type { Categories } from "./service-categories.ts";
import type { Exchange } from "./service-exchange.ts";

interface Services {
	readonly categories: Categories;
	readonly queries: SavedQueries;
	readonly actions: Actions;
	readonly exchange: Exchange;
}

export function createRoutes({ categories, queries, actions, exchange }: Services): BoundRoute[] {
	return [
		...bindAll(queryCategoryRoutes, {
			list: async ({ caller, query, url }) => buildReply(200, await categories.list(caller, query, url)),
			create: async ({ caller, body }) => buildReply(201, await categories.create(caller, body)),
			detail: async ({ caller, params }) => buildReply(200, await categories.detail(caller, params.id)),
			replace: async ({ caller, params, body }) => buildReply(200, await categories.update(caller, params.id, body)),
			update: async ({ caller, params, body }) => buildReply(200, await categories.update(caller, params.id, body)),
			remove: async ({ caller, params }) => {
				await categories.remove(caller, params.id);
				return noContent;
			},
		}),
		...bindAll(savedQueryRoutes, {
			list: async ({ caller, query, url }) => buildReply(200, await queries.list(caller, query, url)),
			create: async ({ caller, body }) => buildReply(201, await queries.create(caller, body)),
			detail: async ({ caller, params }) => buildReply(200, await queries.detail(caller, params.id)),
			replace: async ({ caller, params, body }) => buildReply(200, await queries.update(caller, params.id, body)),
			update: async ({ caller, params, body }) => buildReply(200, await queries.update(caller, params.id, body)),
			remove: async ({ caller, params }) => {
				await queries.remove(caller, params.id);
				return noContent;
			},
			execute: async ({ caller, params, body }) => buildReply(200, await actions.execute(caller, params.id, body)),
			favorite: async ({ caller, params }) => buildReply(200, await actions.favorite(caller, params.id)),
			duplicate: async ({ caller, params }) => buildReply(201, await actions.duplicate(caller, params.id)),
			version: async ({ caller, params }) => buildReply(200, await actions.version(caller, params.id, params.version)),
			restore: async ({ caller, params }) => buildReply(200, await actions.restore(caller, params.id, params.version)),
			versionPreview: async ({ caller, params, body }) =>
				buildReply(200, await queries.versionPreview(caller, params.id, body)),
			validateConnection: async ({ body }) => buildReply(200, await actions.validateConnection(body)),
		}),
		...bindAll(queryExchangeRoutes, {
			export: async ({ caller, query }) => {
				const file = await streamReply(
					200,
					"application/json; charset=utf-8",
					await exchange.export(caller, query.ids),
				);
				const disposition = 'attachment; filename="weft-queries.json"';
				return { ...file, headers: { ...file.headers, "content-disposition": disposition } };
			},
			import: async ({ caller, body }) => buildReply(200, await exchange.import(caller, body)),
		}),
		...bindAll(executionLogRoutes, {
			list: async ({ caller, query, url }) => buildReply(200, await actions.logs(caller, query, url)),
		}),
	];
}
