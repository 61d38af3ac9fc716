/** Bounds the time of threads that each user takes in any minute. */

const MINUTE_MS = 60_000;

interface Use {
	readonly endedAt: number;
	readonly ms: number;
}

export interface TimeBudget {
	/** Milliseconds that the user may still take; 0 or less if none. */
	remaining(userId: number): number;
	/** Milliseconds until the user has some again. */
	waitMs(userId: number): number;
	add(userId: number, ms: number): void;
}

/** @param now milliseconds of a clock that does not go back */
export function createTimeBudget(msPerMinute: number, now: () => number): TimeBudget {
	const uses = new Map<number, Use[]>();

	function recentUses(userId: number): readonly Use[] {
		const recent = (uses.get(userId) ?? []).filter(({ endedAt }) => endedAt > now() - MINUTE_MS);
		if (recent.length > 0) uses.set(userId, recent);
		else uses.delete(userId);
		return recent;
	}

	const remaining = (userId: number): number => msPerMinute - recentUses(userId).reduce((sum, { ms }) => sum + ms, 0);

	return {
		remaining,
		waitMs(userId) {
			let lacking = -remaining(userId);
			if (lacking < 0) return 0;
			for (const { endedAt, ms } of recentUses(userId)) {
				lacking -= ms;
				if (lacking < 0) return endedAt + MINUTE_MS - now();
			}
			return MINUTE_MS;
		},
		add(userId, ms) {
			uses.set(userId, [...recentUses(userId), { endedAt: now(), ms }]);
		},
	};
}
