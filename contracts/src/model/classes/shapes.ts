/** The model explorer's older routes by class and package. */
import * as z from "zod";
import { classRef, searchHit } from "../explorer/shapes.ts";
import { RELATIONS } from "./values.ts";

export interface HierarchyNode {
	readonly name: string;
	readonly display_name: string;
	readonly children: HierarchyNode[];
	/** Children are omitted: `depth`, the node limit, or a class that contains itself. */
	truncated?: boolean;
}

export const related = z.object({
	class_name: z.string(),
	related: z.array(
		classRef.extend({
			relation: z.enum(RELATIONS),
			direction: z.enum(["to", "from"]),
			/** The relation's class; null where it is no association. */
			via: z.string().nullable(),
		}),
	),
});
export type Related = z.infer<typeof related>;

export const packageCount = z.object({ name: z.string(), class_count: z.int() });
export type PackageCount = z.infer<typeof packageCount>;

export const suggestions = z.object({
	query: z.string(),
	suggestions: z.array(classRef.extend({ score: z.number(), reason: z.string() })),
});
export type Suggestions = z.infer<typeof suggestions>;

export const enhancedSearch = z.object({
	query: z.string(),
	total: z.int(),
	packages: z.array(z.object({ package: z.string(), count: z.int(), results: z.array(searchHit) })),
});
export type EnhancedSearch = z.infer<typeof enhancedSearch>;
