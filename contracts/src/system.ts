/** Health, the API's own description, and its rendered forms. */
import * as z from "zod";
import { raw, route } from "./route.ts";

const base = {
	method: "GET",
	auth: "anonymous",
	throttle: "anon",
	permission: "any",
	audit: { none: "reads nothing of anybody" },
} as const;

export const systemRoutes = {
	health: route({
		...base,
		id: "system.health",
		path: "/api/health/",
		summary: "Whether the service, its store and its migrations are healthy",
		throttle: "none",
		answers: { 200: z.object({ status: z.literal("ok"), version: z.string() }) },
	}),
	schema: route({
		...base,
		id: "system.schema",
		path: "/api/schema/",
		summary: "This API as OpenAPI 3.0",
		answers: { 200: raw("application/json", "The OpenAPI document") },
	}),
	docs: route({
		...base,
		id: "system.docs",
		path: "/api/docs/",
		summary: "Interactive documentation",
		answers: { 200: raw("text/html", "Swagger UI") },
	}),
	redoc: route({
		...base,
		id: "system.redoc",
		path: "/api/redoc/",
		summary: "Reference documentation",
		answers: { 200: raw("text/html", "Redoc") },
	}),
} as const;
