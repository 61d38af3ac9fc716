/** Administrators learn once, after an upgrade, how built-in groups differ from what they were. */
import { sql } from "kysely";
import type { Events } from "../../platform/events.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Store } from "../../ports/store.ts";

/**
 * Notifies administrators of groups whose meaning has changed, where the migration has left a note
 * and nobody has been notified yet.
 */
export async function reportChangedGroups(context: {
	readonly store: Pick<Store, "transaction">;
	readonly clock: Pick<Clock, "now">;
	readonly events: Pick<Events, "emit">;
}): Promise<void> {
	await context.store.transaction(async (tx) => {
		const { numUpdatedRows } = await tx.db
			.updateTable("upgrade_notices")
			.set({ reported_at: new Date(context.clock.now()) })
			.where("key", "=", "groups")
			.where("reported_at", "is", null)
			.executeTakeFirst();
		if (numUpdatedRows === 0n) return;
		const { rows } = await sql<{ count: number }>`
			select count(*)::int as count from user_groups a join user_groups b using (user_id)
			where a.group_id = (select id from groups where is_system and name = 'Viewer')
				and b.group_id = (select id from groups where is_system and name = 'Users')`.execute(tx.db);
		const viewers = rows[0]?.count ?? 0;
		await context.events.emit(tx, {
			type: "notification_due",
			audience: "administrators",
			category: "system",
			severity: viewers === 0 ? "info" : "warning",
			title: "Built-in groups are complete by themselves now",
			body:
				`New users get exactly the groups that are chosen, and nobody's groups have changed. ${viewers} of those in ` +
				"Viewer are in Users too, and can still write: remove Users from those who are only to read. Author (the " +
				"group Editor) of a new service writes automation templates: add those permissions to yours if you want that.",
			link: "/api/auth/groups/",
			key: "upgrade_groups",
		});
	});
}
