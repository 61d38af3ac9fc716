/** Turns an import's progress into steps: phases in order without gaps, and counts that changed. */
import type { RunPhase } from "@weft/contracts";

/** Phases as the channel calls them. */
export const PHASES: Readonly<Record<RunPhase, "download" | "parse" | "switch" | null>> = {
	init: null,
	downloading: "download",
	importing: "parse",
	finalizing: "switch",
	done: null,
};
const ORDER: readonly RunPhase[] = ["init", "downloading", "importing", "finalizing", "done"];

export interface Progress {
	readonly phase: RunPhase;
	/** Classes of which it is known what became of them. */
	readonly classes: number;
	readonly total: number;
	readonly properties: number;
}

type Step =
	| { readonly kind: "phase"; readonly phase: RunPhase }
	| {
			readonly kind: "count";
			readonly step: "classes" | "properties";
			readonly current: number;
			readonly total: number;
	  };

/**
 * Returns the steps from one state of an import to the next.
 * @param before the state that was sent last; null if none was: then only the present state is sent
 */
export function listStepsBetween(before: Progress | null, now: Progress): Step[] {
	const steps: Step[] = [];
	const at = ORDER.indexOf(now.phase);
	// A resumed import begins anew with an earlier phase.
	const from = before === null ? at - 1 : Math.min(ORDER.indexOf(before.phase), at);
	const counts = (): Step[] => {
		const made: Step[] = [];
		if (now.total > 0 && (before === null || before.classes !== now.classes || before.total !== now.total)) {
			made.push({ kind: "count", step: "classes", current: now.classes, total: now.total });
		}
		return made;
	};
	const passed = ORDER.slice(from + 1, at + 1).filter((phase) => before === null || phase !== before.phase);
	// Counts belong to the download: they precede the next phase.
	if (!passed.includes("downloading")) steps.push(...counts());
	for (const phase of passed) {
		steps.push({ kind: "phase", phase });
		if (phase === "downloading") steps.push(...counts());
		if (phase === "importing") steps.push({ kind: "count", step: "properties", current: 0, total: now.properties });
		if (phase === "finalizing") {
			steps.push({ kind: "count", step: "properties", current: now.properties, total: now.properties });
		}
	}
	return steps;
}
