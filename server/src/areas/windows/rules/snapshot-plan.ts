/** The plan of a request that only names a query: its state before and after the job. */
import type { PlanItem } from "@weft/contracts";
import type { RequestPlan } from "../request-change.ts";

/** An item that compares the rows of a query object by object. */
export const buildSnapshotItem = (query: string, compare: "exact" | "record"): PlanItem => ({
	query,
	compare,
	match: "dn",
	severity: null,
	group_by: [],
	tolerance: null,
	unsettled_when: null,
});

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
		items: [buildSnapshotItem(queryId, isDeclared ? "exact" : "record")],
		settle: { delay_s: 0, stable_rounds: 1, ...(isDeclared ? JUDGED : REPORTED) },
		gate: { before: "off", fail_on: "warning", quiet_baseline: false },
		after_failure: "notify",
		max_before_age_minutes: 60,
		before_timeout_s: BEFORE_TIMEOUT_S,
		snapshot_query: queryId,
	},
	expectations: [],
});
