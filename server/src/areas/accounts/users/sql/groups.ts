/** SQL of groups and permissions. */
import { type Permission, QUOTA_NUMBERS, QUOTA_RIGHTS, type Quota } from "@weft/contracts";
import { type Selectable, sql } from "kysely";
import { getOffset, type Page, type PageQuery } from "../../../../core/http/paging.ts";
import type { Schema } from "../../../../core/ports/schema.ts";
import type { Db, Tx } from "../../../../core/ports/store.ts";

export interface GroupRow extends Selectable<Schema["groups"]> {
	readonly member_count: number;
	readonly permissions: Permission[];
	readonly quota: Quota | null;
}

/** The unique constraint and index of names. */
export const GROUP_NAMES: readonly string[] = ["groups_name_key", "groups_lower_name"];

const PERMISSION = sql`jsonb_build_object('id', p.id, 'codename', p.codename, 'name', p.name, 'app', p.app,
	'model', p.model, 'is_dangerous', p.is_dangerous)`;
const QUOTA = sql.join(
	[...QUOTA_NUMBERS, ...QUOTA_RIGHTS].map((name) => sql`${sql.lit(name)}, q.${sql.ref(name)}`),
	sql`, `,
);

const completeGroups = (db: Db) =>
	db
		.selectFrom("groups as g")
		.selectAll("g")
		.select([
			sql<number>`(select count(*) from user_groups ug where ug.group_id = g.id)`.as("member_count"),
			sql<Permission[]>`coalesce((select jsonb_agg(${PERMISSION} order by p.app, p.model, p.id)
				from group_permissions gp join permissions p on p.id = gp.permission_id where gp.group_id = g.id), '[]')`.as(
				"permissions",
			),
			sql<Quota | null>`(select jsonb_build_object(${QUOTA}) from group_quotas q where q.group_id = g.id)`.as("quota"),
		]);

export async function listGroupPage(db: Db, query: PageQuery): Promise<Page<GroupRow>> {
	const { count } = await db.selectFrom("groups").select(sql<number>`count(*)`.as("count")).executeTakeFirstOrThrow();
	const rows = await completeGroups(db)
		.orderBy(sql`lower(g.name)`)
		.limit(query.page_size)
		.offset(getOffset(query))
		.execute();
	return { count, rows };
}

export async function findGroup(db: Db, id: number): Promise<GroupRow | undefined> {
	return completeGroups(db).where("g.id", "=", id).executeTakeFirst();
}

/** The group, kept from changing until the transaction ends. */
export async function lockGroup(tx: Tx, id: number): Promise<GroupRow | undefined> {
	await tx.db.selectFrom("groups").select("id").where("id", "=", id).forUpdate().execute();
	return completeGroups(tx.db).where("g.id", "=", id).executeTakeFirst();
}

/** Rejects on a taken name (unique violation). */
export async function insertGroup(tx: Tx, name: string): Promise<number> {
	const { id } = await tx.db.insertInto("groups").values({ name }).returning("id").executeTakeFirstOrThrow();
	return id;
}

/** Rejects on a taken name (unique violation). */
export async function renameGroup(tx: Tx, id: number, name: string): Promise<void> {
	await tx.db.updateTable("groups").set({ name }).where("id", "=", id).execute();
}

export async function removeGroup(tx: Tx, id: number): Promise<void> {
	await tx.db.deleteFrom("groups").where("id", "=", id).execute();
}

export async function setGroupPermissions(tx: Tx, id: number, ids: readonly number[]): Promise<void> {
	await sql`delete from group_permissions where group_id = ${id} and permission_id <> all(${ids})`.execute(tx.db);
	await addGroupPermissions(tx, id, ids);
}

export async function addGroupPermissions(tx: Tx, id: number, ids: readonly number[]): Promise<void> {
	await sql`insert into group_permissions select ${id}, id from permissions where id = any(${ids})
		on conflict do nothing`.execute(tx.db);
}

export async function removeGroupPermissions(tx: Tx, id: number, ids: readonly number[]): Promise<void> {
	await sql`delete from group_permissions where group_id = ${id} and permission_id = any(${ids})`.execute(tx.db);
}

/**
 * Names of those ids that are groups. Locks the rows against deletion until the transaction
 * ends.
 */
export async function lockGroups(tx: Tx, ids: readonly number[]): Promise<Map<number, string>> {
	const rows = await tx.db
		.selectFrom("groups")
		.select(["id", "name"])
		.where("id", "in", [...ids, 0])
		.orderBy("id")
		.forShare()
		.execute();
	return new Map(rows.map(({ id, name }) => [id, name]));
}

export async function listPermissionPage(db: Db, query: PageQuery): Promise<Page<Permission>> {
	const { count } = await db
		.selectFrom("permissions")
		.select(sql<number>`count(*)`.as("count"))
		.executeTakeFirstOrThrow();
	const rows = await db
		.selectFrom("permissions")
		.selectAll()
		.orderBy("app")
		.orderBy("model")
		.orderBy("id")
		.limit(query.page_size)
		.offset(getOffset(query))
		.execute();
	return { count, rows };
}

export async function listPermissions(db: Db): Promise<Permission[]> {
	return db.selectFrom("permissions").selectAll().orderBy("id").execute();
}

/** Those among the ids that are permissions. */
export async function listKnownPermissions(db: Db, ids: readonly number[]): Promise<Set<number>> {
	const { rows } = await sql<{ id: number }>`select id from permissions where id = any(${ids})`.execute(db);
	return new Set(rows.map(({ id }) => id));
}
