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

/** Rows of a request by their result, for a copy of it. */
export const COPIED_ROWS = ["all", "failed", "unknown"] as const;

export const VALIDATION_STATES = ["PENDING", "PROGRESS", "SUCCESS", "FAILURE"] as const;

export const SNAPSHOT_CHANGES = ["added", "modified", "deleted"] as const;
export type SnapshotChange = (typeof SNAPSHOT_CHANGES)[number];
