/** Time, as a port. */
export interface Clock {
	/** Milliseconds since 1970. */
	now(): number;
	sleep(ms: number): Promise<void>;
}
