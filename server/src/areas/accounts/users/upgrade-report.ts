/** Notifies administrators, once after an upgrade, of rights that differ from the roles. */
import { sql } from "kysely";
import type { Events } from "../../../core/events.ts";
import type { Clock } from "../../../core/ports/clock.ts";
import type { Db, Store } from "../../../core/ports/store.ts";
import { buildRoleTemplates } from "./rules/roles.ts";

const NAME = "roles";

interface UpgradeReport {
	readonly store: Pick<Store, "transaction">;
	readonly clock: Pick<Clock, "now">;
	readonly events: Pick<Events, "emit">;
}

/** Code names that the role Author has and the group Editor lacks. */
async function readMissingRights(db: Db): Promise<string[]> {
	const permissions = await db.selectFrom("permissions").selectAll().execute();
	const role = buildRoleTemplates(permissions).find(({ key }) => key === "editor");
	const held = await db
		.selectFrom("group_permissions as gp")
		.innerJoin("groups as g", "g.id", "gp.group_id")
		.select("gp.permission_id")
		.where("g.name", "=", "Editor")
		.where("g.is_system", "=", true)
		.execute();
	const ids = new Set(held.map(({ permission_id }) => permission_id));
	return permissions
		.filter(({ id }) => role?.permission_ids.includes(id) === true && !ids.has(id))
		.map(({ codename }) => codename)
		.sort();
}

/** Number of users who are in Viewer, and may write as members of Users. */
async function countWritingViewers(db: Db): Promise<number> {
	const getMember = (name: string) =>
		sql<boolean>`exists (select from user_groups m join groups g on g.id = m.group_id
			where m.user_id = u.id and g.is_system and g.name = ${name})`;
	const { count } = await db
		.selectFrom("users as u")
		.select(sql<number>`count(*)::int`.as("count"))
		.where(getMember("Viewer"))
		.where(getMember("Users"))
		.executeTakeFirstOrThrow();
	return count;
}

/** Sends the report if it is due; of several processes one sends it. Changes no rights. */
export async function reportRoleDifferences({ store, clock, events }: UpgradeReport): Promise<void> {
	await store.transaction(async (tx) => {
		const taken = await tx.db
			.updateTable("upgrade_reports")
			.set({ reported_at: new Date(clock.now()) })
			.where("name", "=", NAME)
			.where("reported_at", "is", null)
			.returning("name")
			.executeTakeFirst();
		if (taken === undefined) return;
		const missing = await readMissingRights(tx.db);
		const writing = await countWritingViewers(tx.db);
		const sentences = [
			...(missing.length === 0
				? []
				: [`The group Editor (Author) lacks rights that the role has: ${missing.join(", ")}. Add them to the group.`]),
			...(writing === 0
				? []
				: [
						`${writing} ${writing === 1 ? "user is" : "users are"} in Viewer and in Users (Everyone), and may write. ` +
							"Remove Users from those who are only to read.",
					]),
		];
		if (sentences.length === 0) return;
		await events.emit(tx, {
			type: "notification_due",
			audience: "administrators",
			category: "system",
			severity: "warning",
			title: "Rights of users after the upgrade",
			body: `Nothing was changed. ${sentences.join(" ")}`,
			link: "/api/auth/groups/",
			facts: { event: "rights_differ", objects: [] },
			key: "upgrade_roles",
		});
	});
}
