/** The queue of evaluations across connections. */
export const ACROSS_QUEUE = "checks.across";

export interface AcrossTask {
	readonly queryId: string;
}
