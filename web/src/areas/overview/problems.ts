/** The present problems, which the strip and the list of the overview share. */
import { dashboardRoutes } from "@weft/contracts/browser";
import { useAnswer } from "../../platform/call.ts";

const EVERY_MS = 60_000;
const FRESH_MS = 5_000;

export const useProblems = () =>
	useAnswer(dashboardRoutes.problems, undefined, { staleTime: FRESH_MS, every: EVERY_MS });
