/** Constants of numbers over time. */

/** How the rows of a snapshot become one number. */
export const SERIES_VALUES = ["count", "sum", "avg", "min", "max", "distinct"] as const;
export type SeriesValue = (typeof SERIES_VALUES)[number];
export const SERIES_STEPS = ["snapshot", "hour", "day"] as const;
export type SeriesStep = (typeof SERIES_STEPS)[number];
export const SERIES_EXPORTS = ["csv", "openmetrics"] as const;
export type SeriesExport = (typeof SERIES_EXPORTS)[number];

export const SERIES_LIMITS = {
	/** Groups of an answer. */
	groups: 100,
	defaultGroups: 20,
	/** Groups of one snapshot; a snapshot with more has no numbers. */
	groupsPerSnapshot: 1_000,
	/** Points of an answer, over all its groups. */
	points: 500_000,
	/** Definitions of one history that are kept; the one that was used least recently goes first. */
	definitions: 50,
} as const;
