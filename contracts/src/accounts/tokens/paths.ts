/** Addresses of API tokens: one entry per route. */

export const apiTokenPaths = {
	list: { id: "api_tokens.list", method: "GET", path: "/api/auth/tokens/", auth: "bearer" },
	create: { id: "api_tokens.create", method: "POST", path: "/api/auth/tokens/", auth: "bearer" },
	options: { id: "api_tokens.options", method: "GET", path: "/api/auth/tokens/options/", auth: "bearer" },
	detail: { id: "api_tokens.detail", method: "GET", path: "/api/auth/tokens/:id/", auth: "bearer" },
	remove: { id: "api_tokens.remove", method: "DELETE", path: "/api/auth/tokens/:id/", auth: "bearer" },
	managedList: {
		id: "api_tokens.managed_list",
		method: "GET",
		path: "/api/auth/management/:id/tokens/",
		auth: "bearer",
	},
	managedCreate: {
		id: "api_tokens.managed_create",
		method: "POST",
		path: "/api/auth/management/:id/tokens/",
		auth: "bearer",
	},
	managedRemove: {
		id: "api_tokens.managed_remove",
		method: "DELETE",
		path: "/api/auth/management/:id/tokens/:token_id/",
		auth: "bearer",
	},
} as const;
