/** Constants of the feed of changes. */

export const CHANGE_KINDS = ["added", "deleted", "modified"] as const;
export type ObjectChangeKind = (typeof CHANGE_KINDS)[number];

export const CHANGE_LIMITS = {
	/** Characters of a value; a longer one is cut and ends with an ellipsis. */
	value: 500,
	/** Attributes of one change as one query saw it; the others are counted. */
	attributes: 200,
	/** Persons, tenants and classes of a summary, those with the most changes; totals count all. */
	named: 100,
	/** Persons of each connection in a summary. */
	connectionUsers: 5,
	/** Most important changes that a summary lists. */
	important: 20,
	/** Periods of a summary. */
	buckets: 1_000,
} as const;

export const CHANGE_BUCKETS = ["hour", "day"] as const;
export type ChangeBucket = (typeof CHANGE_BUCKETS)[number];
