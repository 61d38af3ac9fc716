/** Constants of automation jobs. */

export const AUTOMATION_EXECUTION_STATUSES = [
	"pending",
	"waiting",
	"running",
	"successful",
	"failed",
	"error",
	"cancelled",
] as const;
export type AutomationExecutionStatus = (typeof AUTOMATION_EXECUTION_STATUSES)[number];

export const ROW_STATUSES = ["ok", "changed", "failed", "skipped", "unreachable", "censored", "unknown"] as const;
export type RowStatus = (typeof ROW_STATUSES)[number];

/** UTF-16 code units that one answer has at most. */
export const OUTPUT_MAX = 10_000_000;
