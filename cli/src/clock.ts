/** Time, as a port. */
export interface Clock {
	/** Milliseconds since 1970. */
	now(): number;
	/** Resolves earlier when the signal is aborted. */
	sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
