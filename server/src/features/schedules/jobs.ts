/** Background work of schedules: the queues, and the timers of a process that takes jobs. */
import type { Clock } from "../../ports/clock.ts";
import type { JobQueue } from "../../ports/jobs.ts";
import type { Log } from "../../ports/log.ts";
import type { Due } from "./due.ts";
import { FINISH_QUEUE } from "./finish.ts";
import { EMAIL_QUEUE, START_QUEUE } from "./lifecycle.ts";

const TICK_MS = 1_000;
const LOOK_AFTER_MS = 60_000;
const PURGE_MS = 3_600_000;

export interface WorkDeps {
	readonly clock: Clock;
	readonly log: Log;
	readonly due: Due;
	readonly start: JobQueue["handler"];
	readonly finish: JobQueue["handler"];
	readonly mail: JobQueue["handler"];
}

export function createWork({ clock, log, due, start, finish, mail }: WorkDeps) {
	return {
		queues: [
			{ name: START_QUEUE, concurrency: 2, handler: start },
			{ name: FINISH_QUEUE, concurrency: 2, handler: finish },
			{ name: EMAIL_QUEUE, concurrency: 2, handler: mail },
		] satisfies JobQueue[],

		/** Starts the timers; what fell due while nobody looked is taken at once. */
		work(): { stop(): void } {
			const stopping = new AbortController();
			const timers = [
				every(TICK_MS, "due tasks could not be run", () => due.tick(stopping.signal)),
				every(LOOK_AFTER_MS, "silent executions could not be looked after", due.lookAfter),
				every(PURGE_MS, "old executions could not be removed", () => due.purge(stopping.signal)),
			];
			return {
				stop() {
					stopping.abort();
					for (const timer of timers) timer.stop();
				},
			};
		},
	};

	/** Now and then every `ms`; never twice at once: a time that comes meanwhile is made up for afterwards. */
	function every(ms: number, failure: string, work: () => Promise<void>): { stop(): void } {
		let [running, again] = [false, false];
		async function run(): Promise<void> {
			again = true;
			if (running) return;
			running = true;
			while (again) {
				again = false;
				await work().catch((error: unknown) => log.warn({ err: error }, failure));
			}
			running = false;
		}
		void run();
		return clock.every(ms, () => void run());
	}
}
