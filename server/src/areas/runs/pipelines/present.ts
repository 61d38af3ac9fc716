/** Wire shapes of runs, stages and frames. */
import type { PipelineJob, PipelineStage, pipelineDetail } from "@weft/contracts";
import type * as z from "zod";
import type { SourceFrame } from "../../../core/ws/hub.ts";
import type { FoundRun, FrameRow, NodeResult, RunRow, StageRow } from "./sql/runs.ts";

export const buildResultsUrl = (jobId: string): string => `/api/queries/pipeline-executions/${jobId}/results/`;

const formatIsoTime = (time: Date | null): string | null => time?.toISOString() ?? null;
const computeElapsedMs = (from: Date | null, to: Date | null): number | null =>
	from === null || to === null ? null : Math.max(0, to.getTime() - from.getTime());

/** Percentage of a run whose rows are all there and whose end is not recorded yet. */
const ALMOST_DONE = 99;

/** The run before its end: all stages are over, and nothing says how it ended. */
const hideEnd = (row: RunRow): RunRow => ({
	...row,
	status: "running",
	completed_at: null,
	total_rows: null,
	errors: [],
});

export function presentJob(found: RunRow | FoundRun): PipelineJob {
	const isRecording = "is_recording" in found && found.is_recording;
	const row = isRecording ? hideEnd(found) : found;
	const percentage = Math.max(row.progress, Math.floor((100 * row.completed_stages) / row.total_stages));
	return {
		id: row.id,
		status: row.status,
		execution_mode: "pipeline",
		total_stages: row.total_stages,
		completed_stages: row.completed_stages,
		failed_stages: row.failed_stages,
		current_stage_index: row.current_stage_index,
		progress_percentage: isRecording ? Math.min(ALMOST_DONE, percentage) : percentage,
		created_at: row.created_at.toISOString(),
		started_at: formatIsoTime(row.started_at),
		completed_at: formatIsoTime(row.completed_at),
		execution_time_ms: computeElapsedMs(row.started_at, row.completed_at),
		errors: row.errors,
		controller_connection_id: row.controller_connection_id,
		controller_connection_name: row.controller_connection_name,
		saved_query_id: row.saved_query_id,
		query_name: row.query_name,
		query_version: row.query_version,
		results_url: buildResultsUrl(row.id),
		total_rows: row.total_rows,
	};
}

export function presentStage(row: StageRow): PipelineStage {
	return {
		index: row.index,
		node_ids: row.node_ids,
		class_name: row.class_name,
		status: row.status,
		inject_mode: row.inject_mode,
		inputs: { source_stages: row.source_stages, value_count: row.value_count, sample: row.value_sample },
		outputs: { result_count: row.result_count, sample: row.result_sample },
		request_count: row.request_count,
		queries: row.queries,
		member_url: row.member_url,
		started_at: formatIsoTime(row.started_at),
		completed_at: formatIsoTime(row.completed_at),
		execution_time_ms: computeElapsedMs(row.started_at, row.completed_at),
		error: row.error,
	};
}

export function presentDetail(
	job: FoundRun,
	stages: readonly StageRow[],
	nodeResults: readonly NodeResult[],
): z.infer<typeof pipelineDetail> {
	return {
		...presentJob(job),
		stages: stages.map(presentStage),
		node_results: [...nodeResults],
		member_url: stages.findLast(({ member_url }) => member_url !== null)?.member_url ?? null,
		snapshot_id: job.is_recording ? null : job.snapshot_id,
	};
}

export function presentFrame(row: FrameRow): SourceFrame {
	return { type: row.type, timestamp: row.created_at, data: row.data };
}
