/** States of the steps of the first setup. */
import type { SetupState } from "@weft/contracts";

/** Returns `done` for a step that is done, even if it was left out before. */
export const getStepState = (isDone: boolean, isSkipped: boolean): SetupState =>
	isDone ? "done" : isSkipped ? "skipped" : "open";
