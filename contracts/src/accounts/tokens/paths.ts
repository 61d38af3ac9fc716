/** Addresses of API tokens: one entry per route. */
import { defineCrudPaths } from "../../core/paths.ts";

const { list, create, ...one } = defineCrudPaths("api_tokens", "/api/auth/tokens/", [
	"list",
	"create",
	"detail",
	"remove",
]);

export const apiTokenPaths = {
	list,
	create,
	options: { id: "api_tokens.options", method: "GET", path: "/api/auth/tokens/options/", auth: "bearer" },
	...one,
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
