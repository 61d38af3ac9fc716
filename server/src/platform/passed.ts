/** SQL for leases and for things that wait their turn. */
import { type RawBuilder, sql } from "kysely";

/**
 * Whether an instant has passed that was at most `longestMs` ahead when it was set. One that is further ahead was set under a clock
 * that was wrong, and counts as passed: nothing waits for an hour because a clock was an hour ahead.
 */
export const hasPassed = (column: string, now: Date, longestMs: number): RawBuilder<boolean> =>
	sql<boolean>`(${sql.ref(column)} <= ${now} or ${sql.ref(column)} > ${new Date(now.getTime() + longestMs)})`;
