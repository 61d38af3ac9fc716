/** Scheduled tasks, their executions, and settings of all tasks. */
import * as z from "zod";
import { timeZone } from "../accounts/session/shapes.ts";
import { holdRef } from "../calendar/reference-shapes.ts";
import { defineDictionary, defineList, definePatternText } from "../core/bounded.ts";
import {
	boolParam,
	defineOrdering,
	emailAddress,
	paging,
	timestamp,
	timestampInput,
	userRef,
	uuid,
} from "../core/common.ts";
import { defineLine, refuseTurning } from "../core/text.ts";
import { EXECUTION_STATUSES, FREQUENCIES, INTERVAL_MINUTES, RUN_OUTCOMES, TASK_STATUSES } from "./values.ts";

const CONNECTIONS_MAX = 50;
const RECIPIENTS_MAX = 50;
const VALUES_MAX = 100;

const defineWholeNumber = (min: number, max: number) => {
	const message = `Must be a whole number from ${min} to ${max}.`;
	return z.int(message).min(min, message).max(max, message);
};
const removeDuplicates = <T>(items: readonly T[]): T[] => [...new Set(items)];

const retryCount = defineWholeNumber(0, 10);
const retryInterval = defineWholeNumber(1, 1440);
const retention = defineWholeNumber(1, 3650);

const intervalMinutes = z.literal(INTERVAL_MINUTES, {
	error: `Must be one of: ${INTERVAL_MINUTES.join(", ")}.`,
});

const fields = z.object({
	name: defineLine(200),
	description: refuseTurning(z.string().max(2000, "Must be at most 2000 characters.")),
	saved_query: uuid,
	/** May be empty beside a group. */
	controller_connection_ids: defineList(uuid, {
		max: CONNECTIONS_MAX,
		tooMany: `Must be at most ${CONNECTIONS_MAX} connections.`,
	}).transform(removeDuplicates),
	/** Its members are run after the named connections, as they are at each firing. */
	connection_group: uuid.nullable(),
	/** What the query's variables are answered with at each run. */
	variable_values: defineDictionary(z.union([z.string().max(4000), z.number(), z.null()]), {
		max: VALUES_MAX,
		key: z.string().max(64),
		tooMany: `Must be at most ${VALUES_MAX} values.`,
	}),
	frequency: z.enum(FREQUENCIES),
	/** Of `minutes`: runs stand on the clock, such as at :00, :15, :30 and :45. */
	interval_minutes: intervalMinutes.nullable(),
	minute_of_hour: defineWholeNumber(0, 59).nullable(),
	time_of_day: definePatternText(/^([01]\d|2[0-3]):[0-5]\d$/, 5, "Must be a time of day as HH:MM.").nullable(),
	/** 0 is Monday. */
	day_of_week: defineWholeNumber(0, 6).nullable(),
	/** In shorter months their last day. */
	day_of_month: defineWholeNumber(1, 31).nullable(),
	scheduled_datetime: timestampInput.nullable(),
	timezone: timeZone,
	email_on_success: z.boolean(),
	email_on_failure: z.boolean(),
	email_recipients: defineList(emailAddress, {
		max: RECIPIENTS_MAX,
		tooMany: `Must be at most ${RECIPIENTS_MAX} addresses.`,
	}).transform(removeDuplicates),
	retry_enabled: z.boolean(),
	retry_count: retryCount,
	retry_interval_minutes: retryInterval,
	log_retention_days: retention,
});

const named = { name: true, saved_query: true, frequency: true } as const;
const createFields = fields.partial().required(named);
/** All fields of a replacement, for files of schedules. */
export const taskReplaceFields = createFields.extend({ status: z.enum(TASK_STATUSES).optional() });

/** Whether a task runs anywhere. */
const hasTarget = (task: unknown): boolean => {
	const { controller_connection_ids: ids, connection_group } = (task ?? {}) as Partial<TaskTarget>;
	return (Array.isArray(ids) && ids.length > 0) || typeof connection_group === "string";
};
type TaskTarget = Pick<z.output<typeof fields>, "controller_connection_ids" | "connection_group">;
const targetRule = {
	path: ["controller_connection_ids"],
	error: "Name at least one connection, or a connection group.",
	// Reported together with the errors of other fields.
	when: () => true,
};
export const taskCreateBody = createFields.refine(hasTarget, targetRule);
export const taskReplaceBody = taskReplaceFields.refine(hasTarget, targetRule);
export const taskPatchBody = fields.partial().extend({ status: z.enum(TASK_STATUSES).optional() });
export type TaskCreate = z.output<typeof taskCreateBody>;
export type TaskReplace = z.output<typeof taskReplaceBody>;
export type TaskPatch = z.output<typeof taskPatchBody>;

export const scheduledTask = z.object({
	id: z.string(),
	name: z.string(),
	description: z.string(),
	saved_query: z.string(),
	query_name: z.string(),
	controller_connection_ids: z.array(z.string()),
	connection_group: z.string().nullable(),
	/** As it was last known; null without a group. */
	connection_group_name: z.string().nullable(),
	variable_values: z.record(z.string(), z.unknown()),
	frequency: z.enum(FREQUENCIES),
	/** Null unless the frequency is `minutes`, or it was given. */
	interval_minutes: intervalMinutes.nullable(),
	minute_of_hour: z.int(),
	time_of_day: z.string(),
	day_of_week: z.int().nullable(),
	day_of_month: z.int().nullable(),
	scheduled_datetime: timestamp.nullable(),
	timezone: z.string(),
	status: z.enum(TASK_STATUSES),
	email_on_success: z.boolean(),
	email_on_failure: z.boolean(),
	/** Empty for those who may not edit the task. */
	email_recipients: z.array(z.string()),
	retry_enabled: z.boolean(),
	retry_count: z.int(),
	retry_interval_minutes: z.int(),
	log_retention_days: z.int(),
	last_run_at: timestamp.nullable(),
	/** Of the newest run that has ended. */
	last_run_status: z.enum(RUN_OUTCOMES).nullable(),
	next_run_at: timestamp.nullable(),
	execution_count: z.int(),
	/** Due instants at which the run before still ran, and none was started. */
	skipped_count: z.int(),
	success_count: z.int(),
	failure_count: z.int(),
	success_rate: z.number(),
	schedule_description: z.string(),
	/** The maintenance or change window that holds alerts of one of the connections; null if none. */
	held_by: holdRef.nullable(),
	created_by: userRef,
	can_edit: z.boolean(),
	created_at: timestamp,
	updated_at: timestamp,
});
export type ScheduledTask = z.infer<typeof scheduledTask>;

/** When something would run; of the fields that refine it only those that the frequency needs. */
export const cadenceQuestion = fields
	.pick({
		interval_minutes: true,
		minute_of_hour: true,
		time_of_day: true,
		day_of_week: true,
		day_of_month: true,
		scheduled_datetime: true,
		timezone: true,
	})
	.partial()
	.extend({ frequency: z.enum(FREQUENCIES) });
export type CadenceQuestion = z.output<typeof cadenceQuestion>;

export const cadenceAnswer = z.object({
	/** In words, such as `Daily at 06:30 (Europe/Paris)`. */
	description: z.string(),
	/** The next five, or the only one. */
	runs: z.array(timestamp),
});

const CALENDAR = { fallback: 7, max: 31 } as const;
export const taskCalendarQuery = z.object({
	/** From now on. */
	days: definePatternText(/^[0-9]{1,9}$/, 9, "days must be a whole number of at least 1.")
		.transform(Number)
		.refine((value) => value >= 1, "days must be a whole number of at least 1.")
		.transform((value) => Math.min(value, CALENDAR.max))
		.default(CALENDAR.fallback),
});

export const taskCalendarAnswer = z.object({
	from: timestamp,
	until: timestamp,
	/** Active tasks that run in this time, the soonest first. */
	tasks: z.array(
		z.object({
			id: z.string(),
			name: z.string(),
			query_name: z.string(),
			frequency: z.enum(FREQUENCIES),
			schedule_description: z.string(),
			runs: z.array(timestamp),
			/** More runs of the task are within this time than are listed. */
			has_more_runs: z.boolean(),
		}),
	),
	/** There are more tasks than are listed. */
	has_more: z.boolean(),
});
export type CalendarAnswer = z.infer<typeof taskCalendarAnswer>;

export const scheduledExecution = z.object({
	id: z.string(),
	scheduled_task: z.string(),
	task_name: z.string(),
	/** The same for all connections and retries of one run. */
	run_id: z.string(),
	controller_connection_id: z.string(),
	controller_connection_name: z.string(),
	status: z.enum(EXECUTION_STATUSES),
	result_count: z.int().nullable(),
	error_type: z.string().nullable(),
	error_message: z.string().nullable(),
	retry_attempt: z.int(),
	is_retry: z.boolean(),
	pipeline_job_id: z.string().nullable(),
	snapshot_id: z.string().nullable(),
	created_at: timestamp,
	started_at: timestamp.nullable(),
	completed_at: timestamp.nullable(),
	execution_time_ms: z.int().nullable(),
});
export type ScheduledExecution = z.infer<typeof scheduledExecution>;

export const taskSettings = z.object({
	id: z.literal(1),
	default_retry_count: z.int(),
	default_retry_interval_minutes: z.int(),
	default_log_retention_days: z.int(),
	email_enabled: z.boolean(),
	/** Empty: the sender of the service's settings. */
	email_from_address: z.string(),
});
export type TaskSettings = z.infer<typeof taskSettings>;

export const taskSettingsBody = z
	.object({
		default_retry_count: retryCount,
		default_retry_interval_minutes: retryInterval,
		default_log_retention_days: retention,
		email_enabled: z.boolean(),
		email_from_address: z.union([z.literal(""), emailAddress], { error: "Must be an email address, or empty." }),
	})
	.partial();
export type TaskSettingsPatch = z.output<typeof taskSettingsBody>;

export const taskListQuery = z.object({
	...paging,
	status: z.enum(TASK_STATUSES).optional(),
	frequency: z.enum(FREQUENCIES).optional(),
	saved_query: uuid.optional(),
	my_tasks: boolParam.optional(),
	search: z.string().max(200).optional(),
	ordering: defineOrdering(["created_at", "name", "next_run_at", "last_run_at"], "-created_at"),
});
export type TaskList = z.output<typeof taskListQuery>;

export const taskExecutionsQuery = z.object({
	...paging,
	task_id: uuid.optional(),
	status: z.enum(EXECUTION_STATUSES).optional(),
	connection_id: uuid.optional(),
});
export type ExecutionList = z.output<typeof taskExecutionsQuery>;

const UPCOMING = { fallback: 10, max: 100 } as const;
export const upcomingRunsQuery = z.object({
	limit: definePatternText(/^[0-9]{1,9}$/, 9, "limit must be a whole number of at least 1.")
		.transform(Number)
		.refine((value) => value >= 1, "limit must be a whole number of at least 1.")
		.transform((value) => Math.min(value, UPCOMING.max))
		.default(UPCOMING.fallback),
});
