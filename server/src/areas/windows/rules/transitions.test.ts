/** The states of a change window: the moves of each, and the time of its next move. */
import { WINDOW_STATES, type WindowState } from "@weft/contracts";
import { describe, expect, it } from "vitest";
import { canLeave, computeNextAt, isBeforeEnd, isBeforeStart, isOver, type Move } from "./transitions.ts";

const UNTIL_JUDGED: readonly WindowState[] = WINDOW_STATES.slice(0, WINDOW_STATES.indexOf("closed"));
const BEFORE_END: readonly WindowState[] = WINDOW_STATES.slice(0, WINDOW_STATES.indexOf("settling"));
const listStates = (test: (state: WindowState) => boolean): readonly WindowState[] => WINDOW_STATES.filter(test);

describe("canLeave", () => {
	it.each<[Move, readonly WindowState[]]>([
		["submit", ["draft"]],
		["approve", ["waiting"]],
		["reject", ["waiting"]],
		["start", ["planned"]],
		["retry", ["blocked"]],
		["override", ["blocked"]],
		["finish", ["open", "settling"]],
		["recheck", ["judged"]],
		["accept", ["judged"]],
		["sign", ["judged"]],
		["cancel", BEFORE_END],
		["expect", UNTIL_JUDGED],
		["evidence", UNTIL_JUDGED],
		["rename", UNTIL_JUDGED],
		["edit", ["draft", "waiting", "planned"]],
		["remove", ["draft", "cancelled", "expired"]],
	])("allows the move %s only in its states", (move, states) => {
		expect(listStates((state) => canLeave(move, state))).toEqual(states);
	});

	it("leaves a window that is closed as it is", () => {
		const moves: readonly Move[] = ["finish", "recheck", "cancel", "sign", "accept", "expect", "evidence", "rename"];
		for (const state of ["closed", "cancelled", "expired"] as const)
			expect(moves.filter((move) => canLeave(move, state))).toEqual([]);
	});
});

it("knows which states are before the start, before the end and over", () => {
	expect(listStates(isBeforeStart)).toEqual(["draft", "waiting", "planned"]);
	expect(listStates(isBeforeEnd)).toEqual(BEFORE_END);
	expect(listStates(isOver)).toEqual(["closed", "cancelled", "expired"]);
});

describe("computeNextAt", () => {
	const [early, start, opened, round, end] = [8, 9, 10, 11, 12].map((hour) => new Date(Date.UTC(2026, 0, 15, hour)));
	const WINDOW = {
		state: "planned" as WindowState,
		starts_at: start ?? null,
		ends_at: end ?? null,
		auto_start: false,
		round_at: null,
		phase_at: null,
		opened_at: null,
		plan: {},
	};

	it.each<[string, object, Date | null | undefined]>([
		["its end for a planned window", {}, end],
		["its start for a planned window that starts by itself", { auto_start: true }, start],
		["its end where that is before the start", { auto_start: true, ends_at: early }, early],
		["nothing for a planned window without an end", { ends_at: null }, null],
		["the start of a planned window without an end", { auto_start: true, ends_at: null }, start],
		["the round before the work", { state: "checking_before", round_at: round }, round],
		["the end of a window whose round before the work runs", { state: "checking_before" }, end],
		[
			"the bound of the round before the work, where the plan has one",
			{ state: "checking_before", phase_at: opened, plan: { before_timeout_s: 3_600 } },
			round,
		],
		["the end where that is before the round", { state: "checking_before", round_at: round, ends_at: early }, early],
		["the end of a blocked window", { state: "blocked", round_at: round }, end],
		["nothing for a blocked window without an end", { state: "blocked", ends_at: null }, null],
		["the end of an open window", { state: "open", opened_at: opened }, end],
		[
			"24 hours after the opening of a window without an end",
			{ state: "open", opened_at: opened, ends_at: null },
			new Date(Date.UTC(2026, 0, 16, 10)),
		],
		["the next round of a settling window, also after its end", { state: "settling", round_at: round }, round],
		["nothing while the round of a settling window runs", { state: "settling" }, null],
		...(["draft", "waiting", "judged", "closed", "cancelled", "expired"] as const).map(
			(state): [string, object, null] => [`nothing for a window that is ${state}`, { state, auto_start: true }, null],
		),
	])("returns %s", (_title, fields, expected) => {
		expect(computeNextAt({ ...WINDOW, ...fields })).toEqual(expected);
	});
});
