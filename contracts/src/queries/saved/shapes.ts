/** Saved queries with their versions. */
import * as z from "zod";
import { defineList, definePatternText } from "../../core/bounded.ts";
import {
	boolParam,
	defineLongText,
	defineOrdering,
	defineTrimmedText,
	intId,
	intRef,
	paging,
	timestamp,
	userRef,
	uuid,
} from "../../core/common.ts";
import { refuseTurning } from "../../core/text.ts";
import { driftRules } from "../../history/drift/shapes.ts";
import { isRecord } from "../flow/fields.ts";
import type { Canvas } from "../flow/shapes.ts";
import { FLOW_LIMITS } from "../flow/values.ts";
import { SAVED_QUERY_LIMITS, SAVED_QUERY_ORDERINGS } from "./values.ts";

const MAX_INT = 2_147_483_647;

/** Stored as sent, with the order of its keys. The service checks its content. */
const canvas = z
	.custom<Canvas>(isRecord, {
		error: ({ input }) => (input === undefined ? "This field is required." : "Must be an object with nodes and edges."),
	})
	.meta({
		type: "object",
		required: ["nodes", "edges"],
		properties: {
			nodes: { type: "array", maxItems: FLOW_LIMITS.nodes, items: { type: "object" } },
			edges: { type: "array", maxItems: FLOW_LIMITS.edges, items: { type: "object" } },
		},
		additionalProperties: true,
	});
const readAnyList = (max: number, what: string) =>
	defineList(z.unknown(), { max, error: "Must be a list.", tooMany: `Must have at most ${max} ${what}.` });
const postProcessors = readAnyList(FLOW_LIMITS.postProcessors, "post-processors");
const variables = readAnyList(FLOW_LIMITS.variables, "variables");

const queryFields = {
	name: defineTrimmedText(SAVED_QUERY_LIMITS.name),
	description: defineLongText(SAVED_QUERY_LIMITS.description),
	flow_data: canvas,
	post_processors: postProcessors,
	variables,
	category: intRef.nullable(),
	tags_list: defineList(trimTag(), {
		// More than are stored, so that repeated ones can be left out.
		max: 4 * SAVED_QUERY_LIMITS.tags,
		error: "Must be a list of texts.",
		tooMany: `Must have at most ${SAVED_QUERY_LIMITS.tags} tags.`,
	})
		.transform(removeRepeatedTags)
		.refine((tags) => tags.length <= SAVED_QUERY_LIMITS.tags, `Must have at most ${SAVED_QUERY_LIMITS.tags} tags.`),
	is_public: z.boolean(),
	is_template: z.boolean(),
	enable_time_machine: z.boolean(),
	shared_with: defineList(intRef, {
		max: SAVED_QUERY_LIMITS.sharedWith,
		error: "Must be a list of user ids.",
		tooMany: `Must have at most ${SAVED_QUERY_LIMITS.sharedWith} users.`,
	}).transform((ids) => [...new Set(ids)].sort((a, b) => a - b)),
	/** Do not count as a change of the version. */
	drift_rules: driftRules,
	/** Where clients run the query unless another target is chosen. */
	connection_group: uuid.nullable(),
};

function trimTag() {
	return refuseTurning(
		z
			.string()
			.trim()
			.max(SAVED_QUERY_LIMITS.tagLength, `Must have at most ${SAVED_QUERY_LIMITS.tagLength} characters.`),
	);
}

/** Without blanks and repetitions; of two spellings that differ in case only, the first stays. */
function removeRepeatedTags(tags: string[]): string[] {
	const byKey = new Map<string, string>();
	for (const tag of tags) if (tag !== "" && !byKey.has(tag.toLowerCase())) byKey.set(tag.toLowerCase(), tag);
	return [...byKey.values()];
}

/** A whole query. Omitted fields take their defaults, also on replacement. */
export const savedQueryInput = z.object({
	name: queryFields.name,
	description: queryFields.description.default(""),
	flow_data: queryFields.flow_data,
	post_processors: queryFields.post_processors.default([]),
	variables: queryFields.variables.default([]),
	category: queryFields.category.default(null),
	tags_list: queryFields.tags_list.default([]),
	is_public: queryFields.is_public.default(false),
	is_template: queryFields.is_template.default(false),
	enable_time_machine: queryFields.enable_time_machine.default(false),
	shared_with: queryFields.shared_with.default([]),
	/** A replacement without it keeps the rules: clients of a version before do not know them. */
	drift_rules: queryFields.drift_rules.optional(),
	/** A replacement without it keeps the group. */
	connection_group: queryFields.connection_group.optional(),
});
export type SavedQueryInput = z.output<typeof savedQueryInput>;

export const savedQueryPatch = z.object(queryFields).partial();
export type SavedQueryPatch = z.output<typeof savedQueryPatch>;

export const savedQuerySummary = z.object({
	id: z.string(),
	name: z.string(),
	description: z.string(),
	category: z.int().nullable(),
	category_name: z.string().nullable(),
	tags_list: z.array(z.string()),
	created_by: userRef,
	is_public: z.boolean(),
	is_template: z.boolean(),
	execution_count: z.int(),
	last_executed_at: timestamp.nullable(),
	is_favorite: z.boolean(),
	enable_time_machine: z.boolean(),
	major_version: z.int(),
	minor_version: z.int(),
	version_string: z.string(),
	created_at: timestamp,
	updated_at: timestamp,
});
export type SavedQuerySummary = z.infer<typeof savedQuerySummary>;

export const versionEntry = z.object({
	version: z.string(),
	/** Of what the query means: the same for two canvases that differ in layout only. */
	hash: z.string(),
	changes: z.array(z.string()),
	created_at: timestamp,
	created_by: z.string(),
});
export type VersionEntry = z.infer<typeof versionEntry>;

export const savedQuery = savedQuerySummary.extend({
	flow_data: canvas,
	post_processors: z.array(z.unknown()),
	variables: z.array(z.unknown()),
	shared_with: z.array(z.int()),
	drift_rules: driftRules,
	/** Null without a group, and once the group is deleted. */
	connection_group: z.string().nullable(),
	current_version_hash: z.string(),
	version_history: z.array(versionEntry),
	can_edit: z.boolean(),
	can_delete: z.boolean(),
});
export type SavedQuery = z.infer<typeof savedQuery>;

export const savedQueryVersion = versionEntry.extend({
	flow_data: canvas,
	post_processors: z.array(z.unknown()),
	variables: z.array(z.unknown()),
});
export type SavedQueryVersion = z.infer<typeof savedQueryVersion>;

export const savedQueryList = z.object({
	...paging,
	category: intId.optional(),
	search: defineLongText(SAVED_QUERY_LIMITS.searchLength).optional(),
	is_favorite: boolParam.optional(),
	is_template: boolParam.optional(),
	my_queries: boolParam.optional(),
	ordering: defineOrdering(SAVED_QUERY_ORDERINGS, "-updated_at"),
});
export type SavedQueryList = z.output<typeof savedQueryList>;

/** `v1.3`. */
const versionParam = z
	.string()
	.max(20)
	.regex(/^v[0-9]{1,9}\.[0-9]{1,9}$/)
	.transform((text) => {
		const [major = 0, minor = 0] = text.slice(1).split(".").map(Number);
		return { major, minor };
	});
export const versionParams = z.object({ id: uuid, version: versionParam });

const count = z.int().min(0).max(MAX_INT);

/** Content that could be saved; omitted fields stay unchanged. */
export const versionQuestion = z.object({
	flow_data: queryFields.flow_data,
	post_processors: postProcessors.optional(),
	variables: variables.optional(),
});
export type VersionQuestion = z.output<typeof versionQuestion>;

export const versionAnswer = z.object({
	level: z.enum(["major", "minor", "none"]),
	/** That saving it would give; the present one where nothing of its meaning has changed. */
	version: z.string(),
	changes: z.array(z.string()),
});
export type VersionAnswer = z.infer<typeof versionAnswer>;

export const executionReport = z.object({
	success: z.boolean(),
	result_count: count.default(0),
	execution_time_ms: count.default(0),
	error_message: defineLongText(SAVED_QUERY_LIMITS.errorMessage).nullable().default(null),
	/** Any JSON; kept with the audit entry. */
	response_content: z.unknown().optional(),
});
export type ExecutionReport = z.output<typeof executionReport>;

const className = definePatternText(/^[A-Za-z][A-Za-z0-9]{0,127}$/, 128, "Must be a class name such as fvTenant.");

export const connectionQuestion = z.object({ parentClass: className, childClass: className });
export type ConnectionQuestion = z.output<typeof connectionQuestion>;
export const connectionVerdict = z.object({
	isValid: z.boolean(),
	/** False while no class model is loaded: then every connection is let through. */
	checked: z.boolean(),
	message: z.string(),
});
export type ConnectionVerdict = z.infer<typeof connectionVerdict>;
