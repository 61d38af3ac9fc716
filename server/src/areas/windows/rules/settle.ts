/** Decides whether the fabric has settled after the work, and which step follows a round. */
import { type PlanItem, type PlanSettle, WINDOW_LIMITS } from "@weft/contracts";

/** The state of one item of one connection in a round. */
export interface SettleItem {
	/** Whether this round captured the item. Otherwise its earlier state stands. */
	readonly isCaptured: boolean;
	/** Whether the capture is complete. */
	readonly isComplete: boolean;
	/** Whether it equals the previous round; null in the first round after the work. */
	readonly isSame: boolean | null;
	readonly unsettledRows: number;
	/** Number of comparisons without a difference, up to the previous round. */
	readonly stableBefore: number;
}

/** Counts the comparisons without a difference in a row, including this round. */
export function countStable(one: SettleItem): number {
	if (!one.isCaptured) return one.stableBefore;
	if (!one.isComplete || one.unsettledRows > 0 || one.isSame === false) return 0;
	return one.isSame === null ? 0 : one.stableBefore + 1;
}

/** Whether an item is only reported and never judged, so that no round waits for it. */
export function isRecorded(items: readonly PlanItem[], index: number): boolean {
	const item = items[index];
	return item !== undefined && "query" in item && item.compare === "record";
}

/** @param isReported whether the item is only reported, so that no round waits for it */
export const isSettled = (stable: number, isReported: boolean, settle: PlanSettle): boolean =>
	isReported || stable >= settle.stable_rounds;

export interface RoundEnd {
	readonly isCommon: boolean;
	readonly allSettled: boolean;
	/** Whether a user asked to judge the next common round. */
	readonly judgeNow: boolean;
	/** Number of rounds since the work ended, including this one. */
	readonly rounds: number;
	/** Milliseconds from the end of the work to the end of this round. */
	readonly elapsedMs: number;
	readonly settle: PlanSettle;
}

/**
 * `judge`: the round is judged. `judge_if_passed`: the round is judged if it passes; otherwise
 * rounds continue, because a missing change may still happen. `common`: one round of all items
 * follows at once. `again`: another round follows after the interval.
 */
export type NextStep = "judge" | "judge_if_passed" | "common" | "again";

export function decideNextStep(end: RoundEnd): NextStep {
	const { isCommon, allSettled, judgeNow, rounds, elapsedMs, settle } = end;
	const isLast = judgeNow || elapsedMs >= settle.timeout_s * 1_000 || rounds >= WINDOW_LIMITS.rounds - 1;
	if (isLast) return isCommon ? "judge" : "common";
	if (!allSettled) return "again";
	return isCommon ? "judge_if_passed" : "common";
}
