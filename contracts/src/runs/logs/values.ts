/** Constants of the log of executions. */

export const EXECUTION_LOG_ORDERINGS = ["executed_at", "execution_time_ms"] as const;
