/** The topic that is published when a change window has moved, or a run of it has ended. */
export const getWindowTopic = (id: string): string => `change-window:${id}`;

/** The queue of rounds to evaluate. */
export const ROUND_QUEUE = "change_windows.round";

/** The queue of rollbacks after a failed verdict. */
export const ROLLBACK_QUEUE = "change_windows.rollback";
