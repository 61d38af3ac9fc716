/** Background work of executions: the queues, and the timers of a process that takes jobs. */
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
	const every = (ms: number, failure: string, work: () => Promise<void>) => {
		const run = () => void work().catch((error: unknown) => log.warn({ err: error }, failure));
		run();
		return clock.every(ms, run);
	};

	return {
		queues: [
			{ name: LAUNCH_QUEUE, concurrency: 4, handler: launcher.handle },
			{ name: CANCEL_QUEUE, concurrency: 2, handler: cancel },
			{ name: SNAPSHOT_QUEUE, concurrency: 2, handler: capture },
		] satisfies JobQueue[],

		work(): { stop(): void } {
			const timers = [
				every(POLL_MS, "jobs of automation servers could not be polled", poller.tick),
				every(SWEEP_MS, "launches could not be looked for", launcher.sweep),
			];
			return {
				stop() {
					for (const timer of timers) timer.stop();
				},
			};
		},
	};
}
