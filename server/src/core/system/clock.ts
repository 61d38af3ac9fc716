/** The system's clock. */
import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../ports/clock.ts";

export const systemClock: Clock = {
	now: () => Date.now(),
	sleep: async (ms, signal) => {
		await delay(ms, undefined, signal ? { signal } : {}).catch(() => {
			throw signal?.reason;
		});
	},
	every(ms, tick) {
		const timer = setInterval(tick, ms);
		timer.unref();
		return { stop: () => clearInterval(timer) };
	},
};
