/** Favorite classes, column sets and table settings. */
import { mimPersonalRoutes } from "@weft/contracts";
import type { Context } from "../../context.ts";
import { type BoundRoute, bindAll, buildReply, noContent } from "../../core/http/binder.ts";
import {
	addFavorite,
	changeColumnSet,
	changePreference,
	createColumnSet,
	listColumnSets,
	listFavorites,
	listPreferences,
	putPreference,
	readColumnSet,
	readPreference,
	removeColumnSet,
	removeFavorite,
	removePreference,
} from "./manage-personal-lists.ts";

export function createPersonalRoutes(ctx: Context): BoundRoute[] {
	return bindAll(mimPersonalRoutes, {
		favorites: async ({ caller }) => buildReply(200, await listFavorites(ctx, caller)),
		addFavorite: async ({ caller, body }) => {
			const { made, favorite } = await addFavorite(ctx, caller, body.class_name);
			return made ? buildReply(201, favorite) : buildReply(200, favorite);
		},
		removeFavorite: async ({ caller, params }) => {
			await removeFavorite(ctx, caller, params.id);
			return noContent;
		},
		templates: async ({ caller, query, url }) => buildReply(200, await listColumnSets(ctx, caller, query, url)),
		createTemplate: async ({ caller, body }) => buildReply(201, await createColumnSet(ctx, caller, body)),
		template: async ({ caller, params }) => buildReply(200, await readColumnSet(ctx, caller, params.id)),
		replaceTemplate: async ({ caller, params, body }) =>
			buildReply(200, await changeColumnSet(ctx, caller, params.id, body)),
		updateTemplate: async ({ caller, params, body }) =>
			buildReply(200, await changeColumnSet(ctx, caller, params.id, body)),
		removeTemplate: async ({ caller, params }) => {
			await removeColumnSet(ctx, caller, params.id);
			return noContent;
		},
		preferences: async ({ caller, query, url }) => buildReply(200, await listPreferences(ctx, caller, query, url)),
		putPreference: async ({ caller, body }) => {
			const { made, preference } = await putPreference(ctx, caller, body);
			return made ? buildReply(201, preference) : buildReply(200, preference);
		},
		preference: async ({ caller, params }) => buildReply(200, await readPreference(ctx, caller, params.id)),
		replacePreference: async ({ caller, params, body }) =>
			buildReply(200, await changePreference(ctx, caller, params.id, body)),
		updatePreference: async ({ caller, params, body }) =>
			buildReply(200, await changePreference(ctx, caller, params.id, body)),
		removePreference: async ({ caller, params }) => {
			await removePreference(ctx, caller, params.id);
			return noContent;
		},
	});
}
