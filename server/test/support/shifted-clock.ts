/** The system's clock for tests with other programs, which a test sets back to make the past. */

import type { Clock } from "../../src/core/ports/clock.ts";
import { systemClock } from "../../src/core/system/clock.ts";

const HOUR_MS = 3_600_000;

export interface ShiftedClock extends Clock {
	/** Hours that it is behind the system's clock. */
	behindHours: number;
}

export function createShiftedClock(): ShiftedClock {
	const clock = {
		...systemClock,
		behindHours: 0,
		now: () => systemClock.now() - clock.behindHours * HOUR_MS,
	};
	return clock;
}
