/** Checks: expectations of a saved query's rows, with a state per connection after each run. */
import * as z from "zod";
import { holdRef } from "../calendar/reference-shapes.ts";
import { defineDictionary, defineList } from "../core/bounded.ts";
import {
	boolParam,
	defineLongText,
	defineOrdering,
	defineTrimmedText,
	paging,
	timestamp,
	timestampInput,
	userRef,
	uuid,
} from "../core/common.ts";
import { FINDING_SEVERITIES } from "../history/drift/values.ts";
import { SERIES_VALUES } from "../history/series/values.ts";
import { defineChoice, defineWholeNumber, fieldPath } from "../queries/flow/fields.ts";
import { rowConditionSchema } from "../queries/flow/processor-shapes.ts";
import { FLOW_LIMITS } from "../queries/flow/values.ts";
import { cadenceQuestion } from "../schedules/shapes.ts";
import { FREQUENCIES } from "../schedules/values.ts";
import { checkNotify, notifyInput } from "./recipient-shapes.ts";
import { CHECK_LIMITS, CHECK_STATES, CHECK_TYPES, type CheckType } from "./values.ts";

const COUNT_OPERATORS = ["eq", "ne", "gt", "lt", "ge", "le"] as const;
const fields = defineList(fieldPath, {
	max: CHECK_LIMITS.fields,
	error: "Must be a list of fields.",
	tooMany: `Must have at most ${CHECK_LIMITS.fields} fields.`,
});
const needsOne = { error: "Needs at least one field." };

/** The snapshot that a new one is compared with. */
const baselineSchema = z.discriminatedUnion(
	"kind",
	[
		/** The snapshot of the run before. */
		z.strictObject({ kind: z.literal("previous") }),
		/** One snapshot. The check looks at its connection only. */
		z.strictObject({ kind: z.literal("snapshot"), snapshot_id: uuid }),
		/** The newest snapshot with this label, on each connection. */
		z.strictObject({ kind: z.literal("label"), label: defineTrimmedText(200) }),
		/** The newest snapshot of a run that is at least so old, on each connection. */
		z.strictObject({ kind: z.literal("hours"), hours: defineWholeNumber(1, CHECK_LIMITS.baselineHours) }),
	],
	{ error: "Must be one of: previous, snapshot, label, hours." },
);
export type CheckBaseline = z.output<typeof baselineSchema>;

/** The configuration of each type. */
export const checkConfigs = {
	/** Holds when count `operator` value; with `group_by` for each group of rows. */
	row_count: z.strictObject({
		operator: defineChoice(COUNT_OPERATORS),
		value: defineWholeNumber(0, 1_000_000_000),
		group_by: fields.default([]),
	}),
	/** Holds when nothing is found. */
	no_rows: z.strictObject({}),
	/** Holds when every row meets the conditions. */
	each_row: z.strictObject({
		conditions: defineList(rowConditionSchema, { max: 100 }).min(1, { error: "Needs at least one condition." }),
		match: defineChoice(["all", "any"]).default("all"),
	}),
	/** Holds when the snapshot has no drift from the baseline, by the drift rules of the query. */
	unchanged: z.strictObject({ baseline: baselineSchema.default({ kind: "previous" }) }),
	/** Holds when the rows, by their key, are the same on all connections of the check. */
	same_everywhere: z.strictObject({
		key: fields.min(1, needsOne).default(["name"]),
		/** Compared fields; empty: all but those that name the object and times. */
		fields: fields.default([]),
		/** Fields that are not compared. */
		ignore: fields.default([]),
	}),
	/** Holds when no two rows have the same values in all fields; a row without one is left out. */
	unique: z.strictObject({ fields: fields.min(1, needsOne) }),
	/**
	 * Holds when a number of the rows `operator` threshold, for each group; with `within_days` also
	 * the line through its last 14 days at the end of that time.
	 */
	trend: z
		.strictObject({
			value: defineChoice(SERIES_VALUES),
			field: fieldPath.optional(),
			group_by: fieldPath.optional(),
			operator: defineChoice(COUNT_OPERATORS),
			threshold: z.number({ error: "Must be a number." }).min(Number.MIN_SAFE_INTEGER).max(Number.MAX_SAFE_INTEGER),
			within_days: defineWholeNumber(1, CHECK_LIMITS.trendDays).optional(),
		})
		.refine(({ value, field }) => value === "count" || field !== undefined, {
			path: ["field"],
			error: "Needs a field, such as fvBD.mtu. Only count can do without.",
		})
		.refine(({ operator, within_days }) => within_days === undefined || (operator !== "eq" && operator !== "ne"), {
			path: ["operator"],
			error: "Must be gt, lt, ge or le where within_days is given: a line has no exact value.",
		}),
} as const satisfies Record<CheckType, z.ZodType>;
export type CheckConfig<T extends CheckType> = z.output<(typeof checkConfigs)[T]>;
/** What a check expects of the rows. */
export type CheckRule = { [T in CheckType]: { readonly type: T; readonly config: CheckConfig<T> } }[CheckType];

/** Read by the schema of the check's type. */
const openConfig = defineDictionary(z.unknown(), { max: 20, error: "Must be an object." });
const connectionIds = defineList(uuid, {
	max: CHECK_LIMITS.connections,
	tooMany: `Must be at most ${CHECK_LIMITS.connections} connections.`,
}).transform((ids) => [...new Set(ids)]);

const severity = z.enum(FINDING_SEVERITIES);
const input = z.object({
	name: defineTrimmedText(200),
	description: defineLongText(2000),
	saved_query: uuid,
	/** Empty: every connection that the query runs on. */
	controller_connection_ids: connectionIds,
	type: z.enum(CHECK_TYPES),
	config: openConfig,
	severity: z.enum(FINDING_SEVERITIES),
	/** Violated runs in a row after which the check is failing. */
	for_runs: defineWholeNumber(1, 100),
	is_active: z.boolean(),
	is_public: z.boolean(),
	/** Recipients of alerts beside the owner, and beside webhooks that take the category. */
	notify: notifyInput,
});
export const checkCreateBody = input.partial().required({ name: true, saved_query: true, type: true });
export const checkPatchBody = input.partial();
export type CheckCreate = z.output<typeof checkCreateBody>;
export type CheckPatch = z.output<typeof checkPatchBody>;

export const checkStateEntry = z.object({
	/** Null: of all connections together. */
	controller_connection_id: z.string().nullable(),
	controller_connection_name: z.string().nullable(),
	state: z.enum(CHECK_STATES),
	/** Since when it is in this state. */
	since: timestamp,
	last_evaluated_at: timestamp.nullable(),
	/** The run whose end was evaluated last. */
	last_run: z.string().nullable(),
	/**
	 * Runs of the last evaluation. A state of all connections together has one for each, and none for
	 * a caller who does not see all of them.
	 */
	runs: z.array(z.string()),
	/** All violations of the last evaluation, also those without stored evidence. */
	violations: z.int(),
	/** Why the check could not be evaluated; of `unknown` what it waits for. */
	error: z.string().nullable(),
	acknowledged_by: userRef.nullable(),
	/** Nothing is sent until then. */
	muted_until: timestamp.nullable(),
	/** The maintenance or change window that holds alerts; null if none does. */
	held_by: holdRef.nullable(),
});
export type CheckStateEntry = z.infer<typeof checkStateEntry>;

const checkSchedule = z.object({
	id: z.string(),
	name: z.string(),
	frequency: z.enum(FREQUENCIES),
	next_run_at: timestamp.nullable(),
});

export const check = z.object({
	id: z.string(),
	name: z.string(),
	description: z.string(),
	saved_query: z.string(),
	query_name: z.string(),
	controller_connection_ids: z.array(z.string()),
	type: z.enum(CHECK_TYPES),
	config: z.record(z.string(), z.unknown()),
	severity: z.enum(FINDING_SEVERITIES),
	for_runs: z.int(),
	is_active: z.boolean(),
	is_public: z.boolean(),
	notify: checkNotify,
	/** The worst of the states; `unknown` without any. */
	state: z.enum(CHECK_STATES),
	/** Of the connections that the caller sees. */
	states: z.array(checkStateEntry),
	/** As a whole: connections that it is evaluated on for the first time are muted, too. */
	muted_until: timestamp.nullable(),
	/** The maintenance or change window that holds alerts of one of the states; null if none does. */
	held_by: holdRef.nullable(),
	/** Schedules of its query, the next to run first; `next_run_at` is null while one is paused. */
	schedules: z.array(checkSchedule),
	/** Whether an active schedule runs its query. */
	is_watched: z.boolean(),
	created_by: userRef,
	can_edit: z.boolean(),
	created_at: timestamp,
	updated_at: timestamp,
});
export type Check = z.infer<typeof check>;

/** Evidence: a violating row; of a count the group with its `count`; of a comparison the key. */
export const checkSampleRow = z.object({
	/** The connection's name; null where the entry is about several. */
	connection: z.string().nullable(),
	row: z.record(z.string(), z.unknown()),
});
export type CheckSampleRow = z.infer<typeof checkSampleRow>;

export const checkEvidence = checkStateEntry.extend({
	/** At most 200 rows and 1 MB. */
	sample: z.array(
		checkSampleRow.extend({
			/** Fields of the row whose values violate the check; none where its presence does. */
			violating_fields: z.array(z.string()),
		}),
	),
});

export const checkEvent = z.object({
	id: z.string(),
	controller_connection_id: z.string().nullable(),
	controller_connection_name: z.string().nullable(),
	from_state: z.enum(CHECK_STATES),
	to_state: z.enum(CHECK_STATES),
	at: timestamp,
	/** Null for a change of the check itself. */
	run_id: z.string().nullable(),
	violations: z.int(),
	acknowledged_by: userRef.nullable(),
	acknowledged_at: timestamp.nullable(),
	comment: z.string(),
	muted_by: userRef.nullable(),
	muted_until: timestamp.nullable(),
});
export type CheckEvent = z.infer<typeof checkEvent>;

export const checkListQuery = z.object({
	...paging,
	/** Checks with an entry in this state; with `connection`, of that connection. */
	state: z.enum(CHECK_STATES).optional(),
	severity: z.enum(FINDING_SEVERITIES).optional(),
	query: uuid.optional(),
	connection: uuid.optional(),
	my_checks: boolParam.optional(),
	search: z.string().max(200).optional(),
	/** `-state`: the worst first, of one state the most severe; checks that are not active last. */
	ordering: defineOrdering(["name", "created_at", "updated_at", "state"], "name"),
});
export type CheckList = z.output<typeof checkListQuery>;

export const checkEventsQuery = z.object({
	...paging,
	connection: uuid.optional(),
	to_state: z.enum(CHECK_STATES).optional(),
});
export type CheckEventList = z.output<typeof checkEventsQuery>;

const oneConnection = uuid.nullable().optional();
export const checkEvaluateBody = z.object({ controller_connection_ids: connectionIds.optional() });
export type CheckEvaluate = z.output<typeof checkEvaluateBody>;
export const checkAcknowledgeBody = z.object({
	comment: defineLongText(2000).default(""),
	/** Absent or null: all entries. */
	controller_connection_id: oneConnection,
});
export type CheckAcknowledge = z.output<typeof checkAcknowledgeBody>;
export const checkMuteBody = z.object({
	/** Null ends it. */
	until: timestampInput.nullable(),
	/** Absent or null: all entries, those of connections that are not evaluated yet included. */
	controller_connection_id: oneConnection,
});
export type CheckMute = z.output<typeof checkMuteBody>;

/** A check that is not saved, on the rows of runs that have ended. */
export const checkPreviewBody = input
	.pick({ saved_query: true, controller_connection_ids: true, type: true, config: true })
	.partial()
	.required({ saved_query: true, type: true });
export type CheckPreview = z.output<typeof checkPreviewBody>;
export const checkPreviewAnswer = z.object({
	/** One per connection with a run; one for all where the type evaluates them together. */
	results: z.array(
		z.object({
			controller_connection_id: z.string().nullable(),
			controller_connection_name: z.string().nullable(),
			run_id: z.string().nullable(),
			/** `failing` at the first violation: `for_runs` is not considered. */
			state: z.enum(CHECK_STATES),
			violations: z.int(),
			error: z.string().nullable(),
			sample: z.array(checkSampleRow),
		}),
	),
});
export type CheckPreviewAnswer = z.infer<typeof checkPreviewAnswer>;

/** `all`: the entry of all connections together. */
export const checkStateParams = z.object({
	id: uuid,
	connection_id: z.union([z.literal("all"), uuid], { error: "Must be an id, or all." }),
});

/** A check of the library: a query and what its rows must be, with public sources. */
export const checkTemplate = z.object({
	key: z.string(),
	name: z.string(),
	/** The rows that violate the check. */
	finds: z.string(),
	/** Why they matter. */
	description: z.string(),
	/** Words that mean the same as those of the name, such as port and link for interface. */
	keywords: z.array(z.string()),
	/** Names of public documents. */
	sources: z.array(z.string()),
	severity: z.enum(FINDING_SEVERITIES),
	query: z.object({
		flow_data: z.object({
			nodes: z.array(z.record(z.string(), z.unknown())).max(FLOW_LIMITS.nodes),
			edges: z.array(z.record(z.string(), z.unknown())).max(FLOW_LIMITS.edges),
		}),
		post_processors: z.array(z.record(z.string(), z.unknown())),
	}),
	check: z.object({
		type: z.enum(CHECK_TYPES),
		config: z.record(z.string(), z.unknown()),
		for_runs: z.int(),
	}),
});
export type CheckTemplate = z.infer<typeof checkTemplate>;

export const checkTemplatesQuery = z.object({
	...paging,
	/** Every word must occur in the name, texts, keywords, classes or sources. */
	search: z.string().max(200).optional(),
});
export type CheckTemplatesQuery = z.output<typeof checkTemplatesQuery>;
export const checkTemplateParams = z.object({
	key: z
		.string()
		.max(60)
		.regex(/^[a-z0-9-]+$/),
});
export const checkInstallBody = z.object({
	/** Empty: every connection that the query runs on. */
	controller_connection_ids: connectionIds.default([]),
	/** A schedule of the query on the connections, else on the default one; null for none. */
	schedule: cadenceQuestion.nullable().default(null),
	notify: notifyInput.optional(),
	/** Whether all users may see the query and the check. */
	is_public: z.boolean().default(false),
});
export type CheckInstall = z.output<typeof checkInstallBody>;

/** What a check of a query that is not stored yet expects: fields of a new check. */
export const watchFields = checkInstallBody.extend({
	type: z.enum(CHECK_TYPES).default("no_rows"),
	config: openConfig.default({}),
	severity: severity.default("warning"),
	for_runs: defineWholeNumber(1, 100).default(1),
});

export const checkWatchBody = z.object({
	schedule: cadenceQuestion,
	/** Connections of the schedule. Empty: those that `evaluate/` uses, else the default one. */
	controller_connection_ids: connectionIds.default([]),
	/** New recipients; requires the right to edit the check. Absent: the recipients stay. */
	notify: notifyInput.optional(),
});
export type CheckWatch = z.output<typeof checkWatchBody>;

export const checkSeriesQuery = z.object({
	/** Absent: all that the caller sees. */
	connection: uuid.optional(),
	from: timestampInput.optional(),
	/** The first time that does not count any more. */
	to: timestampInput.optional(),
});
export type CheckSeriesQuery = z.output<typeof checkSeriesQuery>;

/** Violations of each evaluation. */
export const checkSeries = z.object({
	groups: z.array(
		z.object({
			/** The connection's name; null: all connections together. */
			key: z.string().nullable(),
			controller_connection_id: z.string().nullable(),
			/** Oldest first: time and violations. An evaluation that failed has no point. */
			points: z.array(z.tuple([timestamp, z.int()])),
			/** Times of the evaluations that failed, oldest first. */
			failed_at: z.array(timestamp),
		}),
	),
	/** Evaluations of all groups in the time that was asked for. */
	evaluations: z.int(),
	/** Evaluations that failed. */
	missing: z.int(),
});
export type CheckSeries = z.infer<typeof checkSeries>;
