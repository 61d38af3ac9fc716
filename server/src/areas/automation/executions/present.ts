/** Executions, output, nodes and results as the wire shows them. */
import {
	type AutomationExecution,
	type AutomationNode,
	type AutomationRowResult,
	type AutomationRowResults,
	ROW_STATUSES,
	type RowStatus,
} from "@weft/contracts";
import { REPORTING_HINT } from "./domain/outcome.ts";
import type { RequestContent } from "./domain/request-content.ts";
import { RANKS, type RowResult } from "./domain/rows.ts";
import type { NodeRow, ShownExecution } from "./repo.ts";

const formatIsoTime = (time: Date | null): string | null => time?.toISOString() ?? null;

/**
 * The job's page for people: AWX has it behind a hash, the platform of release 2.5 and later under
 * `execution`.
 */
function jobUrl(baseUrl: string | null, apiRoot: string | null, jobId: number | null, jobType: string | null): string {
	if (baseUrl === null || jobId === null) return "";
	const base = baseUrl.replace(/\/api(\/controller)?(\/v[12])?$/, "");
	const word = jobType === "workflow_job" ? "workflow" : "playbook";
	const behind = apiRoot?.includes("/controller/") ? "execution/" : "#/";
	return `${base}/${behind}jobs/${word}/${jobId}/output`;
}

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
		automation_job_url: jobUrl(row.base_url, row.api_root, row.job_id, row.job_type),
		status: row.status,
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
		host_count: row.host_count,
		warnings: row.warnings,
		watch: getSnapshots(row.snapshots),
		launched_by: row.launched_by,
		created_at: row.created_at.toISOString(),
		updated_at: row.updated_at.toISOString(),
	};
}

function getSnapshots(snapshots: ShownExecution["snapshots"]): AutomationExecution["watch"] {
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
	return isOver ? "The job reported no result for this row." : "Nothing is known of this row yet.";
}
