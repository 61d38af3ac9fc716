/** SQL of user management. */
import type { Permission, UserList } from "@weft/contracts";
import { type RawBuilder, type Selectable, type SelectQueryBuilder, sql, type Updateable } from "kysely";
import { getOffset, type Page } from "../../../../core/http/paging.ts";
import { buildContainsPattern } from "../../../../core/like.ts";
import type { Schema } from "../../../../core/ports/schema.ts";
import type { Db, Tx } from "../../../../core/ports/store.ts";
import { ADMIN_GROUP } from "../policy.ts";

export interface UserRow extends Selectable<Schema["users"]> {
	readonly group_ids: number[];
	readonly group_names: string[];
	readonly permission_ids: number[];
}

type Rows = SelectQueryBuilder<Schema & { u: Schema["users"] }, "u", object>;

const GROUPS = sql`user_groups ug join groups g on g.id = ug.group_id where ug.user_id = u.id`;

const completeUsers = (rows: Rows) =>
	rows
		.selectAll("u")
		.select([
			sql<number[]>`array(select g.id from ${GROUPS} order by g.name)`.as("group_ids"),
			sql<string[]>`array(select g.name from ${GROUPS} order by g.name)`.as("group_names"),
			sql<number[]>`array(select up.permission_id from user_permissions up where up.user_id = u.id order by 1)`.as(
				"permission_ids",
			),
		]);

export async function listUserPage(db: Db, filter: UserList): Promise<Page<UserRow>> {
	const matching = filterUsers(db, filter);
	const { count } = await matching.select(sql<number>`count(*)`.as("count")).executeTakeFirstOrThrow();
	const rows = await completeUsers(matching)
		.orderBy(getOrder(filter.ordering))
		.limit(filter.page_size)
		.offset(getOffset(filter))
		.execute();
	return { count, rows };
}

export async function findUserRow(db: Db, id: number): Promise<UserRow | undefined> {
	return completeUsers(db.selectFrom("users as u")).where("u.id", "=", id).executeTakeFirst();
}

/**
 * The user, kept from changing until the transaction ends. With a superuser all active ones are
 * locked, by id: locked one after the other, two changes of superusers would deadlock.
 */
export async function lockUserRow(tx: Tx, id: number): Promise<UserRow | undefined> {
	const isGuarded = sql<boolean>`is_superuser and is_active
		and (select target.is_superuser from users target where target.id = ${id})`;
	await tx.db
		.selectFrom("users")
		.select("id")
		.where(sql<boolean>`(id = ${id} or (${isGuarded}))`)
		.orderBy("id")
		.forUpdate()
		.execute();
	return completeUsers(tx.db.selectFrom("users as u")).where("u.id", "=", id).executeTakeFirst();
}

/** Active superusers, all kept as they are until the transaction ends. */
export async function lockSuperusers(tx: Tx): Promise<number[]> {
	const rows = await tx.db
		.selectFrom("users")
		.select("id")
		.where("is_superuser", "=", true)
		.where("is_active", "=", true)
		.orderBy("id")
		.forUpdate()
		.execute();
	return rows.map(({ id }) => id);
}

/** Rejects on an email that another user has (unique violation). */
export async function updateUserRow(tx: Tx, id: number, values: Updateable<Schema["users"]>): Promise<void> {
	if (Object.keys(values).length === 0) return;
	await tx.db.updateTable("users").set(values).where("id", "=", id).execute();
}

/** Those of the names and addresses, in lower case, that users have. */
export async function findTakenNames(
	db: Db,
	names: readonly string[],
	addresses: readonly string[],
): Promise<{ names: ReadonlySet<string>; addresses: ReadonlySet<string> }> {
	const { rows } = await sql<{ name: string; address: string }>`
		select username_key as name, lower(email) as address from users
		where username_key = any(${names}) or (email <> '' and lower(email) = any(${addresses}))`.execute(db);
	return { names: new Set(rows.map(({ name }) => name)), addresses: new Set(rows.map(({ address }) => address)) };
}

export async function removeUser(tx: Tx, id: number): Promise<void> {
	await tx.db.deleteFrom("users").where("id", "=", id).execute();
}

export async function setUserGroups(tx: Tx, userId: number, groupIds: readonly number[]): Promise<void> {
	await sql`delete from user_groups where user_id = ${userId} and group_id <> all(${groupIds})`.execute(tx.db);
	await addUserGroups(tx, userId, groupIds);
}

async function addUserGroups(tx: Tx, userId: number, groupIds: readonly number[]): Promise<void> {
	await sql`insert into user_groups select ${userId}, id from groups where id = any(${groupIds})
		on conflict do nothing`.execute(tx.db);
}

export async function setUserPermissions(tx: Tx, userId: number, ids: readonly number[]): Promise<void> {
	await sql`delete from user_permissions where user_id = ${userId} and permission_id <> all(${ids})`.execute(tx.db);
	await addUserPermissions(tx, userId, ids);
}

export async function addUserPermissions(tx: Tx, userId: number, ids: readonly number[]): Promise<void> {
	await sql`insert into user_permissions select ${userId}, id from permissions where id = any(${ids})
		on conflict do nothing`.execute(tx.db);
}

export async function removeUserPermissions(tx: Tx, userId: number, ids: readonly number[]): Promise<void> {
	await sql`delete from user_permissions where user_id = ${userId} and permission_id = any(${ids})`.execute(tx.db);
}

/** Each permission once, with what gives it. */
export async function listEffectivePermissions(
	db: Db,
	userId: number,
): Promise<(Permission & { sources: string[] })[]> {
	const { rows } = await sql<Permission & { sources: string[] }>`
		select p.id, p.codename, p.name, p.app, p.model, p.is_dangerous, s.sources
		from permissions p join (
			select permission_id, array_agg(source order by source) as sources from (
				select up.permission_id, 'direct' as source from user_permissions up where up.user_id = ${userId}
				union all
				select gp.permission_id, g.name from user_groups ug join groups g on g.id = ug.group_id
					join group_permissions gp on gp.group_id = g.id where ug.user_id = ${userId}
				union all
				select pp.id, 'superuser' from users u cross join permissions pp
					where u.id = ${userId} and u.is_superuser
			) given group by permission_id
		) s on s.permission_id = p.id order by p.app, p.model, p.id`.execute(db);
	return rows;
}

/** Whether the user `u` has a permission: directly, by a group, or as an administrator. */
export const buildHolderCondition = (codename: string): RawBuilder<boolean> =>
	sql<boolean>`(u.is_superuser
		or exists (select from user_groups ug join groups g on g.id = ug.group_id
			where ug.user_id = u.id and g.name = ${ADMIN_GROUP})
		or exists (select from permissions p where p.codename = ${codename} and (
			exists (select from user_permissions up where up.user_id = u.id and up.permission_id = p.id)
			or exists (select from user_groups ug join group_permissions gp on gp.group_id = ug.group_id
				where ug.user_id = u.id and gp.permission_id = p.id))))`;

function filterUsers(db: Db, filter: UserList): Rows {
	let query: Rows = db.selectFrom("users as u");
	if (filter.is_active !== undefined) query = query.where("u.is_active", "=", filter.is_active);
	if (filter.gone !== undefined) query = query.where("u.gone_since", filter.gone ? "is not" : "is", null);
	if (filter.group !== undefined) {
		query = query.where(
			sql<boolean>`exists (select from user_groups ug where ug.user_id = u.id and ug.group_id = ${filter.group})`,
		);
	}
	if (filter.permission !== undefined) query = query.where(buildHolderCondition(filter.permission));
	if (filter.search) {
		const pattern = buildContainsPattern(filter.search);
		query = query.where(
			sql<boolean>`(u.username ilike ${pattern} or u.email ilike ${pattern} or u.first_name ilike ${pattern}
				or u.last_name ilike ${pattern})`,
		);
	}
	return query;
}

/** The id breaks ties, so that pages are stable. A user who never signed in sorts as oldest. */
function getOrder(ordering: UserList["ordering"]): RawBuilder<unknown> {
	const direction = ordering.startsWith("-") ? sql`desc` : sql`asc`;
	const field = ordering.replace("-", "");
	if (field === "username") return sql`u.username_key ${direction}, u.id ${direction}`;
	const nulls = field !== "last_login" ? sql`` : ordering.startsWith("-") ? sql`nulls last` : sql`nulls first`;
	return sql`${sql.ref(`u.${field}`)} ${direction} ${nulls}, u.id ${direction}`;
}
