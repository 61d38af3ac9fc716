/** Addresses of controller connections: one entry per route. */
import { defineCrudPaths } from "../../core/paths.ts";

export const connectionPaths = {
	...defineCrudPaths("connections", "/api/controller/connections/"),
	test: { id: "connections.test", method: "POST", path: "/api/controller/connections/:id/test/", auth: "bearer" },
	execute: {
		id: "connections.execute_query",
		method: "POST",
		path: "/api/controller/connections/execute_query/",
		auth: "bearer",
	},
} as const;
