/** The clock of the service and of the simulators. It is in the past while history is made. */
import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "@weft/server";

export interface DemoClock extends Clock {
	/** Sets the clock to a moment in milliseconds since 1970. Jobs that are due then start. */
	moveTo(moment: number): void;
	/** Sets the clock to the present. It follows the system's clock from then on. */
	moveToPresent(): void;
}

export function createDemoClock(): DemoClock {
	let behindMs = 0;
	const ticks = new Set<() => void>();

	function setClockOffset(behind: number): void {
		behindMs = behind;
		for (const tick of [...ticks]) tick();
	}

	return {
		now: () => Date.now() - behindMs,
		async sleep(ms, signal) {
			await delay(ms, undefined, signal ? { signal } : {}).catch(() => {
				throw signal?.reason;
			});
		},
		every(ms, tick) {
			const timer = setInterval(tick, ms);
			timer.unref();
			ticks.add(tick);
			return {
				stop() {
					clearInterval(timer);
					ticks.delete(tick);
				},
			};
		},
		moveTo: (moment) => setClockOffset(Date.now() - moment),
		moveToPresent: () => setClockOffset(0),
	};
}
