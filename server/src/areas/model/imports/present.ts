/** Imports and their progress as the interface shows them. */
import type { ImportJob, ImportRun } from "@weft/contracts";
import type { SourceFrame } from "../../../core/ws/hub.ts";
import { splitClassName } from "../../../integrations/class-documents/port.ts";
import type { VersionRow } from "../sql/versions.ts";
import { listStepsBetween, PHASES, type Progress } from "./rules/progress.ts";
import { isActive, type JobRow, type RunRow } from "./sql/imports.ts";

const formatIsoTime = (time: Date | null): string | null => time?.toISOString() ?? null;
const countFinishedClasses = (row: RunRow): number => row.completed_count + row.not_found_count + row.failed_count;

/** Speed and remaining seconds (null if unknown), computed since the import was last taken up. */
function computeSpeed(row: RunRow, now: number): Pick<ImportRun, "speed" | "eta_seconds"> {
	const seconds = row.taken_up_at === null ? 0 : (now - row.taken_up_at.getTime()) / 1000;
	const done = countFinishedClasses(row) - row.taken_up_count;
	if (!isActive(row.state) || row.phase !== "downloading" || seconds <= 0 || done <= 0) {
		return { speed: 0, eta_seconds: null };
	}
	const speed = done / seconds;
	return {
		speed: Math.round(speed * 10) / 10,
		eta_seconds: Math.max(0, Math.ceil((row.total_classes - countFinishedClasses(row)) / speed)),
	};
}

export const presentRun = (row: RunRow, version: VersionRow | undefined, now: number): ImportRun => ({
	id: row.id,
	version_key: row.version_key,
	controller_version: row.controller_version,
	source: row.source,
	controller_connection_id: row.controller_connection_id,
	state: row.state,
	phase: row.phase,
	total_classes: row.total_classes,
	completed_count: row.completed_count,
	fallback_count: row.fallback_count,
	not_found_count: row.not_found_count,
	failed_count: row.failed_count,
	property_count: row.property_count,
	concurrency: row.concurrency,
	created_at: row.created_at.toISOString(),
	started_at: formatIsoTime(row.started_at),
	finished_at: formatIsoTime(row.finished_at),
	core_ready_at: formatIsoTime(row.core_ready_at),
	error_summary: row.error_summary,
	cancel_requested: row.cancel_requested,
	started_by_username: row.started_by_username,
	...computeSpeed(row, now),
	version_id: version?.id ?? null,
	is_active: version?.is_active ?? false,
});

export function presentJob(row: JobRow): ImportJob {
	const [pkg, short] = splitClassName(row.class_name) ?? ["", row.class_name];
	return {
		id: row.id,
		class_pkg: pkg,
		class_name: short,
		qualified_name: `${pkg}:${short}`,
		state: row.state,
		source_version: row.source_version,
		attempted_versions: row.attempted_versions,
		http_status_last: row.http_status_last,
		last_error: row.last_error,
		retry_count: row.retry_count,
		updated_at: row.updated_at.toISOString(),
	};
}

export const getProgress = (row: RunRow): Progress => ({
	phase: row.phase,
	classes: countFinishedClasses(row),
	total: row.total_classes,
	properties: row.property_count,
});

const MESSAGES = {
	download: "Fetching the documents of the classes",
	parse: "Building the model",
	switch: "Putting the model into use",
} as const;

/**
 * The frames that tell how an import came from one state to another; only the last one of an import
 * that has ended.
 */
export function buildFrames(before: Progress | null, row: RunRow, now: number): SourceFrame[] {
	const timestamp = new Date(now);
	const last = buildFinalFrame(row, row.finished_at ?? timestamp);
	if (last !== null && before === null) return [last];
	const frames: SourceFrame[] = [];
	for (const step of listStepsBetween(before, getProgress(row))) {
		if (step.kind === "phase") {
			const phase = PHASES[step.phase];
			if (phase !== null) frames.push({ type: "phase", timestamp, data: { phase, message: MESSAGES[phase] } });
		} else {
			const { step: what, current, total } = step;
			frames.push({ type: "progress", timestamp, data: { step: what, current, total } });
		}
	}
	return last === null ? frames : [...frames, last];
}

function buildFinalFrame(row: RunRow, timestamp: Date): SourceFrame | null {
	if (row.state === "completed") {
		const duration_ms = Math.max(0, timestamp.getTime() - row.created_at.getTime());
		const data = {
			version: row.controller_version,
			classes: row.completed_count,
			properties: row.property_count,
			duration_ms,
		};
		return { type: "import_complete", timestamp, data };
	}
	if (row.state === "failed") return { type: "import_failed", timestamp, data: { error: row.error_summary } };
	if (row.state === "cancelled") return { type: "import_failed", timestamp, data: { error: "cancelled" } };
	return null;
}
