/**
 * The model explorer: the controller's classes, their containment, inheritance and references.
 * Read-only.
 */
import * as z from "zod";
import { definePatternText } from "../../core/bounded.ts";
import { timestamp } from "../../core/common.ts";
import { defineRawAnswer } from "../../core/route.ts";
import { MATCHES } from "./values.ts";

const NAME_MAX = 128;

/** A class as people write it: `fvBD`, or `fv:BD` as the documents do. */
export const className = z
	.string()
	.max(NAME_MAX, `Must be at most ${NAME_MAX} characters.`)
	.regex(/^[A-Za-z][A-Za-z0-9]*(?::[A-Za-z0-9_]+|_[A-Za-z0-9_]*)?$/, "Must be the name of a class, such as fvTenant.")
	.transform((name) => name.replace(":", ""));

/** A whole number that may be given; larger ones count as the largest. */
export const defineWholeParam = (name: string, min: number, max: number) => {
	const message = `${name} must be a whole number of at least ${min}.`;
	return definePatternText(/^[0-9]{1,9}$/, 9, message)
		.transform(Number)
		.refine((value) => value >= min, message)
		.transform((value) => Math.min(value, max));
};

const TERM_MAX = 200;
export const term = z
	.string({ error: "Say what to look for." })
	.trim()
	.min(1, "Must not be empty.")
	.max(TERM_MAX, `Must be at most ${TERM_MAX} characters.`);

const SEARCH_LIMIT = { fallback: 25, max: 200 } as const;
export const searchLimit = defineWholeParam("limit", 1, SEARCH_LIMIT.max).default(SEARCH_LIMIT.fallback);

export const classRef = z.object({ name: z.string(), display_name: z.string(), package: z.string() });
export type ClassRef = z.infer<typeof classRef>;

export const treeNode = classRef.extend({ child_count: z.int(), has_children: z.boolean() });
export type TreeNode = z.infer<typeof treeNode>;

export const validValue = z.object({
	/** The stored value, such as `1`. */
	value: z.string(),
	/** What the controller's API speaks, such as `enforced`. */
	local_name: z.string(),
	label: z.string(),
	description: z.string().optional(),
});

/** `min` and `max` are lengths of texts and ranges of numbers. */
export const validator = z.object({
	min: z.number().nullable(),
	max: z.number().nullable(),
	regexs: z.array(z.object({ regex: z.string(), type: z.string() })),
});

export const modelProperty = z.object({
	name: z.string(),
	/** string, number, enum, bitmask, boolean, date, password, ip, mac, encap, reference or other. */
	type: z.string(),
	/**
	 * Derived, because the source marks no property as mandatory: naming properties, and texts that
	 * may not be empty and have no default.
	 */
	required: z.boolean(),
	naming: z.boolean(),
	label: z.string(),
	description: z.string(),
	default: z.string().nullable(),
	valid_values: z.array(validValue),
	validators: z.array(validator),
	read_only: z.boolean(),
	configurable: z.boolean(),
	create_only: z.boolean(),
	secure: z.boolean(),
	deprecated: z.boolean(),
	hidden: z.boolean(),
	/** The source's own types, such as `scalar:Enum8` and `l2:UnkMacUcastAct`. */
	base_type: z.string(),
	model_type: z.string(),
	/** Releases in which it exists. */
	versions: z.string(),
	/** `l2:BD:epMoveDetectMode` where it copies another class's property. */
	like: z.string().nullable(),
	platforms: z.array(z.string()),
	/** What its document says beyond all that; absent where it says nothing. */
	other: z.record(z.string(), z.unknown()).optional(),
});
export type ModelProperty = z.infer<typeof modelProperty>;

/** What a relation class says of itself. */
export const relationInfo = z.object({
	type: z.string(),
	cardinality: z.string(),
	from_class: z.string(),
	from_relation: z.string(),
	to_class: z.string(),
	to_relation: z.string(),
	enforceable: z.boolean(),
	resolvable: z.boolean(),
});

export const classDetail = classRef.extend({
	qualified_name: z.string(),
	description: z.string(),
	/** The first of `dn_formats`; empty for classes without objects. */
	dn_format: z.string(),
	/** At most 200. `dn_format_count` is the total; explorer/class/<name>/dn-formats/ returns all. */
	dn_formats: z.array(z.string()),
	dn_format_count: z.int(),
	rn_format: z.string(),
	identified_by: z.array(z.string()),
	context_root: z.boolean(),
	/** Such as `Regular` or `RelationshipToLocal`. */
	category: z.string(),
	is_abstract: z.boolean(),
	is_configurable: z.boolean(),
	is_deprecated: z.boolean(),
	is_hidden: z.boolean(),
	/** `always`, `never` (comes and goes with its parent) or `derived`. */
	creatable_deletable: z.string(),
	super_classes: z.array(z.string()),
	sub_classes: z.array(z.string()),
	versions: z.string(),
	/** The key of the version whose document this is. */
	source_version: z.string(),
	read_access: z.array(z.string()),
	write_access: z.array(z.string()),
	platforms: z.array(z.string()),
	faults: z.record(z.string(), z.string()),
	events: z.record(z.string(), z.string()),
	stats: z.array(z.string()),
	relation: relationInfo.nullable(),
	/** The document's other flags that are set, such as `isFaultable`. */
	traits: z.array(z.string()),
	/** What the document says beyond all that. */
	other: z.record(z.string(), z.unknown()),
	properties: z.array(modelProperty),
});
export type ClassDetail = z.infer<typeof classDetail>;

/** `inherited_from`: the super class that declares it; null if the class itself does. */
const inherited = { inherited_from: z.string().nullable() };
export const contained = classRef.extend(inherited);
export const association = classRef.extend({
	direction: z.enum(["to", "from"]),
	/** The relation's class, such as `fvRsCtx`. */
	via: z.string(),
	...inherited,
});
export const relationships = z.object({
	class_name: z.string(),
	containers: z.array(contained),
	contained_classes: z.array(contained),
	associations: z.array(association),
	/** Lengths of the whole lists, of which `limit` and `offset` take a part. */
	totals: z.object({ containers: z.int(), contained_classes: z.int(), associations: z.int() }),
});
export type Relationships = z.infer<typeof relationships>;

export const searchHit = z.object({
	type: z.enum(["class", "property", "package"]),
	name: z.string(),
	/** 0 to 1. */
	score: z.number(),
	match: z.enum(MATCHES),
	/** Of classes, and the label of properties. */
	display_name: z.string().optional(),
	/** The class that has the property. */
	class: z.string().optional(),
	package: z.string().optional(),
	/** Of packages and classes. */
	description: z.string().optional(),
});
export type SearchHit = z.infer<typeof searchHit>;

export const ancestor = classRef.extend({ rn_format: z.string() });

export const insights = z.object({
	class_name: z.string(),
	dn_pattern: z.string(),
	example_dn: z.string(),
	/**
	 * The best way to query it: by DN, as a class, through its parent, or through its sub classes.
	 */
	preferred_method: z.enum(["dn", "class", "parent", "sub_classes"]),
	required_properties: z.array(z.string()),
	configurable_properties: z.array(z.string()),
	common_children: z.array(classRef),
	notes: z.array(z.string()),
});
export type Insights = z.infer<typeof insights>;

export const modelStats = z.object({
	total_classes: z.int(),
	total_properties: z.int(),
	packages: z.int(),
	relationship_count: z.int(),
	last_sync: timestamp.nullable(),
	/** Key and label of the loaded version; null without one. */
	version: z.string().nullable(),
	label: z.string().nullable(),
});
export type ModelStats = z.infer<typeof modelStats>;

export const classParams = z.object({ class_name: className });

/** Answers that carry an ETag. */
export const notModified = defineRawAnswer("", "What the caller has (If-None-Match) is still right");
export const explorerRead = {
	throttle: "user",
	permission: "view_modelclass",
	audit: { none: "reads" },
} as const;
