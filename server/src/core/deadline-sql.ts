/** SQL conditions on deadlines: leases, due times, retry times. */
import { type RawBuilder, sql } from "kysely";

/**
 * Whether a deadline has passed. A deadline further ahead than `maxAheadMs` also counts as passed:
 * it was set under a wrong clock, and nothing may wait an hour because a clock was an hour ahead.
 */
export const hasPassed = (column: string, now: Date, maxAheadMs: number): RawBuilder<boolean> =>
	sql<boolean>`(${sql.ref(column)} <= ${now} or ${sql.ref(column)} > ${new Date(now.getTime() + maxAheadMs)})`;
