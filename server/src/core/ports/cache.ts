/**
 * Short-lived values that may be lost at any time: throttle counters, one-time tickets. Shared by
 * all nodes with Redis.
 */
export interface Cache {
	set(key: string, value: string, ttlMs: number): Promise<void>;
	/** Reads and removes in one step, so that of two takers only one gets the value. */
	take(key: string): Promise<string | null>;
	/** Adds one to a counter whose window opens at its first increment. */
	increment(key: string, windowMs: number): Promise<{ count: number; resetMs: number }>;
	/** Takes one from a counter whose window is open. */
	decrement(key: string): Promise<void>;
	remove(key: string): Promise<void>;
	/** Rejects when the cache cannot be reached. */
	ping(): Promise<void>;
	close(): Promise<void>;
}
