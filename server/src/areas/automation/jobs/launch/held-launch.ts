/**
 * Launches that wait for a change window: the window marks them, lets them go or ends them, each in
 * the transaction of its own step. A window is locked before executions, and these before requests.
 */
import { type Context, getNow } from "../../../../context.ts";
import type { Tx } from "../../../../core/ports/store.ts";
import { LAUNCH_QUEUE } from "../queues.ts";
import { lockHeldLaunches, markHeldLaunches, releaseHeldLaunches } from "../sql/held-launches.ts";
import { endExecution, publishExecutionChange } from "./execution-lifecycle.ts";

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

/** Lets the launches of a window go, each once. */
export async function releaseWindowLaunches(ctx: Context, tx: Tx, windowId: string): Promise<void> {
	for (const execution of await releaseHeldLaunches(tx, windowId, getNow(ctx))) {
		await ctx.jobs.enqueue(tx, LAUNCH_QUEUE, { executionId: execution.id });
		publishExecutionChange(ctx, tx, execution);
	}
}

/** Ends the launches that wait for a window which will not open: nothing was sent. */
export async function cancelWindowLaunches(ctx: Context, tx: Tx, windowId: string, error: string): Promise<void> {
	for (const execution of await lockHeldLaunches(tx, windowId))
		await endExecution(ctx, tx, execution, "cancelled", { error });
}
