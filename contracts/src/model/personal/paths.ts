/** Addresses of a user's own data of the model: one entry per route. */
import { defineCrudPaths, REPLACE_FIRST } from "../../core/paths.ts";

export const tableTemplatePaths = defineCrudPaths("mim_table_templates", "/api/mim/table-templates/", REPLACE_FIRST);
export const tablePreferencePaths = defineCrudPaths(
	"mim_table_preferences",
	"/api/mim/table-preferences/",
	REPLACE_FIRST,
);

export const mimPersonalPaths = {
	favorites: { id: "mim_favorites.list", method: "GET", path: "/api/mim/favorites/", auth: "bearer" },
	addFavorite: { id: "mim_favorites.add", method: "POST", path: "/api/mim/favorites/", auth: "bearer" },
	removeFavorite: { id: "mim_favorites.remove", method: "DELETE", path: "/api/mim/favorites/:id/", auth: "bearer" },
	templates: tableTemplatePaths.list,
	createTemplate: tableTemplatePaths.create,
	template: tableTemplatePaths.detail,
	replaceTemplate: tableTemplatePaths.replace,
	updateTemplate: tableTemplatePaths.update,
	removeTemplate: tableTemplatePaths.remove,
	preferences: tablePreferencePaths.list,
	putPreference: tablePreferencePaths.create,
	preference: tablePreferencePaths.detail,
	replacePreference: tablePreferencePaths.replace,
	updatePreference: tablePreferencePaths.update,
	removePreference: tablePreferencePaths.remove,
} as const;
