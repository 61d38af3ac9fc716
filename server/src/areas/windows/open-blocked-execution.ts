/** Overrides the gate that holds the launch of an execution: it is that of its change window. */
import type { AutomationExecution } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Caller } from "../../core/caller.ts";
import { buildConflictError } from "../../core/errors.ts";
import { readExecution } from "../automation/jobs/follow/read-executions.ts";
import { findVisibleExecution } from "../automation/jobs/launch/visible-execution.ts";
import { openBlockedWindow } from "./step-window.ts";

/** @throws 403, 404, 409 */
export async function openBlockedExecution(
	ctx: Context,
	caller: Caller,
	id: string,
	body: { readonly reason: string },
): Promise<AutomationExecution> {
	const { change_window_id: windowId, launch_state: launchState } = await findVisibleExecution(ctx, caller, id);
	if (windowId === null || launchState !== "blocked")
		throw buildConflictError("The execution is not blocked by a change window.", { launch_state: launchState });
	await openBlockedWindow(ctx, caller, windowId, body);
	return readExecution(ctx, caller, id);
}
