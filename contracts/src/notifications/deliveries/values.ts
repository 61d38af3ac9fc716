/** Constants of deliveries. */

export const DELIVERY_CHANNELS = ["email", "digest", "webhook"] as const;
export const DELIVERY_STATES = ["pending", "delivered", "failed", "cancelled"] as const;
