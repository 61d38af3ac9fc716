/** States of the steps of the first setup. */
import type { SetupState } from "@weft/contracts";

/** A step that is done counts as done, even if it was left out before. */
export const getStepState = (isDone: boolean, isSkipped: boolean): SetupState =>
	isDone ? "done" : isSkipped ? "skipped" : "open";
