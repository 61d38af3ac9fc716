/** A user's counters, from the areas that count them. */
import type { AuthStats } from "@weft/contracts";
import type { Context } from "../../../context.ts";

export async function readUserStats(ctx: Context, userId: number): Promise<AuthStats> {
	const { queries, schedules, notifications } = ctx.areas;
	return {
		queries_run: await queries.executionCount(ctx.store.db, userId),
		schedules_active: (await schedules.ownedCounts(ctx.store.db, userId)).active,
		notifications_unread: await notifications.unreadCount(ctx.store.db, userId),
	};
}
