/** What the times of the start page mean. */
import type { ServiceHealth } from "@weft/contracts";

/** An answer that takes longer is one, but not in time for people who wait for others that build on it. */
const SLOW_MS = 500;
const DAY_MS = 24 * 3_600_000;

/** Of something that answered. */
export const healthOf = (tookMs: number): ServiceHealth => (tookMs <= SLOW_MS ? "healthy" : "degraded");

export const sevenDaysBefore = (now: number): number => now - 7 * DAY_MS;
