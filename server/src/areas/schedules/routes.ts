/** Scheduled tasks, their executions and settings. */
import { scheduleRoutes } from "@weft/contracts";
import type { Context } from "../../context.ts";
import { type BoundRoute, bindAll, buildReply, noContent } from "../../core/http/binder.ts";
import { changeTaskSettings, readTaskSettings } from "./change-task-settings.ts";
import { executeTaskNow, listExecutions, listExecutionsOfTask } from "./execute-task.ts";
import {
	changeTask,
	cloneTask,
	createTask,
	listTasks,
	listTasksAhead,
	pauseTask,
	readTask,
	readTaskStats,
	removeTask,
	replaceTask,
	resumeTask,
} from "./manage-tasks.ts";
import { previewSchedule, readCalendar } from "./preview-schedule.ts";

export function createRoutes(ctx: Context): BoundRoute[] {
	return bindAll(scheduleRoutes, {
		list: async ({ caller, query, url }) => buildReply(200, await listTasks(ctx, caller, query, url)),
		create: async ({ caller, body }) => buildReply(201, await createTask(ctx, caller, body)),
		upcoming: async ({ caller, query }) => buildReply(200, await listTasksAhead(ctx, caller, query.limit)),
		calendar: async ({ caller, query }) => buildReply(200, await readCalendar(ctx, caller, query.days)),
		preview: async ({ body }) => buildReply(200, previewSchedule(ctx, body)),
		stats: async ({ caller }) => buildReply(200, await readTaskStats(ctx, caller)),
		detail: async ({ caller, params }) => buildReply(200, await readTask(ctx, caller, params.id)),
		update: async ({ caller, params, body }) => buildReply(200, await changeTask(ctx, caller, params.id, body)),
		replace: async ({ caller, params, body }) => buildReply(200, await replaceTask(ctx, caller, params.id, body)),
		remove: async ({ caller, params }) => {
			await removeTask(ctx, caller, params.id);
			return noContent;
		},
		pause: async ({ caller, params }) => buildReply(200, await pauseTask(ctx, caller, params.id)),
		resume: async ({ caller, params }) => buildReply(200, await resumeTask(ctx, caller, params.id)),
		executeNow: async ({ caller, params }) => buildReply(202, await executeTaskNow(ctx, caller, params.id)),
		clone: async ({ caller, params }) => buildReply(201, await cloneTask(ctx, caller, params.id)),
		taskExecutions: async ({ caller, params, query, url }) =>
			buildReply(200, await listExecutionsOfTask(ctx, caller, params.id, query, url)),
		executions: async ({ caller, query, url }) => buildReply(200, await listExecutions(ctx, caller, query, url)),
		settings: async () => buildReply(200, await readTaskSettings(ctx)),
		changeSettings: async ({ caller, body }) => buildReply(200, await changeTaskSettings(ctx, caller, body)),
	});
}
