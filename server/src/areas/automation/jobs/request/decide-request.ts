/** Deciding on requests: approve, reject. */
import type { AutomationRequestDetail } from "@weft/contracts";
import { type Context, getNow } from "../../../../context.ts";
import type { Caller } from "../../../../core/caller.ts";
import { buildForbiddenError } from "../../../../core/errors.ts";
import { canDecideRequest } from "../policy.ts";
import { insertRequestEvent } from "../sql/request-events.ts";
import { type ShownRequest, setRequestStatus } from "../sql/requests.ts";
import { type Decision, notifyOfDecision, publishRequest } from "./notices.ts";
import { buildRequestTarget, readRequestDetail } from "./read-requests.ts";
import { assertAction, assertRequestUnchanged, lockVisibleRequest } from "./request-guards.ts";

const VERBS: Readonly<Record<Decision, string>> = {
	approved: "approved",
	rejected: "rejected",
	changes_requested: "requested changes of",
};

function assertDecisionRight(caller: Caller, row: ShownRequest, action: "approve" | "reject"): void {
	if (!canDecideRequest(caller, row)) {
		throw buildForbiddenError(
			row.requested_by_id === caller.userId
				? "You cannot decide on your own request. Ask another approver."
				: row.edited_by_id === caller.userId
					? "You changed this request last, so you cannot decide on it. Ask another approver."
					: "You are not among those who decide on this request.",
		);
	}
	assertAction(row, action);
}

async function decideRequest(
	ctx: Context,
	caller: Caller,
	id: string,
	decision: Decision,
	words: string,
	readAt: Date | null,
): Promise<AutomationRequestDetail> {
	const approved = decision === "approved";
	return ctx.store.transaction(async (tx) => {
		const row = await lockVisibleRequest(tx, caller, id);
		assertDecisionRight(caller, row, approved ? "approve" : "reject");
		assertRequestUnchanged(row, readAt);
		const at = getNow(ctx);
		if (approved) {
			await setRequestStatus(tx, row, "approve", "approved", {
				approved_by: caller.username,
				approved_at: at,
				approval_comment: words || null,
				updated_at: at,
			});
		} else {
			await setRequestStatus(tx, row, "reject", "rejected", {
				rejected_by: caller.username,
				rejected_at: at,
				rejection_reason: words,
				changes_requested: decision === "changes_requested",
				finished_at: at,
				updated_at: at,
			});
		}
		const { version, rows_digest: digest } = row;
		const { username } = caller;
		await insertRequestEvent(tx, {
			requestId: id,
			at,
			username,
			action: decision,
			version,
			digest,
			comment: words,
		});
		await ctx.events.changed(tx, caller, {
			...buildRequestTarget(row),
			description: `${username} ${VERBS[decision]} the automation request "${row.title}" of ${row.requested_by}`,
			metadata: {
				...(approved ? { comment: words } : { reason: words }),
				version,
				digest,
				rows: row.row_count,
				check_mode: row.check_mode,
			},
		});
		await notifyOfDecision(ctx, tx, { ...row, updated_at: at }, username, decision, words);
		publishRequest(ctx, tx, id);
		return readRequestDetail(tx, caller, id);
	});
}

/** `readAt`: `updated_at` of the request that the caller read; null if it is not known. */
export const approveRequest = (ctx: Context, caller: Caller, id: string, comment: string, readAt: Date | null) =>
	decideRequest(ctx, caller, id, "approved", comment.trim(), readAt);

export const rejectRequest = (
	ctx: Context,
	caller: Caller,
	id: string,
	{ reason, changes_requested }: { readonly reason: string; readonly changes_requested: boolean },
	readAt: Date | null,
) => decideRequest(ctx, caller, id, changes_requested ? "changes_requested" : "rejected", reason.trim(), readAt);
