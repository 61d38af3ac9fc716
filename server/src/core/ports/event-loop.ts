/** How long the process's event loop keeps work waiting. */
export interface EventLoop {
	/** Delays since the previous call, in seconds. */
	takeDelays(): EventLoopDelays;
}

interface EventLoopDelays {
	/** Median. */
	readonly p50: number;
	readonly p99: number;
	readonly max: number;
}
