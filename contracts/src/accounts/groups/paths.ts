/** Addresses of groups and their permissions: one entry per route. */
import { defineCrudPaths } from "../../core/paths.ts";

const { list, create, ...one } = defineCrudPaths("groups", "/api/auth/groups/", [
	"list",
	"create",
	"detail",
	"update",
	"remove",
]);

export const groupPaths = {
	list,
	create,
	roleTemplates: {
		id: "groups.role_templates",
		method: "GET",
		path: "/api/auth/groups/role_templates/",
		auth: "bearer",
	},
	...one,
	clone: { id: "groups.clone", method: "POST", path: "/api/auth/groups/:id/clone/", auth: "bearer" },
	addPermissions: {
		id: "groups.add_permissions",
		method: "POST",
		path: "/api/auth/groups/:id/add_permissions/",
		auth: "bearer",
	},
	removePermissions: {
		id: "groups.remove_permissions",
		method: "POST",
		path: "/api/auth/groups/:id/remove_permissions/",
		auth: "bearer",
	},
	quota: { id: "groups.quota", method: "GET", path: "/api/auth/groups/:id/quota/", auth: "bearer" },
	setQuota: { id: "groups.set_quota", method: "PUT", path: "/api/auth/groups/:id/quota/", auth: "bearer" },
	removeQuota: { id: "groups.remove_quota", method: "DELETE", path: "/api/auth/groups/:id/quota/", auth: "bearer" },
	permissions: { id: "permissions.list", method: "GET", path: "/api/auth/permissions/", auth: "bearer" },
} as const;
