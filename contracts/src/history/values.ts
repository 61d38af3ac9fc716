/** Constants of snapshots. */

export const SNAPSHOT_PAGE_SIZE = 25;
export const SNAPSHOT_MAX_PAGE_SIZE = 100;

export const EXECUTION_TYPES = ["manual", "scheduled"] as const;

/** A snapshot without its rows. */
export const SNAPSHOT_ORIGINS = ["run", "client"] as const;
export type SnapshotOrigin = (typeof SNAPSHOT_ORIGINS)[number];

export const RETENTION_POLICIES = ["days", "count", "unlimited"] as const;

export const CLEANUP_PREVIEW = 500;

export const COMPARE_FORMATS = ["json", "ndjson", "csv", "html", "summary"] as const;
export type CompareFormat = (typeof COMPARE_FORMATS)[number];

export const ATTRIBUTION_REASONS = ["no_record", "rotated", "not_readable"] as const;
export type AttributionReason = (typeof ATTRIBUTION_REASONS)[number];

export const TIMELINE_LIMIT = 20;
export const TIMELINE_MAX_LIMIT = 100;

export const TIMELINE_MAX_DNS = 20;

export const BLAME_LIMIT = 500;
export const BLAME_MAX_LIMIT = 2000;
