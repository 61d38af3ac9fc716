/** Addresses of controller connections: one entry per route. */

export const connectionPaths = {
	list: { id: "connections.list", method: "GET", path: "/api/controller/connections/", auth: "bearer" },
	create: { id: "connections.create", method: "POST", path: "/api/controller/connections/", auth: "bearer" },
	detail: { id: "connections.detail", method: "GET", path: "/api/controller/connections/:id/", auth: "bearer" },
	update: { id: "connections.update", method: "PATCH", path: "/api/controller/connections/:id/", auth: "bearer" },
	replace: { id: "connections.replace", method: "PUT", path: "/api/controller/connections/:id/", auth: "bearer" },
	remove: { id: "connections.remove", method: "DELETE", path: "/api/controller/connections/:id/", auth: "bearer" },
	test: { id: "connections.test", method: "POST", path: "/api/controller/connections/:id/test/", auth: "bearer" },
	execute: {
		id: "connections.execute_query",
		method: "POST",
		path: "/api/controller/connections/execute_query/",
		auth: "bearer",
	},
} as const;
