/** Launches the job of an execution again. */
import type { AutomationExecution, FreezeOverride } from "@weft/contracts";
import { type Context, getNow } from "../../../../context.ts";
import type { Caller } from "../../../../core/caller.ts";
import { buildConflictError, buildFieldError, buildNotFoundError, buildRefusedError } from "../../../../core/errors.ts";
import { AutomationError } from "../../../../integrations/awx/port.ts";
import { describeOverride, passFreeze } from "../../../calendar/pass-freeze.ts";
import { findServer } from "../../connections/manage-connections.ts";
import { presentFailure, readOnlyToken } from "../../connections/present.ts";
import { assertChangePlan } from "../request/choose-change.ts";
import { findVisibleRequest } from "../request/read-requests.ts";
import { listLaunchTargets } from "../request/request-guards.ts";
import { readRequestContent, runRequestAgain } from "../request/request-progress.ts";
import type { ExecutionRow } from "../sql/executions.ts";
import { insertRequestEvent } from "../sql/request-events.ts";
import { updateRequest } from "../sql/requests.ts";
import { assertSameWindow, bindWindow, lockRequestWindow } from "./bind-window.ts";
import { buildExecutionTarget, getSnapshotTarget, openExecution } from "./execution-lifecycle.ts";
import { findRelaunchProblem } from "./relaunch-check.ts";
import { requireOwnedExecution, showExecution } from "./visible-execution.ts";

/** @throws 409 with the reason why the server would not launch the job again; 400, 502, 504 */
async function assertRelaunchable(ctx: Context, before: ExecutionRow, hosts: "all" | "failed"): Promise<void> {
	const content = await readRequestContent(ctx, ctx.store.db, before.request_id);
	const found = await findServer(ctx, before.connection_id);
	if (content === null) throw buildNotFoundError();
	if (!("target" in found)) throw buildRefusedError(found.message);
	if (found.canLaunch === false) throw buildConflictError(readOnlyToken(found.name));
	const problem = await findRelaunchProblem(ctx, found.target, before, hosts, content).catch((error: unknown) => {
		throw error instanceof AutomationError ? presentFailure(error) : error;
	});
	if (problem !== null) throw buildConflictError(problem);
}

interface Relaunch {
	readonly hosts: "all" | "failed";
	readonly override_freeze?: FreezeOverride;
}

export async function relaunchExecution(
	ctx: Context,
	caller: Caller,
	id: string,
	{ hosts, override_freeze }: Relaunch,
): Promise<AutomationExecution> {
	const before = await requireOwnedExecution(ctx, caller, id);
	if (before.finished_at === null) throw buildConflictError("The execution is not over.", { status: before.status });
	if (before.job_id === null || before.launch_state !== "launched") {
		throw buildConflictError("There was no job that could be launched again; retry the request.");
	}
	if (hosts === "failed" && before.job_type === "workflow_job") {
		throw buildFieldError("hosts", "A workflow can only be launched again as a whole.");
	}
	const override = override_freeze;
	const seen = await findVisibleRequest(ctx, caller, before.request_id);
	assertChangePlan(seen);
	await passFreeze(ctx, ctx.store.db, caller, listLaunchTargets(seen), override);
	await assertRelaunchable(ctx, before, hosts);
	return ctx.store.transaction(async (tx) => {
		await lockRequestWindow(ctx, tx, seen);
		const again = await runRequestAgain(ctx, tx, caller, before.request_id);
		assertSameWindow(seen, again);
		assertChangePlan(again);
		const overridden = await passFreeze(ctx, tx.db, caller, listLaunchTargets(again), override);
		const launcher = { actor: caller, identity: caller, override, isScheduled: false };
		const window = await bindWindow(ctx, tx, again, launcher);
		if (window !== null) await updateRequest(tx, again.id, { change_window_id: window.id });
		const made = await openExecution(ctx, tx, {
			requestId: before.request_id,
			connectionId: before.connection_id,
			kind: before.kind,
			serverTemplateId: before.server_template_id,
			checkMode: before.check_mode,
			launchedBy: caller,
			window,
			snapshotTarget: getSnapshotTarget(again),
			relaunch: { of: before, hosts },
		});
		await insertRequestEvent(tx, {
			requestId: before.request_id,
			at: getNow(ctx),
			username: caller.username,
			action: "launched",
			version: again.version,
			digest: again.rows_digest,
			comment: describeOverride(overridden),
			executionId: made,
		});
		await ctx.events.changed(tx, caller, {
			...buildExecutionTarget({ id: made }),
			description: `${caller.username} launched job ${before.job_id} of the automation server again`,
			metadata: {
				automation_request: before.request_id,
				relaunch_of: before.id,
				hosts,
				...(overridden === null ? {} : { overridden_freeze: overridden }),
			},
		});
		return showExecution(tx, caller, made);
	});
}
