/** Saved queries on schedule: exactly one run per due instant however many processes there are, retries, notifications and mail. */
import type { BoundRoute } from "../../platform/http/binder.ts";
import type { JobQueue } from "../../ports/jobs.ts";
import type { Db, Store } from "../../ports/store.ts";
import { type CaptureNeeds, createCapture } from "./capture.ts";
import { createDue } from "./due.ts";
import { createFinish, FINISH_QUEUE } from "./finish.ts";
import { createWork } from "./jobs.ts";
import { createLifecycle } from "./lifecycle.ts";
import type { ScheduleNeeds } from "./needs.ts";
import { createNotices } from "./notices.ts";
import { createTaskRepo, type TaskCounts } from "./repo.ts";
import { createRunRepo } from "./repo-runs.ts";
import { createRoutes } from "./routes.ts";
import { createTasks } from "./service.ts";
import { createCalendar } from "./service-calendar.ts";
import { createRuns } from "./service-runs.ts";
import { createTaskSettings } from "./service-settings.ts";
import { createStart } from "./start.ts";

export interface Schedules {
	readonly routes: BoundRoute[];
	readonly queues: readonly JobQueue[];
	/** How many tasks a user has. */
	ownedCounts(db: Db, userId: number): Promise<TaskCounts>;
	/** Starts the timers of a process that takes jobs. */
	work(): { stop(): void };
}

export type ScheduleDeps = Omit<ScheduleNeeds, "capture"> & {
	/** Absent where there is no Time Machine. */
	readonly timeMachine?: CaptureNeeds;
	/** The store for work that nobody waits for. */
	readonly jobStore?: Store;
};

export function createSchedules({ timeMachine, jobStore, ...given }: ScheduleDeps): Schedules {
	const needs: ScheduleNeeds = { ...given, ...(timeMachine ? { capture: createCapture(timeMachine) } : {}) };
	const [tasks, runs] = [createTaskRepo(), createRunRepo()];
	const lifecycle = createLifecycle({ ...needs, tasks, runs });
	const all = { ...needs, tasks, runs, lifecycle };
	const behind = { ...all, store: jobStore ?? all.store };
	const notices = createNotices(behind);
	needs.events.inTransaction("pipeline_job_finished", async (tx, { jobId }) => {
		const executionId = await runs.byJob(tx, jobId);
		if (executionId !== null) await needs.jobs.enqueue(tx, FINISH_QUEUE, { executionId });
	});
	const { queues, work } = createWork({
		...needs,
		due: createDue(behind),
		start: createStart(behind).start,
		finish: createFinish(behind).finish,
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
		ownedCounts: tasks.countsOf,
		work,
	};
}
