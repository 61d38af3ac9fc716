/** Constants of webhooks. */

/** `json` is Weft's own; the others are those of incoming webhooks of Slack and Microsoft Teams. */
export const WEBHOOK_FORMATS = ["json", "slack", "teams"] as const;
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];
/** Webhooks of one user, and shared ones. */
export const WEBHOOKS_MAX = 20;
