/** Background work that a process repeats as long as it runs. */
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";

export interface RepeatedWork {
	/** Milliseconds from one start to the next. */
	readonly everyMs: number;
	/** The log line of a failure, which ends this time only. */
	readonly failure: string;
	/** The signal aborts when the process stops. */
	work(signal: AbortSignal): Promise<unknown>;
}

/**
 * Starts each work now and then every `everyMs`. A work never runs twice at once in this process: a
 * time that comes while it runs is made up for afterwards.
 */
export function repeat(
	{ clock, log }: { readonly clock: Pick<Clock, "every">; readonly log: Pick<Log, "warn"> },
	all: readonly RepeatedWork[],
): { stop(): void } {
	const stopping = new AbortController();
	const timers = all.map(({ everyMs, failure, work }) => {
		let [running, again] = [false, false];
		async function run(): Promise<void> {
			again = true;
			if (running) return;
			running = true;
			while (again && !stopping.signal.aborted) {
				again = false;
				await work(stopping.signal).catch((error: unknown) => log.warn({ err: error }, failure));
			}
			running = false;
		}
		void run();
		return clock.every(everyMs, () => void run());
	});
	return {
		stop() {
			stopping.abort();
			for (const timer of timers) timer.stop();
		},
	};
}
