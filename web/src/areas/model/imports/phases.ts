/**
 * Steps of an import. Socket frames and answers name them differently; unknown names are "Working".
 */
export const STEPS = ["Fetching classes", "Building the model", "Putting it into use"] as const;

const OF_ANSWER: Readonly<Record<string, number>> = { init: 0, downloading: 0, importing: 1, finalizing: 2, done: 3 };
const OF_SOCKET: Readonly<Record<string, number>> = { download: 0, parse: 1, switch: 2 };

/** Index of the current step; the number of steps at the end; null for an unknown name. */
export const stepOfPhase = (phase: string): number | null => OF_ANSWER[phase] ?? OF_SOCKET[phase] ?? null;

export const isUnderWay = (state: string): boolean => ["pending", "running", "cancelling"].includes(state);
