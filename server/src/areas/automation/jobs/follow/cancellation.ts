/**
 * Carries a cancel out on the server. A wanted cancel is kept until the job is over: each poll of
 * the job sends it again until the server has taken it.
 */
import { LRUCache } from "lru-cache";
import { type Context, getNow } from "../../../../context.ts";
import { AutomationError, type AutomationTarget } from "../../../../integrations/awx/port.ts";
import { findServer } from "../../connections/manage-connections.ts";
import { updateExecution } from "../launch/execution-lifecycle.ts";
import { type ExecutionRow, findExecutionRow } from "../sql/executions.ts";
import { advancePolls, makeExecutionsDue } from "../sql/polls.ts";

/** Least time between two attempts of one process with the same credentials, in milliseconds. */
const AGAIN_MS = 5_000;

/** Returns why the server did not take it; null: it did, or the job is over. */
async function sendCancellation(ctx: Context, target: AutomationTarget, row: ExecutionRow): Promise<string | null> {
	ctx.areas.automation.cancellations.set(`${row.id} ${target.revision}`, ctx.clock.now());
	try {
		await ctx.automation.cancel(target, row.job_type === "workflow_job" ? "workflow_job" : "job", row.job_id ?? 0);
		return null;
	} catch (error) {
		if (error instanceof AutomationError) return error.message;
		throw error;
	}
}

/** The first attempt, by the queue. */
export async function sendFirstCancellation(ctx: Context, data: unknown): Promise<void> {
	const { executionId } = data as { executionId: string };
	const row = await findExecutionRow(ctx.store.db, executionId);
	if (row === undefined || row.finished_at !== null || row.cancel_requested_at === null || row.job_id === null) return;
	const found = await findServer(ctx, row.connection_id);
	const problem = "target" in found ? await sendCancellation(ctx, found.target, row) : found.message;
	await ctx.store.transaction(async (tx) => {
		await updateExecution(ctx, tx, row, { cancel_error: problem });
		await makeExecutionsDue(tx.db, [executionId], getNow(ctx), getNow(ctx));
		await advancePolls(tx.db, [row.connection_id], getNow(ctx));
	});
}

/**
 * Sends a wanted cancel again that the server has not taken. Returns the changes of the row.
 * @param taken whether the server shows that the job is to be cancelled
 */
export async function repeatCancellation(
	ctx: Context,
	target: AutomationTarget,
	row: ExecutionRow,
	taken: boolean,
): Promise<{ cancel_error?: string | null }> {
	if (row.cancel_requested_at === null) return {};
	if (taken) return { cancel_error: null };
	const last = ctx.areas.automation.cancellations.get(`${row.id} ${target.revision}`);
	if (last !== undefined && ctx.clock.now() - last < AGAIN_MS) return {};
	return { cancel_error: await sendCancellation(ctx, target, row) };
}

/** Times of attempts, by execution and revision of the connection. */
export type Cancellations = LRUCache<string, number>;

export const createCancellations = (): Cancellations => new LRUCache({ max: 10_000 });
