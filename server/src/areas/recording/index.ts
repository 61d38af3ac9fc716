/** Executes runs and records the end of each run of a saved query once. */
import type { Context } from "../../context.ts";
import type { JobQueue } from "../../core/ports/jobs.ts";
import type { Repeating } from "../../core/repeating.ts";
import { enqueueRunEnd } from "../runs/background/queue.ts";
import { findOpenQueryRun } from "../runs/background/sql.ts";
import { listRecordingQueues, startRecordingTimers } from "./jobs.ts";

export interface Recording {
	readonly queues: JobQueue[];
	/** Starts the timers of a process that takes queue tasks. */
	work(): Repeating;
}

export function createRecording(ctx: Context, background: Context): Recording {
	// In the transaction that ends the run, so that no end is lost. Cancelled runs are among them.
	ctx.events.inTransaction("pipeline_job_finished", async (tx, { jobId }) => {
		if (await findOpenQueryRun(tx.db, jobId)) await enqueueRunEnd(ctx, tx, jobId);
	});
	return {
		queues: listRecordingQueues(background),
		work: () => startRecordingTimers(background),
	};
}
