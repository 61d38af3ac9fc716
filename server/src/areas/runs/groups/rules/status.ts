/** The status of a group execution, from the runs on its connections. */
import type { GroupRunStatus, GroupStatus } from "@weft/contracts";

export const isOpen = (status: GroupRunStatus): boolean => status === "pending" || status === "running";

/** Whether a retry starts the run again. */
export const isRetried = (status: GroupRunStatus): boolean => status === "failed" || status === "cancelled";

/** Whether the result lacks rows that the connection may have. */
export const isMissing = (status: GroupRunStatus): boolean => status !== "completed" && status !== "unsupported";

/**
 * A release that lacks a class has no such objects: its answer is complete. Where no connection has
 * the class, the query is wrong.
 * @param isCancelled whether the whole was cancelled, as opposed to single runs
 */
export function groupStatus(runs: readonly GroupRunStatus[], isCancelled: boolean): GroupStatus {
	if (runs.some(isOpen)) return "running";
	if (isCancelled) return "cancelled";
	if (!runs.includes("completed")) return runs.every((status) => status === "cancelled") ? "cancelled" : "failed";
	return runs.some(isMissing) ? "partial" : "completed";
}
