/** Model tools: parsing a DN, paths between classes, version differences, and checking queries. */
import * as z from "zod";
import { classRef } from "../explorer/shapes.ts";
import { CHANGES, WAYS } from "./values.ts";

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
