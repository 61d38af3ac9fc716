/** Addresses of a user's own data of the model: one entry per route. */

export const mimPersonalPaths = {
	favorites: { id: "mim_favorites.list", method: "GET", path: "/api/mim/favorites/", auth: "bearer" },
	addFavorite: { id: "mim_favorites.add", method: "POST", path: "/api/mim/favorites/", auth: "bearer" },
	removeFavorite: { id: "mim_favorites.remove", method: "DELETE", path: "/api/mim/favorites/:id/", auth: "bearer" },
	templates: { id: "mim_table_templates.list", method: "GET", path: "/api/mim/table-templates/", auth: "bearer" },
	createTemplate: {
		id: "mim_table_templates.create",
		method: "POST",
		path: "/api/mim/table-templates/",
		auth: "bearer",
	},
	template: { id: "mim_table_templates.detail", method: "GET", path: "/api/mim/table-templates/:id/", auth: "bearer" },
	replaceTemplate: {
		id: "mim_table_templates.replace",
		method: "PUT",
		path: "/api/mim/table-templates/:id/",
		auth: "bearer",
	},
	updateTemplate: {
		id: "mim_table_templates.update",
		method: "PATCH",
		path: "/api/mim/table-templates/:id/",
		auth: "bearer",
	},
	removeTemplate: {
		id: "mim_table_templates.remove",
		method: "DELETE",
		path: "/api/mim/table-templates/:id/",
		auth: "bearer",
	},
	preferences: { id: "mim_table_preferences.list", method: "GET", path: "/api/mim/table-preferences/", auth: "bearer" },
	putPreference: {
		id: "mim_table_preferences.create",
		method: "POST",
		path: "/api/mim/table-preferences/",
		auth: "bearer",
	},
	preference: {
		id: "mim_table_preferences.detail",
		method: "GET",
		path: "/api/mim/table-preferences/:id/",
		auth: "bearer",
	},
	replacePreference: {
		id: "mim_table_preferences.replace",
		method: "PUT",
		path: "/api/mim/table-preferences/:id/",
		auth: "bearer",
	},
	updatePreference: {
		id: "mim_table_preferences.update",
		method: "PATCH",
		path: "/api/mim/table-preferences/:id/",
		auth: "bearer",
	},
	removePreference: {
		id: "mim_table_preferences.remove",
		method: "DELETE",
		path: "/api/mim/table-preferences/:id/",
		auth: "bearer",
	},
} as const;
