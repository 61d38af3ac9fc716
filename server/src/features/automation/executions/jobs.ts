/** Background work of executions: the queues, and the timers of a process that takes jobs. */
import { repeatWork } from "../../../platform/repeating.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { JobQueue } from "../../../ports/jobs.ts";
import type { Log } from "../../../ports/log.ts";
import { CANCEL_QUEUE, LAUNCH_QUEUE, SNAPSHOT_QUEUE } from "./dependencies.ts";
import type { Launcher } from "./launcher.ts";
import type { Poller } from "./poller.ts";

const POLL_MS = 500;
const SWEEP_MS = 1_000;

export interface WorkDeps {
	readonly clock: Clock;
	readonly log: Log;
	readonly launcher: Launcher;
	readonly poller: Poller;
	readonly cancel: JobQueue["handler"];
	readonly capture: JobQueue["handler"];
}

export function createWork({ clock, log, launcher, poller, cancel, capture }: WorkDeps) {
	return {
		queues: [
			{ name: LAUNCH_QUEUE, concurrency: 4, handler: launcher.handle },
			{ name: CANCEL_QUEUE, concurrency: 2, handler: cancel },
			{ name: SNAPSHOT_QUEUE, concurrency: 2, handler: capture },
		] satisfies JobQueue[],

		work: () =>
			repeatWork({ clock, log }, [
				{
					everyMs: POLL_MS,
					failure: "jobs of automation servers could not be polled",
					mayOverlap: true,
					work: poller.tick,
				},
				{ everyMs: SWEEP_MS, failure: "launches could not be looked for", work: launcher.sweep },
			]),
	};
}
