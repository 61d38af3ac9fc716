/**
 * Adds time and traffic to a caller's ControllerTimings; overlapping spans of one kind count once.
 */
import type { ControllerTimings } from "./port.ts";

export interface Meter {
	readonly timings: ControllerTimings;
	/** Starts a span; the returned function ends it. */
	begin(kind: "loginMs" | "controllerMs"): () => void;
	local(ms: number): void;
	sent(): void;
	received(bytes: number): void;
}

export type Metering = (timings?: ControllerTimings) => Meter;

export function createMetering(clock: { now(): number }): Metering {
	/** Several calls may share one object, and their spans must not be counted twice. */
	const meters = new WeakMap<ControllerTimings, Meter>();

	function createMeter(timings: ControllerTimings): Meter {
		const open = { loginMs: { count: 0, since: 0 }, controllerMs: { count: 0, since: 0 } };
		return {
			timings,
			begin(kind) {
				const span = open[kind];
				if (span.count === 0) span.since = clock.now();
				span.count += 1;
				return () => {
					span.count -= 1;
					if (span.count === 0) timings[kind] += Math.max(0, clock.now() - span.since);
				};
			},
			local(ms) {
				timings.localMs += Math.max(0, ms);
			},
			sent() {
				timings.requests += 1;
			},
			received(bytes) {
				timings.bytes += bytes;
			},
		};
	}

	return (timings = { loginMs: 0, controllerMs: 0, localMs: 0, requests: 0, bytes: 0 }) => {
		const known = meters.get(timings);
		if (known) return known;
		const meter = createMeter(timings);
		meters.set(timings, meter);
		return meter;
	};
}
