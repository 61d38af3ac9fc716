/** Constants of drift. */

export const DRIFT_LIMITS = {
	/** Entries of each list, and of `severity`. */
	entries: 200,
	/** Characters of a pattern, class or attribute. */
	length: 200,
	/** Patterns of `ignore_dns`, which every changed object is matched with. */
	dnPatterns: 20,
} as const;

/** Of drift and of violated checks, ascending. */
export const FINDING_SEVERITIES = ["info", "warning", "critical"] as const;
export type FindingSeverity = (typeof FINDING_SEVERITIES)[number];

/** The drift rules that an empty object means. */
export const DEFAULT_DRIFT_RULES = {
	ignore: [] as string[],
	ignore_volatile: true,
	ignore_classes: [] as string[],
	ignore_dns: [] as string[],
	severity: {} as Record<string, FindingSeverity>,
	treat_as_set: [] as string[],
};
