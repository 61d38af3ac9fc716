/**
 * Saved queries on schedule: exactly one run per due instant however many processes there are,
 * retries, notifications and mail.
 */
import type { BoundRoute } from "../../platform/http/binder.ts";
import type { Repeating } from "../../platform/repeating.ts";
import type { JobQueue } from "../../ports/jobs.ts";
import type { Db, Store } from "../../ports/store.ts";
import type { ScheduleDependencies } from "./dependencies.ts";
import { createDue } from "./due.ts";
import { createWork } from "./jobs.ts";
import { createLifecycle } from "./lifecycle.ts";
import { createNotices } from "./notices.ts";
import { createRecipients } from "./recipients.ts";
import { countOwnTasks, type TaskCounts } from "./repo.ts";
import { findTaskExecution } from "./repo-runs.ts";
import { createRoutes } from "./routes.ts";
import { createTasks } from "./service.ts";
import { createCalendar } from "./service-calendar.ts";
import { createTaskFiles, type TaskFiles } from "./service-files.ts";
import { createOutcome } from "./service-outcome.ts";
import { createRuns } from "./service-runs.ts";
import { createTaskSettings } from "./service-settings.ts";
import { createStart } from "./start.ts";

export type { TaskRow } from "./repo.ts";
export type { TaskChange } from "./service-files.ts";

export interface Schedules {
	readonly routes: BoundRoute[];
	readonly queues: readonly JobQueue[];
	/** How many tasks a user has. */
	ownedCounts(db: Db, userId: number): Promise<TaskCounts>;
	/** Starts the timers of a process that takes jobs. */
	work(): Repeating;
	/** For schedules as files. What writes takes a transaction and checks no permission. */
	readonly files: TaskFiles;
}

export type ScheduleDeps = ScheduleDependencies & {
	/** The store for work that nobody waits for. */
	readonly jobStore?: Store;
};

export function createSchedules({ jobStore, ...dependencies }: ScheduleDeps): Schedules {
	const lifecycle = createLifecycle({ ...dependencies });
	const recipients = createRecipients(dependencies);
	const all = { ...dependencies, lifecycle, recipients };
	const behind = { ...all, store: jobStore ?? all.store };
	const notices = createNotices(behind);
	dependencies.queryRuns.register(createOutcome(all));
	const { queues, work } = createWork({
		...dependencies,
		due: createDue(behind),
		start: createStart(behind).start,
		async finish(data, signal) {
			const execution = await findTaskExecution(behind.store.db, (data as { executionId: string }).executionId);
			const jobId = execution?.pipeline_job_id;
			if (jobId) await dependencies.queryRuns.record(jobId, signal);
		},
		mail: notices.mail,
	});
	const service = createTasks(all);
	return {
		routes: createRoutes({
			tasks: service,
			runs: createRuns({ ...all, service }),
			calendar: createCalendar(all),
			settings: createTaskSettings(all),
		}),
		queues,
		ownedCounts: countOwnTasks,
		work,
		files: createTaskFiles(all, service),
	};
}
