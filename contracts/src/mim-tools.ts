/** Model tools: parsing a DN, paths between classes, version differences, and checking queries. */
import * as z from "zod";
import { errorDetail, paging, uuid } from "./common.ts";
import { canvasSchema } from "./flow.ts";
import { className, classRef, explorerRead, notModified, wholeParam } from "./mim.ts";
import { route } from "./route.ts";

const DN_MAX = 4_096;
const PATHS = { fallback: 5, max: 50 } as const;
const BODY_LIMIT = 10 * 1024 * 1024;

export const dnPart = z.object({
	rn: z.string(),
	/** Up to and with this RN. */
	dn: z.string(),
	/** Null where the model has no class for it. */
	class: classRef.nullable(),
	rn_format: z.string(),
	naming: z.record(z.string(), z.string()),
});
export const dnAnswer = z.object({
	dn: z.string(),
	/** The class of the whole DN; null where a part of it is not known. */
	class_name: z.string().nullable(),
	parts: z.array(dnPart),
	warnings: z.array(z.string()),
});
export type DnAnswer = z.infer<typeof dnAnswer>;

export const WAYS = ["contains", "contained_by", "refers_to", "referred_to_by"] as const;
export const pathAnswer = z.object({
	from: z.string(),
	to: z.string(),
	/** Steps of each path; null where there is none. */
	length: z.int().nullable(),
	/** Whether there are more of this length than `limit`. */
	more: z.boolean(),
	paths: z.array(
		z.array(
			classRef.extend({
				/** How one gets here from the class before; null at the start. */
				way: z.enum(WAYS).nullable(),
				/** The relation's class. */
				via: z.string().nullable(),
			}),
		),
	),
});
export type PathAnswer = z.infer<typeof pathAnswer>;

export const CHANGES = ["added", "removed", "changed"] as const;
export const propertyChange = z.object({
	property: z.string(),
	change: z.enum(CHANGES),
	/** What of it changed. */
	fields: z.array(z.object({ field: z.string(), from: z.unknown(), to: z.unknown() })),
});
export const classChange = z.object({
	name: z.string(),
	package: z.string(),
	change: z.enum(CHANGES),
	fields: z.array(z.object({ field: z.string(), from: z.unknown(), to: z.unknown() })),
	properties: z.array(propertyChange),
});
export type ClassChange = z.infer<typeof classChange>;
export const modelComparison = z.object({
	from: z.object({ id: z.string(), version_key: z.string(), label: z.string() }),
	to: z.object({ id: z.string(), version_key: z.string(), label: z.string() }),
	identical: z.boolean(),
	/** Over all pages and whatever `change` and `package` ask for. */
	summary: z.object({
		classes_added: z.int(),
		classes_removed: z.int(),
		classes_changed: z.int(),
		properties_added: z.int(),
		properties_removed: z.int(),
		properties_changed: z.int(),
	}),
	count: z.int(),
	next: z.string().nullable(),
	previous: z.string().nullable(),
	results: z.array(classChange),
});
export type ModelComparison = z.infer<typeof modelComparison>;

export const modelCheck = z.object({
	/** False without a model. */
	checked: z.boolean(),
	version: z.string().nullable(),
	warnings: z.array(
		z.object({
			node_id: z.string(),
			class_name: z.string(),
			property: z.string().nullable(),
			message: z.string(),
			/** Names of the model that look like it. */
			suggestions: z.array(z.string()),
		}),
	),
});
export type ModelCheck = z.infer<typeof modelCheck>;

/** The id of an installed version, or the key of the newest one with that key. */
const versionRef = z
	.string()
	.min(1, "Must not be empty.")
	.max(64, "Must be at most 64 characters.")
	.regex(/^[\w.()-]+$/, "Must be the id or the key of an installed version.");

export const mimToolRoutes = {
	dn: route({
		...explorerRead,
		id: "mim.dn",
		path: "/api/mim/dn/",
		summary: "The classes and naming values of a DN, part by part",
		query: z.object({
			dn: z
				.string({ error: "Say which DN." })
				.trim()
				.min(1, "Must not be empty.")
				.max(DN_MAX, `Must be at most ${DN_MAX} characters.`),
		}),
		answers: { 200: dnAnswer, 304: notModified },
	}),
	path: route({
		...explorerRead,
		id: "mim.path",
		path: "/api/mim/path/",
		summary: "The shortest ways from one class to another, over containment and relations",
		query: z.object({
			from: className,
			to: className,
			limit: wholeParam("limit", 1, PATHS.max).default(PATHS.fallback),
			/** What may be used: containment, relations, or both. */
			over: z
				.enum(["containment", "relations", "both"], { error: "Must be containment, relations or both." })
				.default("both"),
		}),
		answers: { 200: pathAnswer, 304: notModified },
	}),
	compare: route({
		...explorerRead,
		id: "mim.compare",
		path: "/api/mim/compare/",
		summary: "Classes and properties that appeared, changed or went away between two installed versions",
		query: z.object({
			...paging,
			from: versionRef,
			to: versionRef,
			change: z.enum(CHANGES, { error: `Must be one of: ${CHANGES.join(", ")}.` }).optional(),
			package: z.string().max(64, "Must be at most 64 characters.").optional(),
		}),
		answers: { 200: modelComparison, 409: errorDetail },
	}),
	check: route({
		...explorerRead,
		id: "mim.check",
		method: "POST",
		path: "/api/mim/check/",
		summary: "Classes and properties of a canvas or a saved query that the loaded model does not have",
		audit: { none: "changes nothing" },
		body: z
			.object({ flow_data: canvasSchema.optional(), saved_query_id: uuid.optional() })
			.refine(({ flow_data, saved_query_id }) => (flow_data === undefined) !== (saved_query_id === undefined), {
				error: "Give flow_data or saved_query_id.",
			}),
		bodyLimit: BODY_LIMIT,
		answers: { 200: modelCheck, 404: errorDetail },
	}),
} as const;
