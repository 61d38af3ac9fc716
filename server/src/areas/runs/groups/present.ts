/** Wire shapes of group executions and of their frames. */
import type { GroupAbsence, GroupExecution, GroupRun } from "@weft/contracts";
import type { SourceFrame } from "../../../core/ws/hub.ts";
import { isMissing } from "./rules/status.ts";
import type { GroupRow, GroupRunRow } from "./sql.ts";

const buildResultsUrl = (id: string): string => `/api/queries/group-executions/${id}/results/`;

function getError({ status, errors }: GroupRunRow): string | null {
	if (status === "cancelled") return "The run was cancelled.";
	if (status !== "failed" && status !== "unsupported") return null;
	return errors.map(({ message }) => message).join("; ") || "The run failed.";
}

const presentRun = (run: GroupRunRow): GroupRun => ({
	controller_connection_id: run.connection_id,
	controller_connection_name: run.connection_name,
	pipeline_job_id: run.job_id,
	status: run.status,
	total_rows: run.total_rows,
	error: getError(run),
});

export const presentGroup = (row: GroupRow, runs: readonly GroupRunRow[]): GroupExecution => ({
	id: row.id,
	status: row.status,
	saved_query_id: row.saved_query_id,
	query_name: row.query_name,
	query_version: row.query_version,
	connection_group: row.connection_group_id,
	hidden_count: row.hidden_count,
	total_rows: row.total_rows,
	created_at: row.created_at.toISOString(),
	completed_at: row.completed_at?.toISOString() ?? null,
	results_url: buildResultsUrl(row.id),
	runs: runs.map(presentRun),
});

/** @param labels of the runs, in the same order */
export function presentAbsences(runs: readonly GroupRunRow[], labels: readonly string[]) {
	const of = (isWanted: (run: GroupRunRow) => boolean): GroupAbsence[] =>
		runs.flatMap((run, i) => (isWanted(run) ? { connection: labels[i] ?? "", error: getError(run) ?? "" } : []));
	return { partial: of(({ status }) => isMissing(status)), unsupported: of(({ status }) => status === "unsupported") };
}

export const presentRunFrame = (run: GroupRunRow, timestamp: Date): SourceFrame => ({
	type: "run_status",
	timestamp,
	data: { controller_connection_id: run.connection_id, status: run.status, total_rows: run.total_rows },
});

export const presentEnd = ({ id, status, total_rows }: GroupRow, timestamp: Date): SourceFrame => ({
	type: "group_complete",
	timestamp,
	data: { status, total_rows: total_rows ?? 0, results_url: buildResultsUrl(id) },
});
