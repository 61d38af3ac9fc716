/**
 * Records that an execution has viewers: its job is polled every second, others at growing
 * intervals.
 */
import type { Context } from "../../../../context.ts";
import { advancePolls, extendExecutionViewed, markExecutionViewed } from "../sql/polls.ts";

/** Time after the last view during which an execution counts as viewed. */
const VIEWED_MS = 20_000;
const RENEW_MS = 8_000;

/**
 * Records a view. Cheap if the execution is already viewed. Never throws: views only speed up
 * polling.
 */
export async function recordView(ctx: Context, executionId: string): Promise<void> {
	try {
		const now = ctx.clock.now();
		const until = new Date(now + VIEWED_MS);
		const connectionId = await markExecutionViewed(ctx.store.db, executionId, new Date(now), until);
		if (connectionId !== null) await advancePolls(ctx.store.db, [connectionId], new Date(now));
		else await extendExecutionViewed(ctx.store.db, executionId, new Date(now + VIEWED_MS - RENEW_MS), until);
	} catch (error) {
		ctx.log.debug({ err: error, execution: executionId }, "a view of an execution could not be recorded");
	}
}
