/** Conditions under which a request may be changed or launched. */
import type { Context } from "../../../../context.ts";
import type { Caller, Identity } from "../../../../core/caller.ts";
import {
	AppError,
	buildConflictError,
	buildForbiddenError,
	buildNotFoundError,
	buildTooManyError,
} from "../../../../core/errors.ts";
import type { Tx } from "../../../../core/ports/store.ts";
import { isRequesterOrAdmin } from "../policy.ts";
import { allowsCause, explainRefusal, type JobCauses } from "../rules/states.ts";
import { countOpenExecutions } from "../sql/executions.ts";
import { findShownRequest, lockRequest, type RequestRow, type ShownRequest } from "../sql/requests.ts";

/** Seconds after which a caller who was refused for too many jobs may retry. */
const BUSY_SECONDS = 30;

/** Locks the request until the transaction ends. @throws 404 if the caller does not see it */
export async function lockVisibleRequest(tx: Tx, caller: Identity, id: string): Promise<ShownRequest> {
	if ((await lockRequest(tx, id)) === undefined) throw buildNotFoundError();
	const row = await findShownRequest(tx.db, caller, id);
	if (row === undefined) throw buildNotFoundError();
	return row;
}

/** @throws 403 unless the caller requested it or is an administrator */
export function assertRequestOwner(caller: Caller, row: Pick<RequestRow, "requested_by_id">): void {
	if (!isRequesterOrAdmin(caller, row)) throw buildForbiddenError("Only the requester and administrators may do this.");
}

/**
 * @param readAt `updated_at` of the request that the caller read; null if it is not known
 * @throws 409 if it is another one now
 */
export function assertRequestUnchanged(row: Pick<RequestRow, "updated_at">, readAt: Date | null): void {
	if (readAt === null || readAt.getTime() === row.updated_at.getTime()) return;
	throw buildConflictError("The request was changed since you read it. Read it again first.", {
		updated_at: row.updated_at.toISOString(),
	});
}

/** @throws 429 if the user, or all users together, have too many open jobs */
export async function assertJobCapacity(
	ctx: Context,
	tx: Tx,
	holder: Pick<Identity, "userId" | "isAdmin">,
): Promise<void> {
	await ctx.quotas.check(holder, "can_use_automation", tx);
	await ctx.quotas.check(holder, "automation_concurrent", tx).catch((error: unknown) => {
		if (!(error instanceof AppError) || error.status !== 403) throw error;
		throw buildTooManyError(BUSY_SECONDS, String(error.body.detail), { quota: "automation_concurrent" });
	});
	if ((await countOpenExecutions(tx.db)) >= ctx.automationRunningMax) {
		throw buildTooManyError(BUSY_SECONDS, "The service has as many automation jobs open as it may.");
	}
}

/** Returns the connections that a launch may change; null if it names none and may change any. */
export const listLaunchTargets = ({ target_controller_id: id }: Pick<RequestRow, "target_controller_id">) =>
	id === null ? null : [id];

/** @throws 409 if the request is not in a state that allows the action */
export function assertAction({ status }: Pick<RequestRow, "status">, action: JobCauses["request"]): void {
	if (!allowsCause("request", status, action)) throw buildConflictError(explainRefusal(status, action), { status });
}
