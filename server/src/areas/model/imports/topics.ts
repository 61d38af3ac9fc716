/** What an import is known by in the queue and to its listeners. */
export const IMPORT_QUEUE = "model_import";

/** Published whenever an import has changed. */
export const importTopic = (runId: string): string => `model-import:${runId}`;

/**
 * Published there when it is to be cancelled: its worker need not wait for the next renewal of its
 * lease.
 */
export const STOP = "stop";
