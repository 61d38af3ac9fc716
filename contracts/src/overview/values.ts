/** Constants of the overview. */

/** `not_configured`: this service has none. */
export const SERVICE_HEALTH = ["healthy", "degraded", "down", "not_configured"] as const;
export type ServiceHealth = (typeof SERVICE_HEALTH)[number];

/** Severities of active faults of a fabric, the worst first. */
export const FAULT_SEVERITIES = ["critical", "major", "minor", "warning", "info"] as const;
export type FaultSeverity = (typeof FAULT_SEVERITIES)[number];

export const PROBLEM_LIMITS = {
	/** Checks that are listed. */
	checks: 4,
	/** Connections that are listed, of each kind. */
	connections: 20,
} as const;
