/** Change plans: the queries and checks of a change window, its gate and its settle loop. */
import * as z from "zod";
import { defineDictionary, defineList } from "../../core/bounded.ts";
import {
	boolParam,
	defineLongText,
	defineOrdering,
	defineTrimmedText,
	paging,
	timestamp,
	userRef,
	uuid,
} from "../../core/common.ts";
import { FINDING_SEVERITIES } from "../../history/drift/values.ts";
import { defineChoice, defineWholeNumber, fieldPath } from "../../queries/flow/fields.ts";
import { rowConditionSchema } from "../../queries/flow/processor-shapes.ts";
import { expectationInput } from "../expectation-shapes.ts";
import {
	AFTER_FAILURES,
	CHECK_PHASES,
	COMPARE_MODES,
	DEFAULT_SETTLE,
	GATE_MODES,
	ITEM_MATCHES,
	WINDOW_LIMITS,
} from "../values.ts";

const percent = z.number({ error: "Must be a number of percent." }).min(0, "Must be at least 0.").max(1_000_000);

/** Bounds of numbers between before and after, in percent; a value on the bound passes. */
export const planTolerance = z
	.strictObject({
		/** Bounds of the number of rows of each group; an absent bound allows any number. */
		count: z.strictObject({ max_loss_percent: percent.optional(), max_gain_percent: percent.optional() }).optional(),
		/** Bounds of an object's attributes, by `Class.attribute`. */
		attributes: defineDictionary(z.strictObject({ max_percent: percent }), { max: 50 }).default({}),
	})
	.refine(({ count, attributes }) => count !== undefined || Object.keys(attributes).length > 0, {
		error: "Needs count or attributes.",
	});
export type PlanTolerance = z.output<typeof planTolerance>;

/** Rows that show that the fabric is still working on a change. */
const unsettled = z.strictObject({
	match: defineChoice(["all", "any"]).default("all"),
	conditions: defineList(rowConditionSchema, { max: 20 }).min(1, { error: "Needs at least one condition." }),
});

/** An item that names its query or check by what `reference` reads: an id, or a name in files. */
export function definePlanItem<Reference extends z.ZodType<string>>(reference: Reference) {
	const queryItem = z
		.strictObject({
			query: reference.meta({ description: "A saved query." }),
			compare: defineChoice(COMPARE_MODES)
				.default("exact")
				.meta({
					description:
						"`exact`: every difference counts. `no_loss`: objects may come, none may go. `no_gain`: none may come. " +
						"`tolerance`: numbers stay within bounds. `record`: reported, never judged.",
				}),
			match: z
				.enum(ITEM_MATCHES, { error: "Must be dn or name." })
				.default("dn")
				.meta({ description: "`name` pairs the objects of a replaced node with those of its predecessor." }),
			severity: defineChoice(FINDING_SEVERITIES)
				.nullable()
				.default(null)
				.meta({ description: "Severity of its differences; null: as the drift rules of the query say." }),
			group_by: defineList(fieldPath, { max: 5, tooMany: "Must have at most 5 fields." }).default([]),
			tolerance: planTolerance.nullable().default(null),
			unsettled_when: unsettled.nullable().default(null),
		})
		.superRefine((item, context) => {
			const isTolerant = item.compare === "tolerance";
			if (isTolerant && item.tolerance === null)
				context.addIssue({ code: "custom", path: ["tolerance"], message: "Is required where compare is tolerance." });
			if (!isTolerant && item.tolerance !== null)
				context.addIssue({ code: "custom", path: ["tolerance"], message: "Needs compare: tolerance." });
			if (!isTolerant && item.group_by.length > 0)
				context.addIssue({ code: "custom", path: ["group_by"], message: "Needs compare: tolerance." });
		});
	const checkItem = z.strictObject({
		check: reference.meta({ description: "A check." }),
		when: defineList(z.enum(CHECK_PHASES, { error: "Must be before or after." }), { max: 2 })
			.min(1, { error: "Needs before or after." })
			.default(["before", "after"]),
	});
	return z.union([queryItem, checkItem], { error: "Must have a query or a check." });
}

export const planItem = definePlanItem(uuid);
export type PlanItem = z.output<typeof planItem>;
export type QueryItem = Extract<PlanItem, { readonly query: string }>;
export type CheckItem = Extract<PlanItem, { readonly check: string }>;

export const planSettle = z.strictObject({
	/** Seconds between the end of the work and the first round. */
	delay_s: defineWholeNumber(0, 86_400).default(DEFAULT_SETTLE.delay_s),
	/** Seconds between the beginnings of rounds. */
	interval_s: defineWholeNumber(1, 86_400).default(DEFAULT_SETTLE.interval_s),
	/** Comparisons with the round before that must show no difference. */
	stable_rounds: defineWholeNumber(1, WINDOW_LIMITS.rounds).default(DEFAULT_SETTLE.stable_rounds),
	/** Seconds after which items that have not settled are inconclusive. */
	timeout_s: defineWholeNumber(1, 7 * 86_400).default(DEFAULT_SETTLE.timeout_s),
});
export type PlanSettle = z.output<typeof planSettle>;

const boundedSettle = planSettle.refine(
	({ timeout_s, interval_s }) => timeout_s / interval_s <= WINDOW_LIMITS.rounds,
	`Would take more than ${WINDOW_LIMITS.rounds} rounds: make interval_s longer or timeout_s shorter.`,
);

export const planGate = z.strictObject({
	before: defineChoice(GATE_MODES).default("block"),
	fail_on: defineChoice(FINDING_SEVERITIES).default("warning"),
	/** Whether two rounds before the work, 60 seconds apart, must be equal. */
	quiet_baseline: z.boolean().default(false),
});
export type PlanGate = z.output<typeof planGate>;

const planFields = {
	name: defineTrimmedText(200),
	description: defineLongText(2000).default(""),
	items: defineList(planItem, {
		max: WINDOW_LIMITS.items,
		tooMany: `Must have at most ${WINDOW_LIMITS.items} items.`,
	}).min(1, "Needs at least one item."),
	settle: boundedSettle.prefault({}),
	gate: planGate.prefault({}),
	after_failure: defineChoice(AFTER_FAILURES).default("notify"),
	/** A round before the work that is older is repeated when a blocked window is opened. */
	max_before_age_minutes: defineWholeNumber(1, 10_080).default(60),
	requires_approval: z.boolean().default(false),
	/** Expectations that each new window of the plan starts with. */
	expectations: defineList(expectationInput, {
		max: WINDOW_LIMITS.expectations,
		tooMany: `Must have at most ${WINDOW_LIMITS.expectations} expectations.`,
	}).default([]),
	is_public: z.boolean().default(false),
};

export const changePlanCreateBody = z.object(planFields);
export type ChangePlanCreate = z.output<typeof changePlanCreateBody>;
export const changePlanPatchBody = z
	.object({
		...planFields,
		description: defineLongText(2000),
		settle: boundedSettle,
		gate: planGate,
		after_failure: planFields.after_failure.unwrap(),
		max_before_age_minutes: defineWholeNumber(1, 10_080),
		requires_approval: z.boolean(),
		expectations: planFields.expectations.unwrap(),
		is_public: z.boolean(),
	})
	.partial();
export type ChangePlanPatch = z.output<typeof changePlanPatchBody>;

const namedItem = z.record(z.string(), z.unknown()).meta({
	description: "A stored item with `name`: the name of its query or check, null if the caller does not see it.",
});

export const changePlan = z.object({
	id: z.string(),
	name: z.string(),
	description: z.string(),
	items: z.array(namedItem),
	settle: planSettle,
	gate: planGate,
	after_failure: z.enum(AFTER_FAILURES),
	max_before_age_minutes: z.int(),
	requires_approval: z.boolean(),
	expectations: z.array(expectationInput),
	is_public: z.boolean(),
	/** Starts at 1 and grows with each edit. */
	revision: z.int(),
	created_by: userRef.nullable(),
	can_edit: z.boolean(),
	created_at: timestamp,
	updated_at: timestamp,
});
export type ChangePlan = z.infer<typeof changePlan>;

export const changePlanListQuery = z.object({
	...paging,
	my_plans: boolParam.optional(),
	search: z.string().max(200).optional(),
	ordering: defineOrdering(["name", "created_at", "updated_at"], "name"),
});
export type ChangePlanList = z.output<typeof changePlanListQuery>;

export const changePlanTemplate = z.object({
	key: z.string(),
	name: z.string(),
	description: z.string(),
	/** Names of the queries and checks that are installed with it. */
	items: z.array(z.object({ kind: z.enum(["query", "check"]), name: z.string(), compare: z.string().nullable() })),
	sources: z.array(z.string()),
});
export type ChangePlanTemplate = z.infer<typeof changePlanTemplate>;
export const changePlanTemplateParams = z.object({
	key: z.string().max(100),
});

export const changePlanPreviewBody = z.object({
	connection_ids: defineList(uuid, {
		max: WINDOW_LIMITS.connections,
		tooMany: `Must be at most ${WINDOW_LIMITS.connections} connections.`,
	}).min(1, "Needs at least one connection."),
});
