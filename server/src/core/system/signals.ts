/** Cancellation: combined signals, abortable waiting, sleeping and deadlines on real timers. */
import { setMaxListeners } from "node:events";

/**
 * Aborts when any source does. `done` must be called when the work is over, or long-lived sources
 * would keep a listener each.
 */
export function linkSignals(...sources: (AbortSignal | undefined)[]): {
	controller: AbortController;
	signal: AbortSignal;
	done(): void;
} {
	const controller = new AbortController();
	// Many requests of one operation listen to the same signal; Node would warn of a leak.
	setMaxListeners(0, controller.signal, ...sources.filter((source) => source !== undefined));
	const undo: (() => void)[] = [];
	for (const source of sources) {
		if (!source) continue;
		const onAbort = () => controller.abort(source.reason);
		if (source.aborted) onAbort();
		else {
			source.addEventListener("abort", onAbort, { once: true });
			undo.push(() => source.removeEventListener("abort", onAbort));
		}
	}
	const done = () => {
		for (const remove of undo) remove();
		undo.length = 0;
	};
	return { controller, signal: controller.signal, done };
}

/**
 * The promise's outcome, or a rejection as soon as the signal aborts; the promise itself goes on.
 */
export function runUnlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
	if (signal.aborted) {
		promise.catch(() => undefined);
		return Promise.reject(signal.reason);
	}
	return new Promise((resolve, reject) => {
		const onAbort = () => reject(signal.reason);
		signal.addEventListener("abort", onAbort, { once: true });
		promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
	});
}

export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/** Rejects with the signal's reason. */
export const sleepByTimer: Sleep = (ms, signal) =>
	new Promise((resolve, reject) => {
		if (signal.aborted) return reject(signal.reason);
		const onAbort = () => {
			clearTimeout(timer);
			reject(signal.reason);
		};
		const timer = setTimeout(() => {
			signal.removeEventListener("abort", onAbort);
			resolve();
		}, ms);
		signal.addEventListener("abort", onAbort, { once: true });
	});

/** Calls `expired` after `ms`, unless the returned function was called before. */
export type Deadline = (ms: number, expired: () => void) => () => void;

export const createTimerDeadline: Deadline = (ms, expired) => {
	const timer = setTimeout(expired, ms);
	return () => clearTimeout(timer);
};
