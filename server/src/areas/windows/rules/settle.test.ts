/** The settle loop after the work: stable rounds of an item, and the step after a round. */
import { planItem, WINDOW_LIMITS } from "@weft/contracts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
	countStable,
	decideNextStep,
	isRecorded,
	isSettled,
	type NextStep,
	type RoundEnd,
	type SettleItem,
} from "./settle.ts";

const SETTLE = { delay_s: 0, interval_s: 10, stable_rounds: 2, timeout_s: 120 };
/** An item that equals its previous round, after one comparison without a difference. */
const SAME: SettleItem = { isCaptured: true, isComplete: true, isSame: true, unsettledRows: 0, stableBefore: 1 };
const ID = "01890000-0000-7000-8000-000000000001";

describe("countStable", () => {
	it.each<[string, Partial<SettleItem>, number]>([
		["counts one more for a round that equals the previous one", {}, 2],
		["begins anew at a difference", { isSame: false }, 0],
		["begins anew at an incomplete capture", { isComplete: false }, 0],
		["begins anew at rows that are not settled", { unsettledRows: 1 }, 0],
		["counts nothing for the first round after the work", { isSame: null, stableBefore: 0 }, 0],
		["keeps the number of an item that the round left out", { isCaptured: false, isSame: null, stableBefore: 3 }, 3],
		["keeps the number of a left-out item without a capture", { isCaptured: false, isComplete: false }, 1],
	])("%s", (_title, fields, expected) => {
		expect(countStable({ ...SAME, ...fields })).toBe(expected);
	});

	it("never exceeds the number of rounds since the last difference", () => {
		const rounds = fc.array(fc.record({ isSame: fc.boolean(), isComplete: fc.boolean(), rows: fc.nat(1) }));
		fc.assert(
			fc.property(rounds, (all) => {
				const count = all.reduce(
					(stableBefore, { isSame, isComplete, rows }) =>
						countStable({ isCaptured: true, isComplete, isSame, unsettledRows: rows, stableBefore }),
					0,
				);
				const last = all.findLastIndex(({ isSame, isComplete, rows }) => !isSame || !isComplete || rows > 0);
				expect(count).toBe(all.length - 1 - last);
			}),
		);
	});
});

describe("isSettled", () => {
	it.each([
		["one comparison fewer than the plan wants", 1, false, false],
		["as many comparisons as the plan wants", 2, false, true],
		["more comparisons than the plan wants", 3, false, true],
		["an item that is only reported", 0, true, true],
	])("decides on %s", (_title, stable, isReported, expected) => {
		expect(isSettled(stable, isReported, SETTLE)).toBe(expected);
	});
});

describe("isRecorded", () => {
	const items = [{ query: ID, compare: "record" }, { query: ID }, { check: ID }].map((one) => planItem.parse(one));

	it("holds for a query that is only reported, and for no other item", () => {
		expect([0, 1, 2, 3].map((index) => isRecorded(items, index))).toEqual([true, false, false, false]);
	});
});

describe("decideNextStep", () => {
	const END: RoundEnd = {
		isCommon: true,
		allSettled: false,
		judgeNow: false,
		rounds: 3,
		elapsedMs: 30_000,
		settle: SETTLE,
	};
	const timeoutMs = SETTLE.timeout_s * 1_000;

	it.each<[string, Partial<RoundEnd>, NextStep]>([
		["another round while items are not settled", {}, "again"],
		["another round of the items that are not settled", { isCommon: false }, "again"],
		["a round of all items once they have settled apart", { isCommon: false, allSettled: true }, "common"],
		["the verdict, if it is good, once all have settled in a common round", { allSettled: true }, "judge_if_passed"],
		["another round one millisecond before the timeout", { elapsedMs: timeoutMs - 1 }, "again"],
		["the verdict at the timeout", { elapsedMs: timeoutMs }, "judge"],
		["a round of all items at the timeout", { isCommon: false, elapsedMs: timeoutMs }, "common"],
		["the verdict for settled items at the timeout", { allSettled: true, elapsedMs: timeoutMs }, "judge"],
		["the verdict as soon as a user wants it", { judgeNow: true }, "judge"],
		["a round of all items as soon as a user wants the verdict", { judgeNow: true, isCommon: false }, "common"],
		["another round two before the limit", { rounds: WINDOW_LIMITS.rounds - 2 }, "again"],
		["the verdict in time for the limit of rounds", { rounds: WINDOW_LIMITS.rounds - 1 }, "judge"],
		[
			"a round of all items as the last that the limit allows",
			{ rounds: WINDOW_LIMITS.rounds - 1, isCommon: false },
			"common",
		],
	])("chooses %s", (_title, fields, expected) => {
		expect(decideNextStep({ ...END, ...fields })).toBe(expected);
	});

	it("never judges a round that left out an item while others are not settled", () => {
		const end = fc.record({
			isCommon: fc.constant(false),
			allSettled: fc.constant(false),
			judgeNow: fc.boolean(),
			rounds: fc.integer({ min: 1, max: WINDOW_LIMITS.rounds }),
			elapsedMs: fc.nat(2 * timeoutMs),
			settle: fc.constant(SETTLE),
		});
		const steps: readonly NextStep[] = ["again", "common"];
		fc.assert(fc.property(end, (one) => steps.includes(decideNextStep(one))));
	});
});
