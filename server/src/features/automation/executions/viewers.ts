/**
 * Records that an execution has viewers: its job is polled every second, others at growing
 * intervals.
 */
import type { Clock } from "../../../ports/clock.ts";
import type { Log } from "../../../ports/log.ts";
import type { Store } from "../../../ports/store.ts";
import { advancePolls, extendExecutionViewed, markExecutionViewed } from "./repo-polls.ts";

/** Time after the last view during which an execution counts as viewed. */
const VIEWED_MS = 20_000;
const RENEW_MS = 8_000;

export interface ViewerDeps {
	readonly store: Pick<Store, "db">;
	readonly clock: Pick<Clock, "now">;
	readonly log: Log;
}

export function createViewers({ store, clock, log }: ViewerDeps) {
	return {
		/**
		 * Records a view. Cheap if the execution is already viewed. Never throws: views only speed up
		 * polling.
		 */
		async record(executionId: string): Promise<void> {
			try {
				const now = clock.now();
				const until = new Date(now + VIEWED_MS);
				const connectionId = await markExecutionViewed(store.db, executionId, new Date(now), until);
				if (connectionId !== null) await advancePolls(store.db, [connectionId], new Date(now));
				else await extendExecutionViewed(store.db, executionId, new Date(now + VIEWED_MS - RENEW_MS), until);
			} catch (error) {
				log.debug({ err: error, execution: executionId }, "a view of an execution could not be recorded");
			}
		},
	};
}
export type Viewers = ReturnType<typeof createViewers>;
