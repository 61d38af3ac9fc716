/** Requests to a controller, as people have them in scripts and collections, as canvases. */
import * as z from "zod";
import { canvasSchema } from "./flow.ts";
import { route } from "./route.ts";

export const REQUEST_IMPORT_LIMITS = {
	/** Characters of a text. */
	text: 256 * 1024,
	/** Requests of a text or collection. */
	requests: 500,
	/** Bytes of a request body. */
	body: 4 * 1024 * 1024,
} as const;
const LIMITS = REQUEST_IMPORT_LIMITS;

export const requestImportInput = z
	.object({
		/** One request per line: a URL, `moquery`, `icurl` or `curl`. A line may end in a backslash. */
		text: z
			.string()
			.max(LIMITS.text, `Must have at most ${LIMITS.text.toLocaleString("en")} characters.`)
			.optional(),
		/** A Postman collection of format 2.0 or 2.1. */
		collection: z
			.custom<Record<string, unknown>>(
				(value) => typeof value === "object" && value !== null && !Array.isArray(value),
				"Must be an object.",
			)
			.meta({ type: "object", additionalProperties: true })
			.optional(),
	})
	.refine(({ text, collection }) => (text === undefined) !== (collection === undefined), {
		error: "Give text or collection, and not both.",
	});
export type RequestImportInput = z.output<typeof requestImportInput>;

export const importedRequest = z.object({
	/** Of a collection the name of its item; otherwise made from the class. */
	name: z.string(),
	/** The request as given. */
	source: z.string(),
	/** Null for a request that no canvas can represent. */
	flow_data: canvasSchema.nullable(),
	/** What the canvas asks for before it runs. */
	variables: z.array(z.unknown()),
	/** What the canvas does not represent, in sentences. */
	unsupported: z.array(z.string()),
});
export type ImportedRequest = z.infer<typeof importedRequest>;

export const requestImportRoutes = {
	import: route({
		auth: "bearer",
		throttle: "user",
		id: "planning.import_requests",
		method: "POST",
		path: "/api/queries/import-requests/",
		summary: "Turn URLs, moquery, icurl and curl commands, or a Postman collection, into canvases; saves nothing",
		permission: "view_savedquery",
		audit: { none: "changes nothing" },
		body: requestImportInput,
		bodyLimit: LIMITS.body,
		answers: { 200: z.object({ results: z.array(importedRequest) }) },
	}),
} as const;
