/**
 * The fabric's clock. Only drift and writes advance it, so repeated requests give equal answers.
 */
export interface FabricClock {
	/** Milliseconds since 1970. */
	now(): number;
	/** As objects write it. */
	iso(): string;
	forward(ms: number): void;
	set(at: number): void;
}

export function createFabricClock(start: number): FabricClock {
	let at = start;
	return {
		now: () => at,
		iso: () => new Date(at).toISOString().replace("Z", "+00:00"),
		forward(ms) {
			at += ms;
		},
		set(to) {
			at = to;
		},
	};
}
