/** Thresholds of the start page. */
import type { ServiceHealth } from "@weft/contracts";

/** A slower answer, in milliseconds, counts as degraded. */
const SLOW_MS = 500;
const DAY_MS = 24 * 3_600_000;

/** The health of a store that answered. */
export const getHealth = (tookMs: number): ServiceHealth => (tookMs <= SLOW_MS ? "healthy" : "degraded");

export const getSevenDaysBefore = (now: number): number => now - 7 * DAY_MS;

/** Milliseconds without a report after which a process counts as gone. */
const SILENT_NODE_MS = 90_000;

export const isNodeAlive = (seenAt: number, now: number): boolean => now - seenAt <= SILENT_NODE_MS;
