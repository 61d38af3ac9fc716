/** States of a check on a connection. */
import type { CheckState } from "@weft/contracts";
import { CHECK_STATES } from "@weft/contracts";

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
}

export const createStanding = (since: Date): Standing => ({
	state: "unknown",
	since,
	violations: 0,
	violatedRuns: 0,
	error: null,
});

/** The standing after an evaluation. */
export function computeNextState(before: Standing, finding: Finding, forRuns: number, now: Date): Standing {
	const found = getState(before, finding, forRuns);
	return { ...found, since: found.state === before.state ? before.since : now };
}

function getState(before: Standing, finding: Finding, forRuns: number): Omit<Standing, "since"> {
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

/** `unknown` where there is none. */
export const findWorst = (states: readonly CheckState[]): CheckState =>
	states.length === 0
		? "unknown"
		: states.reduce((a, b) => (CHECK_STATES.indexOf(b) > CHECK_STATES.indexOf(a) ? b : a));
