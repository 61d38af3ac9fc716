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

/**
 * intent: nothing was sent; waiting_before: nothing is sent before its change window opens;
 * blocked: the gate of the window did not pass; sending: it may have been sent; launched: the job
 * is known; ended: there is no job.
 */
export const LAUNCH_STATES = ["intent", "waiting_before", "blocked", "sending", "launched", "ended"] as const;
export type LaunchState = (typeof LAUNCH_STATES)[number];

export const ROW_STATUSES = ["ok", "changed", "failed", "skipped", "unreachable", "censored", "unknown"] as const;
export type RowStatus = (typeof ROW_STATUSES)[number];

/** UTF-16 code units that one answer has at most. */
export const OUTPUT_MAX = 10_000_000;
