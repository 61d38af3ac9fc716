/** Somebody looks on: jobs that are watched are asked for every second, others ever more seldom. */
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { Store } from "../../ports/store.ts";
import type { PollRepo } from "./repo-polls.ts";

/** Without another look it is taken that nobody looks on any more. */
const WATCH_MS = 20_000;
const RENEW_MS = 8_000;

export interface WatchingDeps {
	readonly store: Pick<Store, "db">;
	readonly clock: Pick<Clock, "now">;
	readonly log: Log;
	readonly polls: PollRepo;
}

export function createWatching({ store, clock, log, polls }: WatchingDeps) {
	return {
		/** Notes a look; cheap when it is the next of many. Never fails: watching is a help only. */
		async seen(executionId: string): Promise<void> {
			try {
				const now = clock.now();
				const until = new Date(now + WATCH_MS);
				const connectionId = await polls.watch(store.db, executionId, new Date(now), until);
				if (connectionId !== null) await polls.wake(store.db, [connectionId], new Date(now));
				else await polls.keepWatching(store.db, executionId, new Date(now + WATCH_MS - RENEW_MS), until);
			} catch (error) {
				log.debug({ err: error, execution: executionId }, "a look at an execution could not be noted");
			}
		},
	};
}
export type Watching = ReturnType<typeof createWatching>;
