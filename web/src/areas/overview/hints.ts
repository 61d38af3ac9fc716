/** Fetched together, after the page: what a person sees in the first days only. */
export { FirstSteps } from "./first-steps.tsx";
export { ZoneHint } from "./zone-hint.tsx";
