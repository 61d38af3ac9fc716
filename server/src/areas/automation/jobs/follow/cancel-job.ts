/** Cancels requests and executions: at once before the launch, else through the server. */
import type { AutomationExecution, AutomationRequestDetail } from "@weft/contracts";
import { type Context, getNow } from "../../../../context.ts";
import type { Caller } from "../../../../core/caller.ts";
import { buildConflictError, buildNotFoundError } from "../../../../core/errors.ts";
import type { Tx } from "../../../../core/ports/store.ts";
import { buildExecutionTarget, endExecution, publishExecutionChange } from "../launch/execution-lifecycle.ts";
import { requireOwnedExecution, showExecution } from "../launch/visible-execution.ts";
import { CANCEL_QUEUE } from "../queues.ts";
import { publishRequest } from "../request/notices.ts";
import { buildRequestTarget, findVisibleRequest, readRequestDetail } from "../request/read-requests.ts";
import { assertAction, assertRequestOwner, lockVisibleRequest } from "../request/request-guards.ts";
import { isUnsent } from "../rules/states.ts";
import { type ExecutionRow, lockExecution, lockOpenExecutions, updateExecutionRow } from "../sql/executions.ts";
import { insertRequestEvent } from "../sql/request-events.ts";
import { setRequestStatus } from "../sql/requests.ts";

export async function cancelRequest(ctx: Context, caller: Caller, id: string): Promise<AutomationRequestDetail> {
	assertRequestOwner(caller, await findVisibleRequest(ctx, caller, id));
	return ctx.store.transaction(async (tx) => {
		// In this order, as a job that ends locks its execution before its request.
		await lockOpenExecutions(tx, id);
		const row = await lockVisibleRequest(tx, caller, id);
		assertRequestOwner(caller, row);
		assertAction(row, "cancel");
		if (row.status === "running") {
			for (const execution of await lockOpenExecutions(tx, id)) await cancelLockedExecution(ctx, tx, execution);
		} else {
			const at = getNow(ctx);
			await setRequestStatus(tx, row, "cancel", "cancelled", { finished_at: at, updated_at: at });
		}
		await insertRequestEvent(tx, {
			requestId: id,
			at: getNow(ctx),
			username: caller.username,
			action: "cancelled",
			version: row.version,
			digest: row.rows_digest,
		});
		await ctx.events.changed(tx, caller, {
			...buildRequestTarget(row),
			description: `${caller.username} cancelled the automation request "${row.title}"`,
			metadata: { was: row.status },
		});
		publishRequest(ctx, tx, id);
		return readRequestDetail(tx, caller, id);
	});
}

/** Marks the execution for cancelling. One that was not sent yet ends at once. */
async function cancelLockedExecution(ctx: Context, tx: Tx, row: ExecutionRow): Promise<void> {
	if (isUnsent(row.launch_state)) {
		await endExecution(ctx, tx, row, "cancelled", { error: "It was cancelled before it was launched." });
		return;
	}
	const at = getNow(ctx);
	await updateExecutionRow(tx, row.id, {
		cancel_requested_at: row.cancel_requested_at ?? at,
		cancel_error: null,
		updated_at: at,
	});
	if (row.launch_state === "launched") await ctx.jobs.enqueue(tx, CANCEL_QUEUE, { executionId: row.id });
	publishExecutionChange(ctx, tx, row);
}

export async function cancelExecution(ctx: Context, caller: Caller, id: string): Promise<AutomationExecution> {
	await requireOwnedExecution(ctx, caller, id);
	return ctx.store.transaction(async (tx) => {
		const row = await lockExecution(tx, id);
		if (row === undefined) throw buildNotFoundError();
		if (row.finished_at !== null) throw buildConflictError("The execution is over.", { status: row.status });
		await cancelLockedExecution(ctx, tx, row);
		await ctx.events.changed(tx, caller, {
			...buildExecutionTarget(row),
			description: `${caller.username} cancelled job ${row.job_id ?? "(not launched yet)"} of the automation server`,
			metadata: { automation_request: row.request_id, automation_job_id: row.job_id },
		});
		return showExecution(tx, caller, id);
	});
}
