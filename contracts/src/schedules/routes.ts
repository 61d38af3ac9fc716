/** The routes of saved queries on schedule. */
import * as z from "zod";
import { defineEnvelope, uuidParams } from "../core/common.ts";
import { defineCrudRoutes } from "../core/crud.ts";
import { defineRoute } from "../core/route.ts";
import { schedulePaths } from "./paths.ts";
import {
	cadenceAnswer,
	cadenceQuestion,
	scheduledExecution,
	scheduledTask,
	taskCalendarAnswer,
	taskCalendarQuery,
	taskCreateBody,
	taskExecutionsQuery,
	taskListQuery,
	taskPatchBody,
	taskReplaceBody,
	taskSettings,
	taskSettingsBody,
	upcomingRunsQuery,
} from "./shapes.ts";
import { TASK_STATUSES } from "./values.ts";

const common = { throttle: "user" } as const;
const defineAudit = (action: string) => ({ category: "task_management", action }) as const;
const read = { none: "read" } as const;
const moved = z.object({ status: z.enum(TASK_STATUSES), message: z.string() });

const { list, create, ...one } = defineCrudRoutes({
	paths: schedulePaths,
	noun: "task",
	permission: "scheduledtask",
	audit: { category: "task_management", action: "task" },
	shapes: {
		item: scheduledTask,
		query: taskListQuery,
		create: taskCreateBody,
		update: taskPatchBody,
		replace: taskReplaceBody,
	},
	summary: {
		list: "The caller's own tasks and those on queries that the caller sees; all of them for administrators",
		create: "Run a saved query on a schedule, against one or more connections",
		update: "Change some fields; the next run is worked out anew",
		replace: "Replace all fields, those left out by their defaults; without a status the present one stays",
		remove: "Delete a task with the records of its executions",
	},
});

export const scheduleRoutes = {
	list,
	create,
	upcoming: defineRoute({
		...schedulePaths.upcoming,
		...common,
		summary: "The active tasks that run next, soonest first",
		permission: "view_scheduledtask",
		audit: read,
		query: upcomingRunsQuery,
		answers: { 200: defineEnvelope(scheduledTask) },
	}),
	calendar: defineRoute({
		...schedulePaths.calendar,
		...common,
		summary: "Every run that is to come within some days, by task",
		permission: "view_scheduledtask",
		audit: read,
		query: taskCalendarQuery,
		answers: { 200: taskCalendarAnswer },
	}),
	preview: defineRoute({
		...schedulePaths.preview,
		...common,
		summary: "A schedule in words, and when it would run next; makes nothing",
		permission: "view_scheduledtask",
		audit: { none: "changes nothing" },
		body: cadenceQuestion,
		answers: { 200: cadenceAnswer },
	}),
	stats: defineRoute({
		...schedulePaths.stats,
		...common,
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
	...one,
	pause: defineRoute({
		...schedulePaths.pause,
		...common,
		summary: "Stop a task from running on its schedule; retries that wait are given up",
		permission: "change_scheduledtask",
		audit: defineAudit("task_pause"),
		params: uuidParams,
		answers: { 200: moved },
	}),
	resume: defineRoute({
		...schedulePaths.resume,
		...common,
		summary: "Let a paused or disabled task run again",
		permission: "change_scheduledtask",
		audit: defineAudit("task_resume"),
		params: uuidParams,
		answers: { 200: moved },
	}),
	executeNow: defineRoute({
		...schedulePaths.executeNow,
		...common,
		summary: "Run a task at once, whatever its status; its schedule stays as it is",
		permission: "execute_savedquery",
		audit: defineAudit("task_execute"),
		params: uuidParams,
		answers: { 202: z.object({ message: z.string(), executions: z.array(z.string()) }) },
	}),
	clone: defineRoute({
		...schedulePaths.clone,
		...common,
		summary: "Copy a task; the copy is the caller's and paused",
		permission: "add_scheduledtask",
		audit: defineAudit("task_clone"),
		params: uuidParams,
		answers: { 201: scheduledTask },
	}),
	taskExecutions: defineRoute({
		...schedulePaths.taskExecutions,
		...common,
		summary: "The executions of one task, newest first",
		permission: "view_scheduledexecution",
		audit: read,
		params: uuidParams,
		query: taskExecutionsQuery.omit({ task_id: true }),
		answers: { 200: defineEnvelope(scheduledExecution) },
	}),
	executions: defineRoute({
		...schedulePaths.executions,
		...common,
		summary: "The executions of all tasks that the caller sees, newest first",
		permission: "view_scheduledexecution",
		audit: read,
		query: taskExecutionsQuery,
		answers: { 200: defineEnvelope(scheduledExecution) },
	}),
	settings: defineRoute({
		...schedulePaths.settings,
		...common,
		summary: "Defaults of new tasks, and how mail is sent",
		permission: "any",
		audit: read,
		answers: { 200: taskSettings },
	}),
	changeSettings: defineRoute({
		...schedulePaths.changeSettings,
		...common,
		summary: "Change the settings of tasks",
		permission: "admin",
		audit: { category: "system_settings", action: "task_settings_update" },
		body: taskSettingsBody,
		answers: { 200: taskSettings },
	}),
} as const;
