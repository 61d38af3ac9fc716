/**
 * After a failed verdict: asks for the rollback of the requests whose jobs ran in the window, and
 * launches it where the approval of the window named it. Each step is looked up before it is taken,
 * so that the task may be delivered any number of times.
 */
import type { Context } from "../../context.ts";
import { type Caller, type Identity, isAllowed } from "../../core/caller.ts";
import { AppError } from "../../core/errors.ts";
import { findIdentity } from "../accounts/sign-in/create-sessions.ts";
import { executeRequest } from "../automation/jobs/launch/launch-request.ts";
import { approveRequest } from "../automation/jobs/request/decide-request.ts";
import { rollBackRequest } from "../automation/jobs/request/roll-back-request.ts";
import { listWindowJobs } from "../automation/jobs/sql/held-launches.ts";
import { findRequestRow, findWindowRollback, type RequestRow } from "../automation/jobs/sql/requests.ts";
import { moveWindow, SERVICE_ACTOR } from "./move-window.ts";
import { findWindowRow, lockWindowRow, type WindowRow } from "./sql/windows.ts";

const buildCaller = (identity: Identity, action: string): Caller => ({
	...identity,
	requestId: "",
	ip: "",
	userAgent: "",
	audit: { category: "automation_management", action },
});

async function findCaller(ctx: Context, userId: number | null, action: string): Promise<Caller | null> {
	const identity = userId === null ? null : await findIdentity(ctx, userId);
	return identity === null ? null : buildCaller(identity, action);
}

const recordRollback = (ctx: Context, windowId: string, detail: string): Promise<void> =>
	ctx.store.transaction(async (tx) => {
		const window = await lockWindowRow(tx, windowId);
		if (window === undefined) return;
		await moveWindow(ctx, tx, window, SERVICE_ACTOR, { event: "rollback", detail, verb: "rolled back jobs of" });
	});

/** Safe to call any number of times, and concurrently. */
export async function rollBackJobs(ctx: Context, windowId: string): Promise<void> {
	const window = await findWindowRow(ctx.store.db, windowId);
	if (window === undefined || window.verdict !== "failed" || window.plan.after_failure === "notify") return;
	const jobs = await listWindowJobs(ctx.store.db, windowId);
	const ids = new Set(jobs.flatMap(({ job_id, request_id }) => (job_id === null ? [] : [request_id])));
	// The last change is undone first.
	for (const id of [...ids].reverse()) {
		const request = await findRequestRow(ctx.store.db, id);
		if (request === undefined || request.check_mode) continue;
		try {
			await rollBackJob(ctx, window, request);
		} catch (error) {
			if (!(error instanceof AppError) || error.status >= 500) throw error;
			await recordRollback(ctx, windowId, `No rollback of "${request.title}": ${error.message}`);
		}
	}
}

async function rollBackJob(ctx: Context, window: WindowRow, request: RequestRow): Promise<void> {
	const requester = await findCaller(ctx, request.requested_by_id, "automation_request_rollback");
	if (requester === null)
		return recordRollback(ctx, window.id, `No rollback: ${request.requested_by} is not active any more.`);
	let rollback = await findWindowRollback(ctx.store.db, request.id, window.id);
	if (rollback === undefined) {
		await rollBackRequest(ctx, requester, request.id, {}, window.id);
		rollback = await findWindowRollback(ctx.store.db, request.id, window.id);
		await recordRollback(ctx, window.id, `The rollback of "${request.title}" awaits approval.`);
	}
	if (rollback !== undefined && window.plan.after_failure === "launch_rollback")
		await launchRollback(ctx, window, { request: rollback, requester });
}

/**
 * The approval of the window is that of the rollback, if the person may approve requests and is
 * not the requester. Otherwise the rollback waits for its approvers.
 */
async function launchRollback(
	ctx: Context,
	window: WindowRow,
	{ request, requester }: { readonly request: RequestRow; readonly requester: Caller },
): Promise<void> {
	if (request.status === "awaiting_approval") {
		const approver = await findCaller(ctx, window.approved_by_id, "automation_request_approve");
		if (approver === null || approver.userId === request.requested_by_id) return;
		if (!isAllowed(approver, "approve_automationrequest")) return;
		const comment = `With the approval of the change window "${window.title}".`;
		await approveRequest(ctx, approver, request.id, comment, request.updated_at);
	} else if (request.status !== "approved" || request.approved_by !== window.approved_by) return;
	if (!isAllowed(requester, "launch_automationrequest"))
		return recordRollback(ctx, window.id, `${request.requested_by} may not launch the rollback any more.`);
	await executeRequest(ctx, requester, request.id, undefined, { isNamedRollback: true });
	await recordRollback(ctx, window.id, `The rollback "${request.title}" was launched.`);
}
