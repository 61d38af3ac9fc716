/** SQL of groups of controller connections. */
import type { UserRef } from "@weft/contracts";
import { type Insertable, type Selectable, sql, type Updateable } from "kysely";
import { getOffset, type Page, type PageQuery } from "../../../core/http/paging.ts";
import type { Db, Tx } from "../../../core/ports/store.ts";
import type { ConnectionGroupsTable } from "../tables.ts";
import { buildVisibleCondition, getOwner, type Viewer } from "./visible.ts";

export type GroupRow = Selectable<ConnectionGroupsTable>;

/** A group as the viewer sees it. */
export interface ShownGroup extends GroupRow {
	readonly owner: UserRef;
	/** The members that the viewer sees, in order. */
	readonly connection_ids: string[];
	readonly hidden_count: number;
}

const selectShownGroups = (db: Db, viewer: Viewer) =>
	db
		.selectFrom("connection_groups as g")
		.innerJoin("users as u", "u.id", "g.created_by")
		.leftJoinLateral(
			(from) =>
				from
					.selectFrom("connection_group_members as m")
					.innerJoin("controller_connections as c", "c.id", "m.connection_id")
					.whereRef("m.group_id", "=", "g.id")
					.select([
						sql<
							string[] | null
						>`array_agg(c.id order by m.position) filter (where ${buildVisibleCondition(viewer, "c")})`.as("ids"),
						sql<number>`(count(*) filter (where not ${buildVisibleCondition(viewer, "c")}))::int`.as("hidden"),
					])
					.as("members"),
			(join) => join.onTrue(),
		)
		.selectAll("g")
		.select([
			getOwner("u").as("owner"),
			sql<string[]>`coalesce(members.ids, '{}')`.as("connection_ids"),
			sql<number>`members.hidden`.as("hidden_count"),
		]);

export async function listConnectionGroups(db: Db, viewer: Viewer, query: PageQuery): Promise<Page<ShownGroup>> {
	const total = db
		.selectFrom("connection_groups as g")
		.select(sql<number>`count(*)::int`.as("count"))
		.where(buildVisibleCondition(viewer, "g"));
	const [{ count }, rows] = await Promise.all([
		total.executeTakeFirstOrThrow(),
		selectShownGroups(db, viewer)
			.where(buildVisibleCondition(viewer, "g"))
			.orderBy("g.name")
			.orderBy("g.id")
			.limit(query.page_size)
			.offset(getOffset(query))
			.execute(),
	]);
	return { count, rows };
}

/**
 * The members that users see, by `group id:user id` and in order. A group that is gone, or that
 * the user does not see, has no entry. Administrators see all, as `canSee` decides.
 */
export async function listVisibleMembers(
	db: Db,
	wanted: readonly { readonly groupId: string; readonly userId: number }[],
): Promise<ReadonlyMap<string, { id: string; name: string }[]>> {
	if (wanted.length === 0) return new Map();
	const { rows } = await sql<{ key: string; id: string | null; name: string | null }>`
		with viewers as (
			select w."groupId" as group_id, u.id as user_id, (u.is_superuser or exists (
				select from user_groups ug join groups r on r.id = ug.group_id
				where ug.user_id = u.id and r.name = 'Admin')) as is_admin
			from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) as w("groupId" uuid, "userId" integer)
				join users u on u.id = w."userId"
		)
		select v.group_id || ':' || v.user_id as key, c.id, c.name
		from viewers v
			join connection_groups g on g.id = v.group_id and (v.is_admin or g.is_public or g.created_by = v.user_id)
			left join connection_group_members m on m.group_id = g.id
			left join controller_connections c
				on c.id = m.connection_id and (v.is_admin or c.is_public or c.created_by = v.user_id)
		order by key, m.position`.execute(db);
	const members = new Map<string, { id: string; name: string }[]>();
	for (const { key, id, name } of rows) {
		const list = members.get(key) ?? [];
		members.set(key, list);
		if (id !== null && !list.some((member) => member.id === id)) list.push({ id, name: name ?? "" });
	}
	return members;
}

/** The groups of these names that the viewer sees. */
export async function findGroupsByName(db: Db, viewer: Viewer, names: readonly string[]) {
	if (names.length === 0) return [];
	return db
		.selectFrom("connection_groups as g")
		.select(["g.id", "g.name", "g.created_by"])
		.where("g.name", "in", [...names])
		.where(buildVisibleCondition(viewer, "g"))
		.orderBy("g.id")
		.execute();
}

/** The first names of groups that the viewer sees, sorted. */
export async function listGroupNames(db: Db, viewer: Viewer, limit: number): Promise<string[]> {
	const rows = await db
		.selectFrom("connection_groups as g")
		.select("g.name")
		.distinct()
		.where(buildVisibleCondition(viewer, "g"))
		.orderBy("g.name")
		.limit(limit)
		.execute();
	return rows.map(({ name }) => name);
}

/** Also finds a group that the viewer does not see. */
export async function findConnectionGroup(db: Db, viewer: Viewer, id: string): Promise<ShownGroup | undefined> {
	return selectShownGroups(db, viewer).where("g.id", "=", id).executeTakeFirst();
}

/** Locks the row until the transaction ends. */
export async function lockConnectionGroup(tx: Tx, id: string): Promise<GroupRow | undefined> {
	return tx.db.selectFrom("connection_groups").selectAll().where("id", "=", id).forUpdate().executeTakeFirst();
}

/** The number of a user's own connection groups. */
export async function countOwnGroups(db: Db, userId: number): Promise<number> {
	const { count } = await db
		.selectFrom("connection_groups")
		.select(sql<number>`count(*)`.as("count"))
		.where("created_by", "=", userId)
		.executeTakeFirstOrThrow();
	return count;
}

/** Rejects a name that another group of the owner has (unique violation). */
export async function insertConnectionGroup(tx: Tx, row: Insertable<ConnectionGroupsTable>): Promise<void> {
	await tx.db.insertInto("connection_groups").values(row).execute();
}

export async function updateConnectionGroup(
	tx: Tx,
	id: string,
	values: Updateable<ConnectionGroupsTable>,
): Promise<void> {
	await tx.db.updateTable("connection_groups").set(values).where("id", "=", id).execute();
}

export async function removeConnectionGroup(tx: Tx, id: string): Promise<void> {
	await tx.db.deleteFrom("connection_groups").where("id", "=", id).execute();
}

/** Locks those of the connections that the viewer sees against deletion. Returns their ids. */
export async function lockVisibleConnections(tx: Tx, viewer: Viewer, ids: readonly string[]): Promise<Set<string>> {
	const rows = await tx.db
		.selectFrom("controller_connections as c")
		.select("c.id")
		.where(sql<boolean>`c.id = any(${ids}::uuid[])`)
		.where(buildVisibleCondition(viewer, "c"))
		.orderBy("c.id")
		.forKeyShare()
		.execute();
	return new Set(rows.map(({ id }) => id));
}

/** Replaces the members that the viewer sees; hidden ones stay, after the given ones. */
export async function replaceVisibleMembers(
	tx: Tx,
	viewer: Viewer,
	groupId: string,
	ids: readonly string[],
): Promise<void> {
	await sql`delete from connection_group_members m using controller_connections c
		where m.group_id = ${groupId} and c.id = m.connection_id and ${buildVisibleCondition(viewer, "c")}`.execute(tx.db);
	await sql`update connection_group_members m set position = ${ids.length} + n.rank
		from (select connection_id, row_number() over (order by position)::int - 1 as rank
			from connection_group_members where group_id = ${groupId}) n
		where m.group_id = ${groupId} and m.connection_id = n.connection_id`.execute(tx.db);
	if (ids.length === 0) return;
	const rows = ids.map((connection_id, position) => ({ group_id: groupId, connection_id, position }));
	await tx.db.insertInto("connection_group_members").values(rows).execute();
}
