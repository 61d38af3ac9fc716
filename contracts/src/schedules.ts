/** Saved queries on schedule: tasks, what their runs left behind, and the settings that all tasks share. */
import * as z from "zod";
import { timeZone } from "./auth.ts";
import {
	boolParam,
	envelope,
	ordering,
	paging,
	timestamp,
	timestampInput,
	userRef,
	uuid,
	uuidParams,
} from "./common.ts";
import { raw, route } from "./route.ts";

export const FREQUENCIES = ["once", "hourly", "daily", "weekly", "monthly"] as const;
export type Frequency = (typeof FREQUENCIES)[number];
export const TASK_STATUSES = ["active", "paused", "disabled"] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];
export const EXECUTION_STATUSES = ["pending", "running", "success", "failed", "cancelled"] as const;
export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number];
/** How a run ended, over all its connections; `partial`: some succeeded and some did not. */
export const RUN_OUTCOMES = ["success", "partial", "failed", "cancelled"] as const;
export type RunOutcome = (typeof RUN_OUTCOMES)[number];

const CONNECTIONS_MAX = 50;
const RECIPIENTS_MAX = 50;
const VALUES_MAX = 100;

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not pass
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

const whole = (min: number, max: number) => {
	const message = `Must be a whole number from ${min} to ${max}.`;
	return z.int(message).min(min, message).max(max, message);
};
const distinct = <T>(items: readonly T[]): T[] => [...new Set(items)];

const email = z.email("Must be an email address.").max(254, "Must be at most 254 characters.");

const retryCount = whole(0, 10);
const retryInterval = whole(1, 1440);
const retention = whole(1, 3650);

const fields = z.object({
	name: z
		.string()
		.trim()
		.min(1, "Must not be empty.")
		.max(200, "Must be at most 200 characters.")
		.refine((text) => !CONTROL.test(text), "Must not contain control characters."),
	description: z.string().max(2000, "Must be at most 2000 characters."),
	saved_query: uuid,
	controller_connection_ids: z
		.array(uuid)
		.min(1, "Name at least one connection.")
		.max(CONNECTIONS_MAX, `Must be at most ${CONNECTIONS_MAX} connections.`)
		.transform(distinct),
	/** What the query's variables are answered with at each run. */
	variable_values: z
		.record(z.string().max(64), z.union([z.string().max(4000), z.number(), z.null()]))
		.refine((values) => Object.keys(values).length <= VALUES_MAX, `Must be at most ${VALUES_MAX} values.`),
	frequency: z.enum(FREQUENCIES),
	minute_of_hour: whole(0, 59).nullable(),
	time_of_day: z
		.string()
		.regex(/^([01]\d|2[0-3]):[0-5]\d$/, "Must be a time of day as HH:MM.")
		.nullable(),
	/** 0 is Monday. */
	day_of_week: whole(0, 6).nullable(),
	/** In shorter months their last day. */
	day_of_month: whole(1, 31).nullable(),
	scheduled_datetime: timestampInput.nullable(),
	timezone: timeZone,
	email_on_success: z.boolean(),
	email_on_failure: z.boolean(),
	email_recipients: z
		.array(email)
		.max(RECIPIENTS_MAX, `Must be at most ${RECIPIENTS_MAX} addresses.`)
		.transform(distinct),
	retry_enabled: z.boolean(),
	retry_count: retryCount,
	retry_interval_minutes: retryInterval,
	log_retention_days: retention,
});

const named = { name: true, saved_query: true, controller_connection_ids: true, frequency: true } as const;
const created = fields.partial().required(named);
const replaced = created.extend({ status: z.enum(TASK_STATUSES).optional() });
const changed = fields.partial().extend({ status: z.enum(TASK_STATUSES).optional() });
export type TaskCreate = z.output<typeof created>;
export type TaskReplace = z.output<typeof replaced>;
export type TaskPatch = z.output<typeof changed>;

export const scheduledTask = z.object({
	id: z.string(),
	name: z.string(),
	description: z.string(),
	saved_query: z.string(),
	query_name: z.string(),
	controller_connection_ids: z.array(z.string()),
	variable_values: z.record(z.string(), z.unknown()),
	frequency: z.enum(FREQUENCIES),
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
	success_count: z.int(),
	failure_count: z.int(),
	success_rate: z.number(),
	schedule_description: z.string(),
	created_by: userRef,
	can_edit: z.boolean(),
	created_at: timestamp,
	updated_at: timestamp,
});
export type ScheduledTask = z.infer<typeof scheduledTask>;

/** When something would run; of the fields that refine it only those that the frequency needs. */
export const cadenceQuestion = fields
	.pick({
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
const calendarQuery = z.object({
	/** From now on. */
	days: z
		.string()
		.regex(/^[0-9]{1,9}$/, "days must be a whole number of at least 1.")
		.transform(Number)
		.refine((value) => value >= 1, "days must be a whole number of at least 1.")
		.transform((value) => Math.min(value, CALENDAR.max))
		.default(CALENDAR.fallback),
});

export const calendarAnswer = z.object({
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
		}),
	),
	/** There are more tasks than are listed. */
	has_more: z.boolean(),
});
export type CalendarAnswer = z.infer<typeof calendarAnswer>;

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

const settingsPatch = z
	.object({
		default_retry_count: retryCount,
		default_retry_interval_minutes: retryInterval,
		default_log_retention_days: retention,
		email_enabled: z.boolean(),
		email_from_address: z.union([z.literal(""), email], { error: "Must be an email address, or empty." }),
	})
	.partial();
export type TaskSettingsPatch = z.output<typeof settingsPatch>;

const taskList = z.object({
	...paging,
	status: z.enum(TASK_STATUSES).optional(),
	frequency: z.enum(FREQUENCIES).optional(),
	saved_query: uuid.optional(),
	my_tasks: boolParam.optional(),
	search: z.string().max(200).optional(),
	ordering: ordering(["created_at", "name", "next_run_at", "last_run_at"], "-created_at"),
});
export type TaskList = z.output<typeof taskList>;

const executionList = z.object({
	...paging,
	task_id: uuid.optional(),
	status: z.enum(EXECUTION_STATUSES).optional(),
	connection_id: uuid.optional(),
});
export type ExecutionList = z.output<typeof executionList>;

const UPCOMING = { fallback: 10, max: 100 } as const;
const upcomingQuery = z.object({
	limit: z
		.string()
		.regex(/^[0-9]{1,9}$/, "limit must be a whole number of at least 1.")
		.transform(Number)
		.refine((value) => value >= 1, "limit must be a whole number of at least 1.")
		.transform((value) => Math.min(value, UPCOMING.max))
		.default(UPCOMING.fallback),
});

const path = "/api/queries/scheduled-tasks/";
const one = `${path}:id/` as const;
const settingsPath = "/api/queries/task-settings/";
const common = { auth: "bearer", throttle: "user" } as const;
const management = (action: string) => ({ category: "task_management", action }) as const;
const read = { none: "read" } as const;
const moved = z.object({ status: z.enum(TASK_STATUSES), message: z.string() });

export const scheduleRoutes = {
	list: route({
		...common,
		id: "schedules.list",
		method: "GET",
		path,
		summary: "The caller's own tasks and those on queries that the caller sees; all of them for administrators",
		permission: "view_scheduledtask",
		audit: read,
		query: taskList,
		answers: { 200: envelope(scheduledTask) },
	}),
	create: route({
		...common,
		id: "schedules.create",
		method: "POST",
		path,
		summary: "Run a saved query on a schedule, against one or more connections",
		permission: "add_scheduledtask",
		audit: management("task_create"),
		body: created,
		answers: { 201: scheduledTask },
	}),
	upcoming: route({
		...common,
		id: "schedules.upcoming",
		method: "GET",
		path: `${path}upcoming/`,
		summary: "The active tasks that run next, soonest first",
		permission: "view_scheduledtask",
		audit: read,
		query: upcomingQuery,
		answers: { 200: envelope(scheduledTask) },
	}),
	calendar: route({
		...common,
		id: "schedules.calendar",
		method: "GET",
		path: `${path}calendar/`,
		summary: "Every run that is to come within some days, by task",
		permission: "view_scheduledtask",
		audit: read,
		query: calendarQuery,
		answers: { 200: calendarAnswer },
	}),
	preview: route({
		...common,
		id: "schedules.preview",
		method: "POST",
		path: `${path}preview/`,
		summary: "A schedule in words, and when it would run next; makes nothing",
		permission: "view_scheduledtask",
		audit: { none: "changes nothing" },
		body: cadenceQuestion,
		answers: { 200: cadenceAnswer },
	}),
	stats: route({
		...common,
		id: "schedules.stats",
		method: "GET",
		path: `${path}stats/`,
		summary: "Counts over the tasks that the caller sees",
		permission: "view_scheduledtask",
		audit: read,
		answers: {
			200: z.object({
				total: z.int(),
				active: z.int(),
				paused: z.int(),
				disabled: z.int(),
				total_executions: z.int(),
				successful: z.int(),
				failed: z.int(),
				running: z.int(),
				success_rate: z.number(),
			}),
		},
	}),
	detail: route({
		...common,
		id: "schedules.detail",
		method: "GET",
		path: one,
		summary: "One task",
		permission: "view_scheduledtask",
		audit: read,
		params: uuidParams,
		answers: { 200: scheduledTask },
	}),
	update: route({
		...common,
		id: "schedules.update",
		method: "PATCH",
		path: one,
		summary: "Change some fields; the next run is worked out anew",
		permission: "change_scheduledtask",
		audit: management("task_update"),
		params: uuidParams,
		body: changed,
		answers: { 200: scheduledTask },
	}),
	replace: route({
		...common,
		id: "schedules.replace",
		method: "PUT",
		path: one,
		summary: "Replace all fields, those left out by their defaults; without a status the present one stays",
		permission: "change_scheduledtask",
		audit: management("task_update"),
		params: uuidParams,
		body: replaced,
		answers: { 200: scheduledTask },
	}),
	remove: route({
		...common,
		id: "schedules.remove",
		method: "DELETE",
		path: one,
		summary: "Delete a task with the records of its executions",
		permission: "delete_scheduledtask",
		audit: management("task_delete"),
		params: uuidParams,
		answers: { 204: raw("", "The task is deleted") },
	}),
	pause: route({
		...common,
		id: "schedules.pause",
		method: "POST",
		path: `${one}pause/`,
		summary: "Stop a task from running on its schedule; retries that wait are given up",
		permission: "change_scheduledtask",
		audit: management("task_pause"),
		params: uuidParams,
		answers: { 200: moved },
	}),
	resume: route({
		...common,
		id: "schedules.resume",
		method: "POST",
		path: `${one}resume/`,
		summary: "Let a paused or disabled task run again",
		permission: "change_scheduledtask",
		audit: management("task_resume"),
		params: uuidParams,
		answers: { 200: moved },
	}),
	executeNow: route({
		...common,
		id: "schedules.execute_now",
		method: "POST",
		path: `${one}execute_now/`,
		summary: "Run a task at once, whatever its status; its schedule stays as it is",
		permission: "execute_savedquery",
		audit: management("task_execute"),
		params: uuidParams,
		answers: { 202: z.object({ message: z.string(), executions: z.array(z.string()) }) },
	}),
	clone: route({
		...common,
		id: "schedules.clone",
		method: "POST",
		path: `${one}clone/`,
		summary: "Copy a task; the copy is the caller's and paused",
		permission: "add_scheduledtask",
		audit: management("task_clone"),
		params: uuidParams,
		answers: { 201: scheduledTask },
	}),
	taskExecutions: route({
		...common,
		id: "schedules.task_executions",
		method: "GET",
		path: `${one}executions/`,
		summary: "The executions of one task, newest first",
		permission: "view_scheduledexecution",
		audit: read,
		params: uuidParams,
		query: executionList.omit({ task_id: true }),
		answers: { 200: envelope(scheduledExecution) },
	}),
	executions: route({
		...common,
		id: "schedules.executions",
		method: "GET",
		path: "/api/queries/scheduled-executions/",
		summary: "The executions of all tasks that the caller sees, newest first",
		permission: "view_scheduledexecution",
		audit: read,
		query: executionList,
		answers: { 200: envelope(scheduledExecution) },
	}),
	settings: route({
		...common,
		id: "schedules.settings",
		method: "GET",
		path: settingsPath,
		summary: "Defaults of new tasks, and how mail is sent",
		permission: "any",
		audit: read,
		answers: { 200: taskSettings },
	}),
	changeSettings: route({
		...common,
		id: "schedules.change_settings",
		method: "PATCH",
		path: settingsPath,
		summary: "Change the settings of tasks",
		permission: "admin",
		audit: { category: "settings_change", action: "task_settings_update" },
		body: settingsPatch,
		answers: { 200: taskSettings },
	}),
} as const;
