/** The plan of a request that only names a query: its state before and after the job. */
import type { RequestPlan } from "../request-change.ts";

const JUDGED = { interval_s: 10, timeout_s: 300 };
/** One round, and another one if that gave no snapshot. */
const REPORTED = { interval_s: 1, timeout_s: 1 };

/** Upper bound for the round before the job, in seconds. */
const BEFORE_TIMEOUT_S = 60;

/**
 * One item and no gate, so that nothing keeps the job from being launched.
 * @param isDeclared whether the rows of the request declare changes: then other ones are judged,
 * else all are only reported
 */
export const buildSnapshotPlan = (queryId: string, isDeclared: boolean): RequestPlan => ({
	requires_approval: false,
	plan: {
		name: "Before and after the job",
		revision: 1,
		items: [
			{
				query: queryId,
				compare: isDeclared ? "exact" : "record",
				match: "dn",
				severity: null,
				group_by: [],
				tolerance: null,
				unsettled_when: null,
			},
		],
		settle: { delay_s: 0, stable_rounds: 1, ...(isDeclared ? JUDGED : REPORTED) },
		gate: { before: "off", fail_on: "warning", quiet_baseline: false },
		after_failure: "notify",
		max_before_age_minutes: 60,
		before_timeout_s: BEFORE_TIMEOUT_S,
		snapshot_query: queryId,
	},
	expectations: [],
});
