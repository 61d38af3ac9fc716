/** Background work of schedules: the queues, and the timers of a process that takes jobs. */
import { repeatWork } from "../../platform/repeating.ts";
import type { Clock } from "../../ports/clock.ts";
import type { JobQueue } from "../../ports/jobs.ts";
import type { Log } from "../../ports/log.ts";
import type { Due } from "./due.ts";
import { EMAIL_QUEUE, START_QUEUE } from "./lifecycle.ts";

const TICK_MS = 1_000;
const LOST_MS = 60_000;
const PURGE_MS = 3_600_000;

export interface WorkDeps {
	readonly clock: Clock;
	readonly log: Log;
	readonly due: Due;
	readonly start: JobQueue["handler"];
	/** Records the end of an execution. */
	readonly finish: JobQueue["handler"];
	readonly mail: JobQueue["handler"];
}

export function createWork({ clock, log, due, start, finish, mail }: WorkDeps) {
	return {
		queues: [
			{ name: START_QUEUE, concurrency: 2, handler: start },
			// Nodes of the version before use this name.
			{ name: "schedules.finish", concurrency: 2, handler: finish },
			{ name: EMAIL_QUEUE, concurrency: 2, handler: mail },
		] satisfies JobQueue[],

		/** Starts the timers; what fell due while nobody looked is taken at once. */
		work: () =>
			repeatWork({ clock, log }, [
				{ everyMs: TICK_MS, failure: "due tasks could not be run", work: due.tick },
				{ everyMs: LOST_MS, failure: "lost executions could not be enqueued again", work: due.enqueueLost },
				{ everyMs: PURGE_MS, failure: "old executions could not be removed", work: due.purge },
			]),
	};
}
