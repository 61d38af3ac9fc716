/** A clock that stands still until a test moves it. */
import type { Clock } from "../../src/core/ports/clock.ts";

export interface FakeClock extends Clock {
	/**
	 * Moves the clock on by `ms` and fires the timers that fall due, in order. An interval that would
	 * fire more than `TICKS_PER_LEAP` times fires that often, evenly spread. Its last tick stays.
	 */
	advance(ms: number): Promise<void>;
}

interface Timer {
	due: number;
	/** Milliseconds; null for a timer that fires once. */
	readonly interval: number | null;
	readonly fire: () => void;
}

/** Bounds the work of a leap: an hour of one-second ticks would query the store 3,600 times. */
const TICKS_PER_LEAP = 20;

export function createFakeClock(start = Date.parse("2026-01-15T10:00:00Z")): FakeClock {
	let now = start;
	const timers = new Set<Timer>();

	function addTimer(timer: Timer): () => void {
		timers.add(timer);
		return () => timers.delete(timer);
	}

	function nextDue(end: number): Timer | undefined {
		let next: Timer | undefined;
		for (const timer of timers) if (timer.due <= end && (next === undefined || timer.due < next.due)) next = timer;
		return next;
	}

	return {
		now: () => now,
		sleep: (ms, signal) =>
			new Promise((resolve, reject) => {
				if (signal?.aborted) return reject(signal.reason);
				const onAbort = () => {
					remove();
					reject(signal?.reason);
				};
				const fire = () => {
					signal?.removeEventListener("abort", onAbort);
					resolve();
				};
				const remove = addTimer({ due: now + ms, interval: null, fire });
				signal?.addEventListener("abort", onAbort, { once: true });
			}),
		every: (ms, tick) => ({ stop: addTimer({ due: now + ms, interval: ms, fire: tick }) }),
		async advance(ms) {
			const end = now + ms;
			for (let timer = nextDue(end); timer !== undefined; timer = nextDue(end)) {
				now = timer.due;
				if (timer.interval === null) timers.delete(timer);
				else timer.due += timer.interval * countTicksToNext(timer.interval, now, end, ms);
				timer.fire();
				await new Promise((resolve) => setImmediate(resolve));
			}
			now = end;
		},
	};
}

/** Intervals from a tick at `now` to the next one, in a leap of `leap` ms that ends at `end`. */
function countTicksToNext(interval: number, now: number, end: number, leap: number): number {
	const left = Math.floor((end - now) / interval);
	const step = Math.ceil(leap / interval / TICKS_PER_LEAP);
	return Math.max(1, Math.min(step, left));
}
