/** The outcome of a run's rows as a snapshot, for the areas that write it down. */
import type { Captured } from "./captures.ts";
import type { BaselineDrifts, RunDrift } from "./workers/drift.ts";

export interface NoSnapshot {
	readonly kind: "none";
	readonly reason: string;
}

/** Null if no snapshot was requested or the run did not complete. */
export type SnapshotOutcome =
	/**
	 * `drift`: since the latest snapshot of a run, null if there is none; those that clients captured
	 * do not count.
	 */
	| {
			readonly kind: "stored";
			readonly id: string;
			readonly drift: RunDrift | null;
			readonly baselines: BaselineDrifts;
	  }
	/** The rows equal those of the latest snapshot. */
	| { readonly kind: "unchanged"; readonly id: string; readonly baselines: BaselineDrifts }
	| NoSnapshot
	| null;

export const explainNoSnapshot = (reason: string): NoSnapshot => ({ kind: "none", reason });

export function getSnapshotOutcome({ answer, drift, baselines }: Captured): SnapshotOutcome {
	if (answer.success) {
		return "snapshot_id" in answer
			? { kind: "stored", id: answer.snapshot_id, drift, baselines }
			: { kind: "unchanged", id: answer.previous_snapshot_id, baselines };
	}
	if (answer.error === "snapshot_too_large") {
		return explainNoSnapshot(`The result has ${answer.size_mb} MB; the limit is ${answer.limit_mb} MB.`);
	}
	return explainNoSnapshot(answer.reason);
}
