/** The server's words for the state of a job, and when a job is over. */
import type { AutomationExecutionStatus } from "@weft/contracts";

const KNOWN: Readonly<Record<string, AutomationExecutionStatus>> = {
	new: "pending",
	pending: "pending",
	waiting: "waiting",
	running: "running",
	successful: "successful",
	failed: "failed",
	error: "error",
	canceled: "cancelled",
	cancelled: "cancelled",
};

const FINAL: readonly AutomationExecutionStatus[] = ["successful", "failed", "error", "cancelled"];
export const isFinal = (status: AutomationExecutionStatus): boolean => FINAL.includes(status);

const LOST = /^Task was marked as \w+ (at system start up|but was not present in the job queue)/;

/** Whether an explanation says that the server lost the job: its events are never complete. */
export const isLost = (explanation: string): boolean => LOST.test(explanation);

/** Null for a status of no known release; the job is then polled again. */
export const readStatus = (word: string): AutomationExecutionStatus | null => KNOWN[word] ?? null;

/**
 * The status that is shown while a job is not over. A final status waits for the job's events:
 * until they are complete, the job is shown as running.
 */
export function shownStatus(
	word: string,
	before: AutomationExecutionStatus,
	complete: boolean,
): AutomationExecutionStatus {
	const status = readStatus(word);
	if (status === null) return before;
	if (!isFinal(status) || complete) return status;
	return before === "pending" || before === "waiting" ? before : "running";
}
