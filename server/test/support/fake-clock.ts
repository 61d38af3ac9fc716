/** A clock that stands still until a test moves it. */
import type { Clock } from "../../src/ports/clock.ts";

export interface FakeClock extends Clock {
	/** Moves on by `ms`, firing in order whatever falls due. */
	advance(ms: number): Promise<void>;
}

interface Timer {
	due: number;
	readonly every: number | null;
	readonly fire: () => void;
}

export function createFakeClock(start = Date.parse("2026-01-15T10:00:00Z")): FakeClock {
	let now = start;
	const timers = new Set<Timer>();

	function add(timer: Timer): () => void {
		timers.add(timer);
		return () => timers.delete(timer);
	}

	return {
		now: () => now,
		sleep: (ms, signal) =>
			new Promise((resolve, reject) => {
				if (signal?.aborted) return reject(signal.reason);
				const remove = add({ due: now + ms, every: null, fire: resolve });
				signal?.addEventListener("abort", () => {
					remove();
					reject(signal.reason);
				});
			}),
		every: (ms, tick) => ({ stop: add({ due: now + ms, every: ms, fire: tick }) }),
		async advance(ms) {
			const end = now + ms;
			for (;;) {
				const [next] = [...timers].filter((timer) => timer.due <= end).sort((a, b) => a.due - b.due);
				if (next === undefined) break;
				now = next.due;
				if (next.every === null) timers.delete(next);
				else next.due += next.every;
				next.fire();
				await new Promise((resolve) => setImmediate(resolve));
			}
			now = end;
		},
	};
}
