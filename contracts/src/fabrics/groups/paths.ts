/** Addresses of connection groups: one entry per route. */

export const connectionGroupPaths = {
	list: { id: "connection_groups.list", method: "GET", path: "/api/controller/connection-groups/", auth: "bearer" },
	create: {
		id: "connection_groups.create",
		method: "POST",
		path: "/api/controller/connection-groups/",
		auth: "bearer",
	},
	detail: {
		id: "connection_groups.detail",
		method: "GET",
		path: "/api/controller/connection-groups/:id/",
		auth: "bearer",
	},
	update: {
		id: "connection_groups.update",
		method: "PATCH",
		path: "/api/controller/connection-groups/:id/",
		auth: "bearer",
	},
	replace: {
		id: "connection_groups.replace",
		method: "PUT",
		path: "/api/controller/connection-groups/:id/",
		auth: "bearer",
	},
	remove: {
		id: "connection_groups.remove",
		method: "DELETE",
		path: "/api/controller/connection-groups/:id/",
		auth: "bearer",
	},
} as const;
