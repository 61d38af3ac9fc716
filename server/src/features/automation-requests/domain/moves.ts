/** Which status a request may go to, and by what. */
import type { RequestStatus } from "@weft/contracts";

export type Move = "approve" | "reject" | "execute" | "retry" | "rollback" | "cancel" | "edit";

const FROM: Readonly<Record<Move, readonly RequestStatus[]>> = {
	approve: ["awaiting_approval"],
	reject: ["awaiting_approval"],
	execute: ["pending", "approved"],
	retry: ["failed", "cancelled"],
	rollback: ["successful", "failed"],
	cancel: ["awaiting_approval", "approved", "pending", "running"],
	edit: ["awaiting_approval", "pending"],
};

export const mayMove = (status: RequestStatus, move: Move): boolean => FROM[move].includes(status);

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

/** Why not, for people. */
export const refusal = (status: RequestStatus, move: Move): string =>
	`The request ${WORDS[status]}; ${move} is possible for requests that are ${FROM[move].join(" or ")}.`;

export const isOver = (status: RequestStatus): boolean =>
	["rejected", "successful", "failed", "cancelled"].includes(status);

/** The request's status for how its execution ended. */
export function statusAfter(execution: string): Extract<RequestStatus, "successful" | "failed" | "cancelled"> {
	if (execution === "successful" || execution === "cancelled") return execution;
	return "failed";
}
