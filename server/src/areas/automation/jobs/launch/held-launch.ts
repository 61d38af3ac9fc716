/**
 * Launches that wait for a change window: the window marks them, lets them go or ends them, each in
 * the transaction of its own step. A window is locked before executions, and these before requests.
 */
import { type Context, getNow, getTimeIn } from "../../../../context.ts";
import type { Tx } from "../../../../core/ports/store.ts";
import { LAUNCH_QUEUE, SNAPSHOT_QUEUE } from "../queues.ts";
import { isOver } from "../rules/states.ts";
import { updateExecutionRow } from "../sql/executions.ts";
import { lockHeldLaunches, markHeldLaunches, releaseHeldLaunches } from "../sql/held-launches.ts";
import { findJobSnapshot } from "../sql/job-snapshots.ts";
import { BEFORE_SNAPSHOT_TIMEOUT_MS, endExecution, publishExecutionChange } from "./execution-lifecycle.ts";

/** Shows that the gate of the window is looked at, or did not pass. */
export async function markWindowLaunches(
	ctx: Context,
	tx: Tx,
	windowId: string,
	state: "waiting_before" | "blocked",
): Promise<void> {
	for (const execution of await markHeldLaunches(tx, windowId, state, getNow(ctx)))
		publishExecutionChange(ctx, tx, execution);
}

/**
 * Lets the launches of a window go, each once. The snapshot before a job is taken first, where one
 * is wanted.
 */
export async function releaseWindowLaunches(ctx: Context, tx: Tx, windowId: string): Promise<void> {
	for (const execution of await releaseHeldLaunches(tx, windowId, getNow(ctx))) {
		const before = await findJobSnapshot(tx.db, execution.id, "before");
		if (before === undefined || isOver("snapshot", before.status)) {
			await ctx.jobs.enqueue(tx, LAUNCH_QUEUE, { executionId: execution.id });
		} else {
			await updateExecutionRow(tx, execution.id, { lookup_at: getTimeIn(ctx, BEFORE_SNAPSHOT_TIMEOUT_MS) });
			await ctx.jobs.enqueue(tx, SNAPSHOT_QUEUE, { executionId: execution.id, phase: "before" });
		}
		publishExecutionChange(ctx, tx, execution);
	}
}

/** Ends the launches that wait for a window which will not open: nothing was sent. */
export async function cancelWindowLaunches(ctx: Context, tx: Tx, windowId: string, error: string): Promise<void> {
	for (const execution of await lockHeldLaunches(tx, windowId))
		await endExecution(ctx, tx, execution, "cancelled", { error });
}
