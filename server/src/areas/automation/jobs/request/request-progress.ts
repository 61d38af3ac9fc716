/** The state of a request as its executions change it. */
import type { AutomationExecutionStatus, AutomationWarning } from "@weft/contracts";
import { type Context, getNow } from "../../../../context.ts";
import type { Caller, Identity } from "../../../../core/caller.ts";
import { buildConflictError } from "../../../../core/errors.ts";
import type { Db, Tx } from "../../../../core/ports/store.ts";
import { countTemplateOutcome } from "../../templates/sql/templates.ts";
import { isRequesterOrAdmin } from "../policy.ts";
import type { RequestContent } from "../rules/request-content.ts";
import { allowsCause, deriveRequestEnd, deriveRequestOutcome } from "../rules/states.ts";
import { findExecutionRow, listRequestExecutions } from "../sql/executions.ts";
import { insertRequestEvent } from "../sql/request-events.ts";
import {
	attachExecution,
	findRequestRow,
	lockRequest,
	type RequestRow,
	type ShownRequest,
	setRequestStatus,
	updateRequest,
} from "../sql/requests.ts";
import { lacksApproval } from "./approval-requirement.ts";
import { readContent } from "./content.ts";
import { notifyOfEnd, notifyOfFailedRelaunch, publishRequest } from "./notices.ts";
import { assertJobCapacity, assertRequestOwner, lockVisibleRequest } from "./request-guards.ts";

/** The end of an execution. */
export interface Ended {
	readonly executionId: string;
	readonly requestId: string;
	readonly status: AutomationExecutionStatus;
	/** The reason for a missing job, or for one that could not be followed. */
	readonly error: string | null;
	readonly jobId: number | null;
}
const MAX_WARNINGS = 50;

export async function addRequestWarnings(tx: Tx, id: string, added: readonly AutomationWarning[]): Promise<void> {
	if (added.length === 0) return;
	const row = await findRequestRow(tx.db, id);
	const all = [...(row?.warnings ?? []), ...added].slice(-MAX_WARNINGS);
	await updateRequest(tx, id, { warnings: JSON.stringify(all) });
}

/** Reads the content that the request launches; null if it was deleted. */
export async function readRequestContent(ctx: Context, db: Db, id: string): Promise<RequestContent | null> {
	const row = await findRequestRow(db, id);
	return row === undefined ? null : readContent(ctx, row);
}

export async function ownsRequest(ctx: Context, identity: Identity, id: string): Promise<boolean> {
	const row = await findRequestRow(ctx.store.db, id);
	return row !== undefined && isRequesterOrAdmin(identity, row);
}

/** Sets the request to running for a relaunch of one of its jobs. @throws 403, 404, 409, 429 */
export async function runRequestAgain(ctx: Context, tx: Tx, caller: Caller, id: string): Promise<ShownRequest> {
	const row = await lockVisibleRequest(tx, caller, id);
	assertRequestOwner(caller, row);
	if (row.status === "running") throw buildConflictError("The request is running.", { status: row.status });
	if (await lacksApproval(tx.db, row)) {
		throw buildConflictError(
			"The automation server requires approval, which this request never got. Make a new request.",
			{
				status: row.status,
			},
		);
	}
	await assertJobCapacity(ctx, tx, caller);
	await attachExecution(tx, row, "relaunch", {
		finished_at: null,
		updated_at: getNow(ctx),
	});
	publishRequest(ctx, tx, id);
	return row;
}

/** Records the job of an execution, and warnings of its launch. */
export async function recordLaunchedJob(
	ctx: Context,
	tx: Tx,
	id: string,
	jobId: number,
	warnings: readonly AutomationWarning[],
): Promise<void> {
	await updateRequest(tx, id, { automation_job_id: jobId, updated_at: getNow(ctx) });
	await addRequestWarnings(tx, id, warnings);
	publishRequest(ctx, tx, id);
}

/** Adds the end of a job to the history, with the user who launched it. */
async function recordExecutionEnd(
	ctx: Context,
	tx: Tx,
	row: RequestRow,
	{ executionId, error }: Pick<Ended, "executionId" | "error">,
): Promise<void> {
	const execution = await findExecutionRow(tx.db, executionId);
	await insertRequestEvent(tx, {
		requestId: row.id,
		at: getNow(ctx),
		username: execution?.launched_by ?? row.requested_by,
		action: "ended",
		version: row.version,
		digest: row.rows_digest,
		comment: error ?? "",
		executionId,
	});
}

/** Ends the request when its last open execution has ended. */
export async function endRequest(
	ctx: Context,
	tx: Tx,
	{ executionId, requestId, status, error, jobId }: Ended,
): Promise<void> {
	const row = await lockRequest(tx, requestId);
	if (row === undefined) return;
	await recordExecutionEnd(ctx, tx, row, { executionId, error });
	if (!allowsCause("request", row.status, "end")) return;
	const all = await listRequestExecutions(tx.db, requestId);
	if (all.some((one) => one.id !== executionId && one.finished_at === null)) return;
	const ended = all.find(({ id }) => id === executionId);
	const before = deriveRequestOutcome(all.filter((one) => one.id !== executionId));
	const after = deriveRequestOutcome(all) ?? deriveRequestEnd(status);
	const counts = all.some((one) => one.id === executionId && (one.job_id !== null || one.relaunch_of === null));
	await setRequestStatus(tx, row, "end", after, {
		finished_at: getNow(ctx),
		updated_at: getNow(ctx),
		...(counts ? { launch_error: error } : {}),
		...(jobId === null ? {} : { automation_job_id: jobId }),
		row_counts: ended?.row_counts ? JSON.stringify(ended.row_counts) : null,
	});
	if (row.template_id !== null && before !== after) await countTemplateOutcome(tx, row.template_id, before, after);
	const warnings = ended?.warnings ?? [];
	if (counts) await notifyOfEnd(ctx, tx, row, executionId, { status: after, error, warnings });
	else await notifyOfFailedRelaunch(ctx, tx, row, executionId, error);
	publishRequest(ctx, tx, requestId);
}
