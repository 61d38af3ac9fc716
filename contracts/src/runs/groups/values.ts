/** Constants of group runs. */

export const GROUP_STATUSES = ["running", "completed", "partial", "failed", "cancelled"] as const;
/** `unsupported`: the connection's release does not have a class of the query. */
export const GROUP_RUN_STATUSES = ["pending", "running", "completed", "failed", "cancelled", "unsupported"] as const;
export type GroupStatus = (typeof GROUP_STATUSES)[number];
export type GroupRunStatus = (typeof GROUP_RUN_STATUSES)[number];
