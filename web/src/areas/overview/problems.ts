/** The present problems, which the strip asks for and other parts of the overview share. */
import { dashboardRoutes } from "@weft/contracts/browser";
import { useAnswer } from "../../platform/call.ts";

const EVERY_MS = 60_000;

/** Asks anew each time that the overview is opened: a run may have failed a moment ago. */
export const useProblems = () => useAnswer(dashboardRoutes.problems, undefined, { staleTime: 0, every: EVERY_MS });

/** The problems that the strip has read. Sends no request. */
export const useKnownProblems = () => useAnswer(dashboardRoutes.problems, undefined, { enabled: false });
