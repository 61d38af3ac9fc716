/** Health, the API's own description, and its rendered forms. */
import * as z from "zod";
import { raw, route } from "../core/route.ts";
import { systemPaths } from "./paths.ts";

const base = {
	throttle: "anon",
	permission: "any",
	audit: { none: "reads nothing of anybody" },
} as const;

export const systemRoutes = {
	health: route({
		...systemPaths.health,
		...base,
		summary: "Whether the service, its store and its migrations are healthy",
		throttle: "none",
		answers: { 200: z.object({ status: z.literal("ok"), version: z.string() }) },
	}),
	schema: route({
		...systemPaths.schema,
		...base,
		summary: "This API as OpenAPI 3.0",
		answers: { 200: raw("application/json", "The OpenAPI document") },
	}),
	docs: route({
		...systemPaths.docs,
		...base,
		summary: "Interactive documentation",
		answers: { 200: raw("text/html", "Swagger UI") },
	}),
	redoc: route({
		...systemPaths.redoc,
		...base,
		summary: "Reference documentation",
		answers: { 200: raw("text/html", "Redoc") },
	}),
} as const;
