/** Fetched together: what the overview shows beside the lists that the frame has anyway. */
export { Attention } from "./attention.tsx";
export { ProblemStrip } from "./problem-strip.tsx";
export { SinceYesterday } from "./since-yesterday.tsx";
