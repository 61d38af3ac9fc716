/** Addresses of query categories: one entry per route. */

export const queryCategoryPaths = {
	list: { id: "query_categories.list", method: "GET", path: "/api/queries/categories/", auth: "bearer" },
	create: { id: "query_categories.create", method: "POST", path: "/api/queries/categories/", auth: "bearer" },
	detail: { id: "query_categories.detail", method: "GET", path: "/api/queries/categories/:id/", auth: "bearer" },
	replace: { id: "query_categories.replace", method: "PUT", path: "/api/queries/categories/:id/", auth: "bearer" },
	update: { id: "query_categories.update", method: "PATCH", path: "/api/queries/categories/:id/", auth: "bearer" },
	remove: { id: "query_categories.remove", method: "DELETE", path: "/api/queries/categories/:id/", auth: "bearer" },
} as const;
