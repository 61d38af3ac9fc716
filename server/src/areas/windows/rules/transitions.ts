/** The states of a change window: its moves, and the time of its next automatic move. */
import type { WindowState } from "@weft/contracts";

const MOVES = {
	submit: ["draft"],
	approve: ["waiting"],
	reject: ["waiting"],
	start: ["planned"],
	retry: ["blocked"],
	override: ["blocked"],
	/** While the window settles, a second `finish` judges the next round. */
	finish: ["open", "settling"],
	recheck: ["judged"],
	cancel: ["draft", "waiting", "planned", "checking_before", "blocked", "open"],
	sign: ["judged"],
	accept: ["judged"],
	expect: ["draft", "waiting", "planned", "checking_before", "blocked", "open", "settling", "judged"],
	/** Attaches and removes results of the pre-upgrade script. */
	evidence: ["draft", "waiting", "planned", "checking_before", "blocked", "open", "settling", "judged"],
	edit: ["draft", "waiting", "planned"],
	/** Changes title and ticket, on which the verdict does not depend. */
	rename: ["draft", "waiting", "planned", "checking_before", "blocked", "open", "settling", "judged"],
	remove: ["draft", "cancelled", "expired"],
} as const satisfies Record<string, readonly WindowState[]>;
export type Move = keyof typeof MOVES;

export const canLeave = (move: Move, state: WindowState): boolean =>
	(MOVES[move] as readonly WindowState[]).includes(state);

/** Whether plan, connections and expectations may change. */
export const isBeforeStart = (state: WindowState): boolean => MOVES.edit.includes(state as "draft");

/** Whether the work has not ended, so that jobs may begin in the window. */
export const isBeforeEnd = (state: WindowState): boolean => MOVES.cancel.includes(state as "draft");

/** Whether the window can no longer change. */
export const isOver = (state: WindowState): state is "closed" | "cancelled" | "expired" =>
	state === "closed" || state === "cancelled" || state === "expired";

/** Without an end, settling begins this many milliseconds after the window opened. */
const OPEN_MS = 24 * 3_600_000;

interface Timed {
	readonly state: WindowState;
	readonly starts_at: Date | null;
	readonly ends_at: Date | null;
	readonly auto_start: boolean;
	readonly round_at: Date | null;
	readonly phase_at: Date | null;
	readonly opened_at: Date | null;
	readonly plan: { readonly before_timeout_s?: number };
}

/** Returns the time of the next automatic move; null if there is none. */
export function computeNextAt(window: Timed): Date | null {
	const { state, starts_at, ends_at, auto_start, round_at, phase_at, opened_at, plan } = window;
	switch (state) {
		case "planned":
			return findEarliest(auto_start ? starts_at : null, ends_at);
		case "checking_before":
			return findEarliest(round_at ?? addSeconds(phase_at, plan.before_timeout_s), ends_at);
		case "blocked":
			return ends_at;
		case "open":
			return ends_at ?? (opened_at === null ? null : new Date(opened_at.getTime() + OPEN_MS));
		case "settling":
			return round_at;
		default:
			return null;
	}
}

const addSeconds = (at: Date | null, seconds: number | undefined): Date | null =>
	at === null || seconds === undefined ? null : new Date(at.getTime() + seconds * 1_000);

function findEarliest(a: Date | null, b: Date | null): Date | null {
	if (a === null || b === null) return a ?? b;
	return a < b ? a : b;
}
