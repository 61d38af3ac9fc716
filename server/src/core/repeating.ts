/** Background work that a process repeats as long as it runs. */
import type { Clock } from "./ports/clock.ts";
import type { Log } from "./ports/log.ts";

interface RepeatedWork {
	/** Milliseconds from one start to the next. */
	readonly everyMs: number;
	/** The log line of a failure, which ends this time only. */
	readonly failure: string;
	/**
	 * Whether a time that comes while the work runs starts it again beside itself. Without it, the
	 * work never runs twice at once in this process: the time is made up for afterwards.
	 */
	readonly mayOverlap?: boolean;
	/** The signal aborts when the process stops. */
	work(signal: AbortSignal): Promise<unknown>;
}

export interface Repeating {
	/** Starts nothing more. Resolves when the work that runs has ended: then the store may close. */
	stop(): Promise<void>;
}

/** Starts each work now and then every `everyMs`. */
export function repeatWork(
	{ clock, log }: { readonly clock: Pick<Clock, "every">; readonly log: Pick<Log, "warn"> },
	all: readonly RepeatedWork[],
): Repeating {
	const stopping = new AbortController();
	const running = new Set<Promise<void>>();

	function startWork({ work, failure }: RepeatedWork): Promise<void> {
		const ended = work(stopping.signal)
			.catch((error: unknown) => log.warn({ err: error }, failure))
			.then(() => void running.delete(ended));
		running.add(ended);
		return ended;
	}

	const timers = all.map((each) => {
		let [busy, again] = [false, false];
		async function runWithoutOverlap(): Promise<void> {
			again = true;
			if (busy) return;
			busy = true;
			while (again && !stopping.signal.aborted) {
				again = false;
				await startWork(each);
			}
			busy = false;
		}
		const tick = () => void (each.mayOverlap ? startWork(each) : runWithoutOverlap());
		tick();
		return clock.every(each.everyMs, tick);
	});
	return {
		async stop() {
			stopping.abort();
			for (const timer of timers) timer.stop();
			await Promise.all(running);
		},
	};
}
