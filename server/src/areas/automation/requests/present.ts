/** Requests as the wire shows them. */
import type { AutomationRequest, AutomationRequestDetail, InputData, RequestHistoryEntry } from "@weft/contracts";
import type { Identity } from "../../../core/caller.ts";
import { showPrompts } from "../templates/domain/prompts.ts";
import { canApprove, canCancel, canEdit, canExecute, canRollback } from "./policy.ts";
import type { ListedRequest, ShownRequest } from "./repo.ts";
import type { RequestEventRow } from "./repo-events.ts";

const formatIsoTime = (time: Date | null): string | null => time?.toISOString() ?? null;

export function presentRequest(row: ListedRequest | ShownRequest, identity: Identity): AutomationRequest {
	return {
		id: row.id,
		title: row.title,
		description: row.description,
		status: row.status,
		template: row.template_id,
		template_name: row.template_name,
		automation_connection: row.connection_id,
		automation_connection_name: row.connection_name,
		target_controller: row.target_controller_id,
		target_controller_name: row.target_controller_name,
		automation_credential_id: row.credential_id,
		automation_credential_name: row.credential_name,
		input_data: row.input_data as InputData | null,
		row_count: row.row_count,
		input_source: row.input_source,
		requested_by: row.requested_by,
		requested_at: row.requested_at.toISOString(),
		automation_job_id: row.automation_job_id,
		check_mode: row.check_mode,
		scheduled_for: formatIsoTime(row.scheduled_for),
		approved_by: row.approved_by,
		approved_at: formatIsoTime(row.approved_at),
		approval_comment: row.approval_comment,
		rejected_by: row.rejected_by,
		rejected_at: formatIsoTime(row.rejected_at),
		rejection_reason: row.rejection_reason,
		changes_requested: row.changes_requested,
		version: row.version,
		rows_digest: row.rows_digest,
		requires_approval: row.requires_approval,
		idempotency_key: row.idempotency_key,
		launch_error: row.launch_error,
		warnings: row.warnings,
		watch_query_id: row.watch_query_id,
		...showPrompts(row.prompts),
		rollback_of: row.rollback_of,
		can_rollback: row.has_rollback && canRollback(identity, row),
		executions_total: row.executions_total,
		can_execute: canExecute(identity, row),
		can_cancel: canCancel(identity, row),
		can_approve: canApprove(identity, row),
		can_edit: canEdit(identity, row),
		started_at: formatIsoTime(row.started_at),
		finished_at: formatIsoTime(row.finished_at),
		created_at: row.created_at.toISOString(),
		updated_at: row.updated_at.toISOString(),
	};
}

export const presentDetail = (row: ShownRequest, identity: Identity): AutomationRequestDetail => ({
	...presentRequest(row, identity),
	template_snapshot: row.template_snapshot as Record<string, unknown>,
});

export const presentEvent = (row: RequestEventRow): RequestHistoryEntry => ({
	at: row.at.toISOString(),
	user: row.username,
	action: row.action,
	version: row.version,
	changes: [...row.changes],
	changes_total: row.changes_total,
	comment: row.comment,
	digest: row.digest,
});
