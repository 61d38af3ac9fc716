/** Constants of checks. */

export const CHECK_TYPES = [
	"row_count",
	"no_rows",
	"each_row",
	"unchanged",
	"same_everywhere",
	"unique",
	"trend",
] as const;
export type CheckType = (typeof CHECK_TYPES)[number];
/** Types whose rows of all connections are evaluated together: one state for all of them. */
export const CHECK_TYPES_ACROSS: readonly CheckType[] = ["same_everywhere", "unique"];
/** From the best to the worst. */
export const CHECK_STATES = ["ok", "unknown", "pending", "error", "failing"] as const;
export type CheckState = (typeof CHECK_STATES)[number];

export const CHECK_LIMITS = {
	connections: 50,
	/** Violating rows that are stored as evidence. */
	sampleRows: 200,
	/** Fields of a configuration. */
	fields: 20,
	/** Recipients of alerts: people, webhooks and addresses of one check. */
	notifyUsers: 50,
	notifyWebhooks: 20,
	notifyAddresses: 20,
	/** Age of a baseline in hours: one year. */
	baselineHours: 8_760,
	/** Days that a trend looks ahead. */
	trendDays: 365,
	/** Points of one connection that a series of violations has. */
	points: 30_000,
	/** Days for which the violations of each evaluation are stored. */
	evaluationDays: 90,
	/** Different snapshots that the checks of one run are compared with, beside the previous one. */
	baselines: 10,
} as const;
