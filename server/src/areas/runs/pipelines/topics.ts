/** The queue of runs, and the topics on which their viewers and workers hear of them. */
export const PIPELINE_QUEUE = "pipeline";
export const getPipelineTopic = (jobId: string): string => `pipeline:${jobId}`;
/** Published when a request ends a run, so that its worker stops before the next renewal. */
export const ENDED = "ended";
