/**
 * Saved queries on schedule: exactly one run per due instant however many processes there are,
 * retries, notifications and mail.
 */
import { type Bound, bindContext, type Context } from "../../context.ts";
import type { BoundRoute } from "../../platform/http/binder.ts";
import type { Repeating } from "../../platform/repeating.ts";
import type { JobQueue } from "../../ports/jobs.ts";
import type { Db } from "../../ports/store.ts";
import { listScheduleQueues, startScheduleTimers } from "./jobs.ts";
import { countOwnTasks, type TaskCounts } from "./repo.ts";
import { createRoutes } from "./routes.ts";
import { checkTaskFile, listOwnedTasks, lockOwnedTasks, removeTaskFile, writeTaskFile } from "./service-files.ts";
import { createOutcome } from "./service-outcome.ts";

export type { TaskRow } from "./repo.ts";
export type { TaskChange } from "./service-files.ts";

/** For schedules as files. What writes takes a transaction and checks no permission. */
export interface TaskFiles {
	readonly owned: typeof listOwnedTasks;
	readonly lockOwned: typeof lockOwnedTasks;
	readonly check: Bound<typeof checkTaskFile>;
	readonly write: Bound<typeof writeTaskFile>;
	readonly remove: Bound<typeof removeTaskFile>;
}

export interface Schedules {
	readonly routes: BoundRoute[];
	readonly queues: readonly JobQueue[];
	/** How many tasks a user has. */
	ownedCounts(db: Db, userId: number): Promise<TaskCounts>;
	/** Starts the timers of a process that takes jobs. */
	work(): Repeating;
	readonly files: TaskFiles;
}

export function createSchedules(ctx: Context, background: Context): Schedules {
	ctx.areas.queryRuns.register(createOutcome(ctx));
	return {
		routes: createRoutes(ctx),
		queues: listScheduleQueues(background),
		ownedCounts: countOwnTasks,
		work: () => startScheduleTimers(background),
		files: {
			owned: listOwnedTasks,
			lockOwned: lockOwnedTasks,
			check: bindContext(ctx, checkTaskFile),
			write: bindContext(ctx, writeTaskFile),
			remove: bindContext(ctx, removeTaskFile),
		},
	};
}
