/** Constants of the model's versions and imports. */

export const RUN_STATES = ["pending", "running", "completed", "cancelling", "cancelled", "failed"] as const;
export type RunState = (typeof RUN_STATES)[number];
export const RUN_PHASES = ["init", "downloading", "importing", "finalizing", "done"] as const;
export type RunPhase = (typeof RUN_PHASES)[number];
export const JOB_STATES = ["pending", "in-progress", "done", "not_found", "failed"] as const;
export type JobState = (typeof JOB_STATES)[number];
export const MODEL_SOURCES = ["remote", "folder", "controller"] as const;
export type ModelSourceName = (typeof MODEL_SOURCES)[number];
/** Failed jobs in the answer of a run. */
export const FAILED_RECENT = 25;
