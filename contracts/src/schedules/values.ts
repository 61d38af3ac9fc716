/** Constants of scheduled tasks. */

export const FREQUENCIES = ["once", "minutes", "hourly", "daily", "weekly", "monthly"] as const;
export type Frequency = (typeof FREQUENCIES)[number];
/** Minutes between two runs of the frequency `minutes`; each divides the hour. */
export const INTERVAL_MINUTES = [5, 10, 15, 20, 30] as const;
export type IntervalMinutes = (typeof INTERVAL_MINUTES)[number];
export const TASK_STATUSES = ["active", "paused", "disabled"] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];
export const EXECUTION_STATUSES = ["pending", "running", "success", "failed", "cancelled"] as const;
export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number];
/** How a run ended, over all its connections; `partial`: some succeeded and some did not. */
export const RUN_OUTCOMES = ["success", "partial", "failed", "cancelled"] as const;
export type RunOutcome = (typeof RUN_OUTCOMES)[number];
