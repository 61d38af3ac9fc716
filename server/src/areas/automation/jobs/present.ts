/** Requests, executions, output, nodes and results as the wire shows them. */
import {
	type AutomationExecution,
	type AutomationNode,
	type AutomationRequest,
	type AutomationRequestDetail,
	type AutomationRowResult,
	type AutomationRowResults,
	type InputData,
	type RequestHistoryEntry,
	ROW_STATUSES,
	type RowStatus,
} from "@weft/contracts";
import type { Identity } from "../../../core/caller.ts";
import { buildJobUrl } from "../connections/rules/server-pages.ts";
import { showPrompts } from "../templates/rules/prompts.ts";
import { canApprove, canCancel, canEdit, canExecute, canRollback } from "./policy.ts";
import { REPORTING_HINT } from "./rules/outcome.ts";
import type { RequestContent } from "./rules/request-content.ts";
import { RANKS, type RowResult } from "./rules/rows.ts";
import type { NodeRow, ShownExecution } from "./sql/executions.ts";
import type { RequestEventRow } from "./sql/request-events.ts";
import type { ListedRequest, ShownRequest } from "./sql/requests.ts";

const formatIsoTime = (time: Date | null): string | null => time?.toISOString() ?? null;

export function presentExecution(row: ShownExecution): AutomationExecution {
	return {
		id: row.id,
		automation_request: row.request_id,
		automation_request_title: row.request_title,
		template_name: row.template_name,
		kind: row.kind,
		automation_connection: row.connection_id,
		automation_connection_name: row.connection_name,
		automation_job_id: row.job_id,
		automation_job_url: buildJobUrl(row, row.job_id, row.job_type),
		status: row.status,
		launch_state: row.launch_state,
		change_window: row.change_window_id,
		check_mode: row.check_mode,
		progress_percentage: row.progress,
		current_task: row.finished_at === null ? row.current_task : null,
		playbook_counts: { ok: row.ok_count, changed: row.changed_count, failed: row.failed_count },
		started_at: formatIsoTime(row.started_at),
		finished_at: formatIsoTime(row.finished_at),
		// By the server's own measure, as of the last look.
		elapsed_seconds: Math.max(0, Math.floor(row.elapsed)),
		relaunch_of: row.relaunch_of,
		relaunch_count: row.relaunch_count,
		explanation: row.explanation,
		error: row.error,
		cancel_requested_at: formatIsoTime(row.cancel_requested_at),
		cancel_error: row.cancel_error,
		output_complete: row.output_complete,
		lost_events: row.lost_events,
		rows_unknown: row.rows_unknown,
		row_counts: row.row_counts,
		host_count: row.host_count,
		warnings: row.warnings,
		watch: presentSnapshots(row.snapshots),
		launched_by: row.launched_by,
		created_at: row.created_at.toISOString(),
		updated_at: row.updated_at.toISOString(),
	};
}

function presentSnapshots(snapshots: ShownExecution["snapshots"]): AutomationExecution["watch"] {
	const state = (phase: "before" | "after") => {
		const found = snapshots.find((one) => one.phase === phase);
		return found && { status: found.status, snapshot_id: found.snapshot_id, problem: found.problem };
	};
	const [before, after, [any]] = [state("before"), state("after"), snapshots];
	if (before === undefined || after === undefined || any === undefined) return null;
	return { saved_query_id: any.query_id, controller_connection_id: any.controller_id, before, after };
}

export const presentNode = (row: NodeRow): AutomationNode => ({
	id: row.node_id,
	identifier: row.identifier,
	job_id: row.job_id,
	name: row.name,
	status: row.status,
	elapsed: row.elapsed,
	depends_on: row.depends_on,
	parent_id: row.parent_id,
	type: row.job_type ?? "",
});

/** The result of each row on each host; rows without a result are included. */
export function presentRows(
	execution: Pick<ShownExecution, "id" | "finished_at" | "warnings">,
	content: RequestContent | null,
	results: readonly RowResult[],
	/** Items of loops that the job hides. */
	hidden: number,
): AutomationRowResults {
	const isOver = execution.finished_at !== null;
	const resultsByRow = new Map<string, RowResult[]>();
	for (const result of results) {
		const key = `${result.sheet}|${result.row_index}`;
		const known = resultsByRow.get(key);
		if (known === undefined) resultsByRow.set(key, [result]);
		else known.push(result);
	}
	const summary = Object.fromEntries(ROW_STATUSES.map((status) => [status, 0])) as Record<RowStatus, number>;
	const rows = (content?.sheets ?? []).flatMap(({ name, rows: sent }) =>
		sent.flatMap((_, row_index): AutomationRowResult[] => {
			const found = resultsByRow.get(`${name ?? ""}|${row_index}`);
			if (found === undefined) {
				const status = isOver && hidden > 0 ? "censored" : "unknown";
				summary[status]++;
				return [{ row_index, sheet: name, status, host: null, message: formatMessage(status, isOver) }];
			}
			const worst = found.reduce((rank, one) => Math.max(rank, one.rank), -1);
			summary[RANKS[worst] ?? "unknown"]++;
			return found.map(({ rank, host, message }) => ({
				row_index,
				sheet: name,
				status: RANKS[rank] ?? "unknown",
				host: host || null,
				message,
			}));
		}),
	);
	const hint = isOver && summary.unknown + summary.censored > 0 ? REPORTING_HINT : null;
	return { execution_id: execution.id, rows, summary, warnings: execution.warnings, hint };
}

function formatMessage(status: "censored" | "unknown", isOver: boolean): string {
	if (status === "censored")
		return "The job hides the items of its loops (no_log), and with them the result of this row.";
	return isOver ? "The job reported no result for this row." : "The job has not reported a result for this row yet.";
}

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
		row_counts: row.row_counts,
		input_source: row.input_source,
		requested_by: row.requested_by,
		requested_at: row.requested_at.toISOString(),
		automation_job_id: row.automation_job_id,
		check_mode: row.check_mode,
		scheduled_for: formatIsoTime(row.scheduled_for),
		held_by: row.held_by_freeze === null ? null : { freeze: row.held_by_freeze },
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
		change_plan: row.change_plan_id,
		change_plan_name: row.change_plan_name,
		change_plan_revision: row.change_plan_revision,
		change_window: row.change_window_id,
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
	execution: row.execution,
	request: row.request,
});
