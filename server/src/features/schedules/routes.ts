/** Scheduled tasks, their executions and settings. */
import { scheduleRoutes } from "@weft/contracts";
import { type BoundRoute, bindAll, buildReply, noContent } from "../../platform/http/binder.ts";
import type { Tasks } from "./service.ts";
import type { Calendar } from "./service-calendar.ts";
import type { Runs } from "./service-runs.ts";
import type { TaskSettingsService } from "./service-settings.ts";

interface Services {
	readonly tasks: Tasks;
	readonly runs: Runs;
	readonly calendar: Calendar;
	readonly settings: TaskSettingsService;
}

export function createRoutes({ tasks, runs, calendar, settings }: Services): BoundRoute[] {
	return bindAll(scheduleRoutes, {
		list: async ({ caller, query, url }) => buildReply(200, await tasks.list(caller, query, url)),
		create: async ({ caller, body }) => buildReply(201, await tasks.create(caller, body)),
		upcoming: async ({ caller, query }) => buildReply(200, await tasks.upcoming(caller, query.limit)),
		calendar: async ({ caller, query }) => buildReply(200, await calendar.calendar(caller, query.days)),
		preview: async ({ body }) => buildReply(200, calendar.preview(body)),
		stats: async ({ caller }) => buildReply(200, await tasks.stats(caller)),
		detail: async ({ caller, params }) => buildReply(200, await tasks.detail(caller, params.id)),
		update: async ({ caller, params, body }) => buildReply(200, await tasks.update(caller, params.id, body)),
		replace: async ({ caller, params, body }) => buildReply(200, await tasks.replace(caller, params.id, body)),
		remove: async ({ caller, params }) => {
			await tasks.remove(caller, params.id);
			return noContent;
		},
		pause: async ({ caller, params }) => buildReply(200, await tasks.pause(caller, params.id)),
		resume: async ({ caller, params }) => buildReply(200, await tasks.resume(caller, params.id)),
		executeNow: async ({ caller, params }) => buildReply(202, await runs.executeNow(caller, params.id)),
		clone: async ({ caller, params }) => buildReply(201, await tasks.clone(caller, params.id)),
		taskExecutions: async ({ caller, params, query, url }) =>
			buildReply(200, await runs.ofTask(caller, params.id, query, url)),
		executions: async ({ caller, query, url }) => buildReply(200, await runs.list(caller, query, url)),
		settings: async () => buildReply(200, await settings.read()),
		changeSettings: async ({ caller, body }) => buildReply(200, await settings.change(caller, body)),
	});
}
