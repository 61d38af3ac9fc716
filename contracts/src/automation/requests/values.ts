/** Constants of automation requests. */

export const REQUEST_STATUSES = [
	"awaiting_approval",
	"approved",
	"rejected",
	"pending",
	"running",
	"successful",
	"failed",
	"cancelled",
] as const;
export type RequestStatus = (typeof REQUEST_STATUSES)[number];

/** The statuses of a request that is over. */
export const FINAL_REQUEST_STATUSES: readonly RequestStatus[] = ["rejected", "successful", "failed", "cancelled"];

/** Rows of a request by their result, for a copy of it. */
export const COPIED_ROWS = ["all", "failed", "unknown"] as const;

/** The entries of a request's history. */
export const REQUEST_ACTIONS = [
	"created",
	"changed",
	"approved",
	"rejected",
	"changes_requested",
	"commented",
	"launched",
	/** The launch on schedule was refused; the comment gives the reason. */
	"launch_refused",
	"cancelled",
	"ended",
	"rolled_back",
] as const;
export type RequestAction = (typeof REQUEST_ACTIONS)[number];

export const REQUEST_HISTORY_LIMITS = {
	/** Versions of one request. */
	versions: 50,
	/** Comments on one request. */
	comments: 200,
	/** Characters of a comment, and of an approver's words. */
	comment: 2_000,
	/** Changes that an entry lists; `changes_total` counts all. */
	changes: 200,
	/** Bytes of an earlier version; of a larger one only its changes are stored. */
	version: 5 * 1024 * 1024,
} as const;

export const VALIDATION_STATES = ["PENDING", "PROGRESS", "SUCCESS", "FAILURE"] as const;

export const SNAPSHOT_CHANGES = ["added", "modified", "deleted"] as const;
export type SnapshotChange = (typeof SNAPSHOT_CHANGES)[number];
