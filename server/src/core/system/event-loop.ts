/** Delays of this process's event loop, as Node samples them. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { EventLoop } from "../ports/event-loop.ts";

/** Milliseconds between samples; what Node measures beyond them is delay. */
const RESOLUTION_MS = 10;
const NANOSECONDS = 1e9;

export function createEventLoop(): EventLoop {
	const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
	histogram.enable();
	const toSeconds = (nanoseconds: number) => Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION_MS / 1_000);
	return {
		takeDelays() {
			// Without a sample the values are not numbers.
			const isEmpty = histogram.count === 0;
			const delays = {
				p50: isEmpty ? 0 : toSeconds(histogram.percentile(50)),
				p99: isEmpty ? 0 : toSeconds(histogram.percentile(99)),
				max: isEmpty ? 0 : toSeconds(histogram.max),
			};
			histogram.reset();
			return delays;
		},
	};
}
