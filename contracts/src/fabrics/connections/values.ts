/** Constants of controller connections. */

/** Seconds. Values outside the range are clamped. */
export const CONNECTION_TIMEOUT = { fallback: 30, min: 5, max: 300 } as const;

/**
 * `partial`: it has lost members of its cluster; `down`: it did not answer; `unknown`: it was not
 * asked yet. Only members that are `ok` or `unknown` are asked.
 */
export const MEMBER_STATES = ["ok", "partial", "standby", "down", "other_fabric", "unknown"] as const;
