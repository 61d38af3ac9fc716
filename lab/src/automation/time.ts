/**
 * The server's clock and its due events. Follows the system clock plus `advance`. Due events run
 * before the next answer, or by a timer.
 */

export interface Time {
	/** Milliseconds since 1970. */
	now(): number;
	/** Calls `run` once, `ms` from now, in the order of the due times. Returns how to call it off. */
	after(ms: number, run: () => void): () => void;
	/** Moves on, doing what falls due meanwhile. */
	advance(ms: number): void;
	/** Runs all due events. */
	settle(): void;
	/** Calls everything off. */
	clear(): void;
}

interface Entry {
	readonly due: number;
	readonly serial: number;
	readonly run: () => void;
}

/** @param base the clock under it */
export function createTime(base: () => number): Time {
	let offset = 0;
	let serial = 0;
	let entries: Entry[] = [];
	/** While something is being done it is the moment at which it fell due. */
	let present: number | null = null;
	let timer: NodeJS.Timeout | undefined;
	const now = () => present ?? base() + offset;

	function runDueEntries(): void {
		if (present !== null) return;
		const end = base() + offset;
		while (entries[0] !== undefined && entries[0].due <= end) {
			const entry = entries.shift() as Entry;
			present = entry.due;
			try {
				entry.run();
			} finally {
				present = null;
			}
		}
		armTimer();
	}

	function armTimer(): void {
		clearTimeout(timer);
		const next = entries[0];
		if (next === undefined) return;
		timer = setTimeout(runDueEntries, Math.max(1, Math.min(next.due - base() - offset, 2 ** 30)));
		timer.unref();
	}

	return {
		now,
		after(ms, run) {
			const entry = { due: now() + ms, serial: serial++, run };
			// New entries are usually due last: search from the end.
			let at = entries.length;
			while (at > 0 && (entries[at - 1] as Entry).due > entry.due) at--;
			entries.splice(at, 0, entry);
			if (present === null && at === 0) armTimer();
			return () => {
				entries = entries.filter((other) => other !== entry);
			};
		},
		advance(ms) {
			offset += ms;
			runDueEntries();
		},
		settle: runDueEntries,
		clear() {
			entries = [];
			clearTimeout(timer);
		},
	};
}

/** A time in the API's format: UTC with microseconds; `salt` gives the last three digits. */
export function formatTimestamp(ms: number, salt = 0): string {
	const micro = String((Math.imul(salt + 7, 2_654_435) >>> 0) % 1000).padStart(3, "0");
	return `${new Date(Math.floor(ms)).toISOString().slice(0, -1)}${micro}Z`;
}
