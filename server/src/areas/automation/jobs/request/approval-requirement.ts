/** Requests that need approval: found, and made to wait for it. */
import { type Context, getNow } from "../../../../context.ts";
import type { Db, Tx } from "../../../../core/ports/store.ts";
import { readApprovalRules } from "../../connections/approval.ts";
import { isApprovalRequired } from "../../connections/rules/approval-rules.ts";
import { allowsCause } from "../rules/states.ts";
import { listPendingRequests, lockRequest, type RequestRow, setRequestStatus } from "../sql/requests.ts";
import type { TemplateSnapshot } from "./content.ts";
import { notifyApprovers, publishRequest } from "./notices.ts";

/** Whether the request was never approved although it, or its automation server, requires it. */
export async function lacksApproval(db: Db, row: RequestRow): Promise<boolean> {
	if (row.approved_at !== null) return false;
	const { automation_job_template_id: serverId } = row.template_snapshot as TemplateSnapshot;
	return row.requires_approval || isApprovalRequired(await readApprovalRules(db), row.connection_id, serverId);
}

/** Makes a locked request that is not launched wait for approval, and notifies its approvers. */
export async function askApproval(
	ctx: Context,
	tx: Tx,
	row: RequestRow,
	cause: "require_approval" | "execute" | "retry",
): Promise<void> {
	await setRequestStatus(tx, row, cause, "awaiting_approval", {
		requires_approval: true,
		finished_at: null,
		launch_error: null,
		updated_at: getNow(ctx),
	});
	await notifyApprovers(ctx, tx, { ...row, updated_at: getNow(ctx) });
	publishRequest(ctx, tx, row.id);
}

async function askApprovals(ctx: Context, tx: Tx, ids: readonly string[]): Promise<void> {
	for (const id of ids) {
		const row = await lockRequest(tx, id);
		if (row !== undefined && allowsCause("request", row.status, "require_approval"))
			await askApproval(ctx, tx, row, "require_approval");
	}
}

/** Makes pending requests of a template that now requires approval wait for it. */
export async function askApprovalForTemplate(ctx: Context, tx: Tx, templateId: string): Promise<void> {
	const rows = await listPendingRequests(tx.db, templateId);
	await askApprovals(
		ctx,
		tx,
		rows.map(({ id }) => id),
	);
}

/** Makes pending requests wait for approval whose automation server now requires it. */
export async function askApprovalForConnections(ctx: Context, tx: Tx): Promise<void> {
	const rules = await readApprovalRules(tx.db);
	const rows = await listPendingRequests(tx.db, null);
	const strict = rows.filter((row) => isApprovalRequired(rules, row.connection_id, row.server_template_id));
	await askApprovals(
		ctx,
		tx,
		strict.map(({ id }) => id),
	);
}
