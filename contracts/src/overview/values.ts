/** Constants of the overview. */

/** `not_configured`: this service has none. */
export const SERVICE_HEALTH = ["healthy", "degraded", "down", "not_configured"] as const;
export type ServiceHealth = (typeof SERVICE_HEALTH)[number];
