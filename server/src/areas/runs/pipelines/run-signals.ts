/** Signals of the end of a run, within the service and to its viewers. */
import type { Context } from "../../../context.ts";
import type { Tx } from "../../../core/ports/store.ts";
import type { RunRow } from "./sql/runs.ts";
import { getPipelineTopic } from "./topics.ts";

/** Emits the end of a run that an area waits for, in the transaction that ends the run. */
export async function emitEnd(ctx: Context, tx: Tx, { id, awaited }: Pick<RunRow, "id" | "awaited">): Promise<void> {
	if (awaited) await ctx.events.emit(tx, { type: "pipeline_job_finished", jobId: id });
}

/** Makes viewers of a run read its last frame as soon as the end is recorded. */
export function publishRunEnd(ctx: Context, tx: Tx, jobId: string): void {
	tx.afterCommit(() => ctx.pubsub.publish(getPipelineTopic(jobId), ""));
}
