/** Constants of runs. */

export const PIPELINE_STATUSES = ["pending", "running", "completed", "failed", "cancelled"] as const;
export const STAGE_STATUSES = ["pending", "running", "completed", "failed", "skipped", "cancelled"] as const;
export const EXPORT_FORMATS = ["csv", "json", "ndjson"] as const;
export type PipelineStatus = (typeof PIPELINE_STATUSES)[number];
export type StageStatus = (typeof STAGE_STATUSES)[number];
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
