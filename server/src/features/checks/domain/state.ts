/** States of a check on a connection. */
import type { CheckState, FindingSeverity } from "@weft/contracts";
import { CHECK_STATES } from "@weft/contracts";
import { NOTICE_SEVERITY } from "../../../platform/notice-severity.ts";

/** What an evaluation found. */
export type Finding =
	| { readonly kind: "holds" }
	| { readonly kind: "violated"; readonly violations: number }
	/** The run failed, or the rows could not be evaluated. */
	| { readonly kind: "failed"; readonly error: string }
	/** There is nothing to compare with yet. */
	| { readonly kind: "undecided"; readonly reason: string };

export interface Standing {
	readonly state: CheckState;
	readonly since: Date;
	readonly violations: number;
	/** Runs in a row that violate the check. A failed run neither counts nor breaks the row. */
	readonly violatedRuns: number;
	readonly error: string | null;
	/** The problem that the owner was notified of and that is not over. */
	readonly told: "failing" | "error" | null;
}

export const newStanding = (since: Date): Standing => ({
	state: "unknown",
	since,
	violations: 0,
	violatedRuns: 0,
	error: null,
	told: null,
});

/** A notification of a transition. */
export interface Alert {
	readonly kind: "failing" | "error" | "recovered";
	readonly severity: "info" | "warning" | "error";
}

/**
 * The standing after an evaluation, and the alert for the check's owner.
 * @param rule `isMuted`: there is no alert
 */
export function nextState(
	before: Standing,
	finding: Finding,
	rule: { readonly forRuns: number; readonly severity: FindingSeverity; readonly isMuted: boolean },
	now: Date,
): { readonly after: Standing; readonly alert: Alert | null } {
	const found = stateOf(before, finding, rule.forRuns);
	const isTransition = found.state !== before.state;
	const alert = isTransition && !rule.isMuted ? alertOf(before, found.state, rule.severity) : null;
	return {
		after: {
			...found,
			since: isTransition ? now : before.since,
			told: toldAfter(before.told, found.state, alert),
		},
		alert,
	};
}

function stateOf(before: Standing, finding: Finding, forRuns: number): Omit<Standing, "since" | "told"> {
	switch (finding.kind) {
		case "holds":
			return { state: "ok", violations: 0, violatedRuns: 0, error: null };
		case "failed":
			return { state: "error", violations: 0, violatedRuns: before.violatedRuns, error: finding.error };
		case "undecided":
			return { state: "unknown", violations: 0, violatedRuns: 0, error: finding.reason };
		case "violated": {
			const violatedRuns = before.violatedRuns + 1;
			// A check that is failing stays so when its `for_runs` is raised.
			const isFailing = before.state === "failing" || violatedRuns >= forRuns;
			return { state: isFailing ? "failing" : "pending", violations: finding.violations, violatedRuns, error: null };
		}
	}
}

function alertOf({ state, told }: Standing, to: CheckState, severity: FindingSeverity): Alert | null {
	if (to === "failing") return { kind: "failing", severity: NOTICE_SEVERITY[severity] };
	if (to === "error") return { kind: "error", severity: "warning" };
	const isRecovery = to === "ok" && (state === "failing" || told !== null);
	return isRecovery ? { kind: "recovered", severity: "info" } : null;
}

function toldAfter(before: Standing["told"], to: CheckState, alert: Alert | null): Standing["told"] {
	if (to === "ok") return null;
	return alert !== null && alert.kind !== "recovered" ? alert.kind : before;
}

/** `unknown` where there is none. */
export const worstOf = (states: readonly CheckState[]): CheckState =>
	states.length === 0
		? "unknown"
		: states.reduce((a, b) => (CHECK_STATES.indexOf(b) > CHECK_STATES.indexOf(a) ? b : a));
