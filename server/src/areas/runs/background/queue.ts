/** The queue of ends that are to be recorded. */
import type { Context } from "../../../context.ts";
import type { Tx } from "../../../core/ports/store.ts";

export const RECORD_QUEUE = "query_runs.record";

/** Requests that the end of a run is recorded. Harmless if it is recorded already. */
export const enqueueRunEnd = (ctx: Context, tx: Tx, jobId: string): Promise<void> =>
	ctx.jobs.enqueue(tx, RECORD_QUEUE, { jobId });
