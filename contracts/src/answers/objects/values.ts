/** Constants of single objects. */

/** In the order in which attributes are shown. */
export const ATTRIBUTE_KINDS = ["naming", "configurable", "operational", "identity", "time"] as const;
export type AttributeKind = (typeof ATTRIBUTE_KINDS)[number];

export const OBJECT_CHANGES = ["added", "deleted", "modified"] as const;
export type ObjectChange = (typeof OBJECT_CHANGES)[number];

export const OBJECT_LIMITS = {
	/** Changes of an answer: the newest. */
	changes: 50,
	relations: 500,
	checks: 200,
	/** Other connections that have an object of the same name. */
	elsewhere: 50,
	histories: 100,
} as const;

/** Parts of an answer that have a limit and no total. */
export const OBJECT_PARTS = ["changes", "checks", "elsewhere", "histories"] as const;
export type ObjectPart = (typeof OBJECT_PARTS)[number];
