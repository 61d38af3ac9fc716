/** When the fabric has settled after the work: what a round after it leads to. */
import { type PlanSettle, WINDOW_LIMITS } from "@weft/contracts";

/** What one item of one connection said in a round. */
export interface SettleItem {
	readonly item: number;
	readonly connectionId: string;
	/** Whether it was captured in this round; else what it said before holds. */
	readonly isCaptured: boolean;
	/** Whether the capture is complete. */
	readonly isComplete: boolean;
	/** Whether it is the same as in the round before; null in the first round after the work. */
	readonly isSame: boolean | null;
	readonly unsettledRows: number;
	/** Comparisons without a difference, up to the round before. */
	readonly stableBefore: number;
	/** It is reported and never judged, so that it does not hold anything up. */
	readonly isRecorded: boolean;
}

/** Comparisons with the round before without a difference, with this round. */
export function countStable(one: SettleItem): number {
	if (!one.isCaptured) return one.stableBefore;
	if (!one.isComplete || one.unsettledRows > 0 || one.isSame === false) return 0;
	return one.isSame === null ? 0 : one.stableBefore + 1;
}

export const isSettled = (stable: number, isRecorded: boolean, settle: PlanSettle): boolean =>
	isRecorded || stable >= settle.stable_rounds;

export interface RoundEnd {
	readonly isCommon: boolean;
	readonly allSettled: boolean;
	/** A person wants the next common round to be judged. */
	readonly judgeNow: boolean;
	/** Rounds since the work ended, with this one. */
	readonly rounds: number;
	/** Since the work ended, at the end of this round. */
	readonly elapsedMs: number;
	readonly settle: PlanSettle;
}

/**
 * `judge`: the round is judged, whatever it says. `judge_if_passed`: it is judged if it passes;
 * else rounds go on, because a missing change may still come. `common`: one round of all items
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
