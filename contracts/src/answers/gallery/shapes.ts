/** Questions of the gallery, and the bodies that run and save one. */
import * as z from "zod";
import { watchFields } from "../../checks/shapes.ts";
import { defineList } from "../../core/bounded.ts";
import { defineLongText, defineTrimmedText, paging, uuid } from "../../core/common.ts";
import { GROUP_CONNECTIONS_MAX } from "../../fabrics/groups/values.ts";
import { FLOW_LIMITS } from "../../queries/flow/values.ts";
import { variableSchema } from "../../queries/flow/variable-shapes.ts";
import { SAVED_QUERY_LIMITS } from "../../queries/saved/values.ts";
import { runInputs } from "../../runs/inputs.ts";
import { idempotencyKey } from "../../runs/pipelines/shapes.ts";
import { GALLERY_LIMITS } from "./values.ts";

export const question = z.object({
	/** Unique. Lower case with hyphens. */
	key: z.string(),
	question: z.string(),
	description: z.string(),
	/** The first one is the heading under which the question is listed. */
	categories: z.array(z.string()),
	/** More words that a search finds the question by. */
	keywords: z.array(z.string()),
	/** The classes that the question reads, in the order of the canvas. */
	classes: z.array(z.string()),
	variables: z.array(variableSchema),
	flow_data: z.object({
		nodes: z.array(z.record(z.string(), z.unknown())).max(FLOW_LIMITS.nodes),
		edges: z.array(z.record(z.string(), z.unknown())).max(FLOW_LIMITS.edges),
	}),
	post_processors: z.array(z.record(z.string(), z.unknown())),
	/** Names of public documents. */
	sources: z.array(z.string()),
});
export type Question = z.infer<typeof question>;

export const questionListQuery = z.object({
	...paging,
	/** Words in any order; each must be found, itself or as a synonym. */
	search: defineLongText(GALLERY_LIMITS.search).optional(),
	/** One of the categories. */
	category: defineTrimmedText(GALLERY_LIMITS.search).optional(),
});
export type QuestionListQuery = z.output<typeof questionListQuery>;

export const questionParams = z.object({
	key: z
		.string()
		.max(GALLERY_LIMITS.key)
		.regex(/^[a-z0-9-]+$/),
});

export const questionRunBody = z
	.object({
		/** Where: one of these two. */
		controller_connection_ids: defineList(uuid, {
			max: GROUP_CONNECTIONS_MAX,
			tooMany: `Must be at most ${GROUP_CONNECTIONS_MAX} connections.`,
		})
			.min(1, "Must name at least one connection.")
			.transform((ids) => [...new Set(ids)])
			.nullish(),
		connection_group_id: uuid.nullish(),
		variable_values: runInputs.variable_values,
		idempotency_key: idempotencyKey,
	})
	.refine(
		({ controller_connection_ids, connection_group_id }) =>
			((controller_connection_ids ?? null) === null) !== ((connection_group_id ?? null) === null),
		"Give either controller_connection_ids or connection_group_id.",
	);
export type QuestionRunBody = z.output<typeof questionRunBody>;

export const questionSaveBody = z.object({
	name: defineTrimmedText(SAVED_QUERY_LIMITS.name),
	enable_time_machine: z.boolean().default(false),
});
export type QuestionSaveBody = z.output<typeof questionSaveBody>;

export const questionWatchBody = watchFields.extend({
	/** Of the query, the check and the schedule. */
	name: questionSaveBody.shape.name,
	/** Stored as the defaults of the query's variables. */
	variable_values: runInputs.variable_values,
});
export type QuestionWatchBody = z.output<typeof questionWatchBody>;
