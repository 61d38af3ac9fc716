/** The transitions of a request, and the statuses from which each is allowed. */
import type { RequestStatus } from "@weft/contracts";

export type Transition = "approve" | "reject" | "execute" | "retry" | "rollback" | "cancel" | "edit";

const FROM: Readonly<Record<Transition, readonly RequestStatus[]>> = {
	approve: ["awaiting_approval"],
	reject: ["awaiting_approval"],
	execute: ["pending", "approved"],
	retry: ["failed", "cancelled"],
	rollback: ["successful", "failed"],
	cancel: ["awaiting_approval", "approved", "pending", "running"],
	edit: ["awaiting_approval", "pending", "rejected"],
};

export const canTransition = (status: RequestStatus, transition: Transition): boolean =>
	FROM[transition].includes(status);

const WORDS: Readonly<Record<RequestStatus, string>> = {
	awaiting_approval: "is waiting for approval",
	approved: "has been approved",
	rejected: "has been rejected",
	pending: "has not been executed yet",
	running: "is running",
	successful: "has ended well",
	failed: "has failed",
	cancelled: "has been cancelled",
};

/** Why a transition is refused, as a message for users. */
export const explainRefusedTransition = (status: RequestStatus, transition: Transition): string =>
	`The request ${WORDS[status]}; ${transition} is possible for requests that are ${FROM[transition].join(" or ")}.`;

export const isOver = (status: RequestStatus): boolean =>
	["rejected", "successful", "failed", "cancelled"].includes(status);

/** Maps the final status of an execution to the status of its request. */
export function statusAfter(execution: string): Extract<RequestStatus, "successful" | "failed" | "cancelled"> {
	if (execution === "successful" || execution === "cancelled") return execution;
	return "failed";
}

/** What of an execution decides on the outcome of its request. */
export interface Ran {
	readonly status: string;
	readonly finished_at: Date | null;
	readonly job_id: number | null;
	readonly relaunch_of: string | null;
}

/**
 * The outcome of a request: that of its last launch that is over. A job that was to be launched
 * again, and never was, changes nothing. Null before the first end.
 * @param executions in the order in which they were made
 */
export function getOutcome(executions: readonly Ran[]): ReturnType<typeof statusAfter> | null {
	const last = executions.findLast(
		({ finished_at, job_id, relaunch_of }) => finished_at !== null && (job_id !== null || relaunch_of === null),
	);
	return last === undefined ? null : statusAfter(last.status);
}
