/** Names of the queues of executions. */
export const LAUNCH_QUEUE = "automation.launch";
export const CANCEL_QUEUE = "automation.cancel";
