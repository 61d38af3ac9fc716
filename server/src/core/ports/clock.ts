/** Time as the service sees it; tests give a clock that they move themselves. */
export interface Clock {
	/** Milliseconds since 1970, UTC. */
	now(): number;
	/** Resolves after `ms`, or rejects with the signal's reason. */
	sleep(ms: number, signal?: AbortSignal): Promise<void>;
	/** Calls `tick` every `ms` until stopped; ticks do not keep the process alive. */
	every(ms: number, tick: () => void): { stop(): void };
}
