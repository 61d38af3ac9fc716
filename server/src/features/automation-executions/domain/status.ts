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

/** Null for words that no release has had so far: whoever says them is asked again. */
export const readStatus = (word: string): AutomationExecutionStatus | null => KNOWN[word] ?? null;

/**
 * What is shown of a job while it is not over. A final state waits for the job's events: until they are there it runs on.
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
