/** Addresses of health and the description of the interface: one entry per route. */

export const systemPaths = {
	health: { id: "system.health", method: "GET", path: "/api/health/", auth: "anonymous" },
	schema: { id: "system.schema", method: "GET", path: "/api/schema/", auth: "anonymous" },
	docs: { id: "system.docs", method: "GET", path: "/api/docs/", auth: "anonymous" },
	redoc: { id: "system.redoc", method: "GET", path: "/api/redoc/", auth: "anonymous" },
} as const;
