/** The cache within one process. */
import type { Cache } from "../../core/ports/cache.ts";
import type { Clock } from "../../core/ports/clock.ts";

const SWEEP_EVERY = 10_000;

export function createMemoryCache(clock: Pick<Clock, "now">): Cache {
	const entries = new Map<string, { value: string; count: number; expires: number }>();
	let writes = 0;

	function findLiveEntry(key: string) {
		const entry = entries.get(key);
		if (entry === undefined || entry.expires > clock.now()) return entry;
		entries.delete(key);
		return undefined;
	}

	/** Removes expired keys that are never read again. */
	function removeExpired() {
		if (++writes % SWEEP_EVERY !== 0) return;
		for (const [key, entry] of entries) if (entry.expires <= clock.now()) entries.delete(key);
	}

	return {
		async set(key, value, ttlMs) {
			removeExpired();
			entries.set(key, { value, count: 0, expires: clock.now() + ttlMs });
		},
		async take(key) {
			const entry = findLiveEntry(key);
			entries.delete(key);
			return entry?.value ?? null;
		},
		async increment(key, windowMs) {
			removeExpired();
			const entry = findLiveEntry(key) ?? { value: "", count: 0, expires: clock.now() + windowMs };
			entry.count++;
			entries.set(key, entry);
			return { count: entry.count, resetMs: entry.expires - clock.now() };
		},
		async decrement(key) {
			const entry = findLiveEntry(key);
			if (entry !== undefined) entry.count--;
		},
		async remove(key) {
			entries.delete(key);
		},
		async ping() {},
		async close() {
			entries.clear();
		},
	};
}
