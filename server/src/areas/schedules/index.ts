/**
 * Saved queries on schedule: exactly one run per due instant however many processes there are,
 * retries, notifications and mail.
 */
import type { Context } from "../../context.ts";
import type { BoundRoute } from "../../core/http/binder.ts";
import type { JobQueue } from "../../core/ports/jobs.ts";
import type { Db } from "../../core/ports/store.ts";
import type { Repeating } from "../../core/repeating.ts";
import { listScheduleQueues, startScheduleTimers } from "./jobs.ts";
import { createRoutes } from "./routes.ts";
import { countOwnTasks, type TaskCounts } from "./sql/tasks.ts";

export interface Schedules {
	readonly routes: BoundRoute[];
	readonly queues: readonly JobQueue[];
	/** How many tasks a user has. */
	ownedCounts(db: Db, userId: number): Promise<TaskCounts>;
	/** Starts the timers of a process that takes jobs. */
	work(): Repeating;
}

export function createSchedules(ctx: Context, background: Context): Schedules {
	return {
		routes: createRoutes(ctx),
		queues: listScheduleQueues(background),
		ownedCounts: countOwnTasks,
		work: () => startScheduleTimers(background),
	};
}
