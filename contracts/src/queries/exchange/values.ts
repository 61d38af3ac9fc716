/** Constants of queries as one document. */

export const EXCHANGE_FORMAT = "weft-queries";
export const EXCHANGE_VERSION = 1;
export const EXCHANGE_LIMITS = { queries: 1_000, body: 32 * 1024 * 1024 } as const;
export const IMPORT_CONFLICTS = ["skip", "rename", "replace"] as const;
export const IMPORT_STATUSES = ["created", "renamed", "replaced", "skipped", "invalid"] as const;
