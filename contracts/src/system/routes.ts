/** Health, the API's own description, and its rendered forms. */
import * as z from "zod";
import { defineRawAnswer, defineRoute } from "../core/route.ts";
import { systemPaths } from "./paths.ts";

const base = {
	throttle: "anon",
	permission: "any",
	audit: { none: "reads nothing of anybody" },
} as const;

export const systemRoutes = {
	health: defineRoute({
		...systemPaths.health,
		...base,
		summary: "Whether the service, its store and its migrations are healthy",
		throttle: "none",
		answers: { 200: z.object({ status: z.literal("ok"), version: z.string() }) },
	}),
	schema: defineRoute({
		...systemPaths.schema,
		...base,
		summary: "This API as OpenAPI 3.0",
		answers: { 200: defineRawAnswer("application/json", "The OpenAPI document") },
	}),
	docs: defineRoute({
		...systemPaths.docs,
		...base,
		summary: "Interactive documentation",
		answers: { 200: defineRawAnswer("text/html", "Swagger UI") },
	}),
	redoc: defineRoute({
		...systemPaths.redoc,
		...base,
		summary: "Reference documentation",
		answers: { 200: defineRawAnswer("text/html", "Redoc") },
	}),
} as const;
