/** Requests to a controller, as people have them in scripts and collections, as canvases. */
import * as z from "zod";
import { canvasSchema } from "../flow/shapes.ts";
import { REQUEST_IMPORT_LIMITS } from "./values.ts";

export const requestImportInput = z
	.object({
		/** One request per line: a URL, `moquery`, `icurl` or `curl`. A line may end in a backslash. */
		text: z
			.string()
			.max(
				REQUEST_IMPORT_LIMITS.text,
				`Must have at most ${REQUEST_IMPORT_LIMITS.text.toLocaleString("en")} characters.`,
			)
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
