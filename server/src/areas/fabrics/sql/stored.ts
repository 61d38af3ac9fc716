/**
 * SQL of stored connections of either kind. A row has an owner; other users see it if it is public.
 */
import type { UserRef } from "@weft/contracts";
import { type Insertable, type Selectable, sql, type Updateable } from "kysely";
import { getOffset, type Page, type PageQuery } from "../../../core/http/paging.ts";
import type { Schema } from "../../../core/ports/schema.ts";
import type { Db, Tx } from "../../../core/ports/store.ts";
import { buildVisibleCondition, isAdministrator, type Viewer } from "./visible.ts";

export type ConnectionTable = "controller_connections" | "automation_connections";
/** Columns of both tables. */
interface Common {
	readonly id: string;
	readonly name: string;
	readonly description: string;
	readonly username: string;
	readonly verify_ssl: boolean;
	/** Seconds. */
	readonly timeout: number;
	readonly is_public: boolean;
	/** Grows with each change that a driver's session depends on. */
	readonly revision: number;
	readonly last_tested_at: Date | null;
	readonly last_test_message: string;
	readonly created_by: number | null;
	readonly created_at: Date;
	readonly updated_at: Date;
}
export type ConnectionRow<Table extends ConnectionTable> = Selectable<Schema[Table]> & Common;
export type OwnedConnection<Table extends ConnectionTable> = ConnectionRow<Table> & {
	/** Null if the table allows connections whose owner was deleted. */
	readonly owner: null extends Schema[Table]["created_by"] ? UserRef | null : UserRef;
	/** Whether the owner is an administrator, or was deleted: administrators own the row then. */
	readonly has_admin_owner: boolean;
};

/** Both tables name their common columns alike: one stands for both in the types. */
const castTable = (table: ConnectionTable) => table as "controller_connections";

/** The column that holds the server's URL. */
const ADDRESS_COLUMN = { controller_connections: "url", automation_connections: "base_url" } as const;

const selectWithOwner = (db: Db, table: ConnectionTable) =>
	db
		.selectFrom(`${castTable(table)} as c`)
		.leftJoin("users as u", "u.id", "c.created_by")
		.selectAll("c")
		.select([
			sql<UserRef | null>`case when u.id is null then null else jsonb_build_object('id', u.id,
				'username', u.username, 'first_name', u.first_name, 'last_name', u.last_name) end`.as("owner"),
			sql<boolean>`(u.id is null or ${isAdministrator("u")})`.as("has_admin_owner"),
		]);

/** @param query `search` is a text within the name, description or address, in any case */
export async function listConnectionRows<Table extends ConnectionTable>(
	db: Db,
	table: Table,
	viewer: Viewer,
	query: PageQuery & { readonly search?: string | undefined },
): Promise<Page<OwnedConnection<Table>>> {
	const visible = buildVisibleCondition(viewer, "c");
	const text = sql`lower(c.name || ' ' || c.description || ' ' || ${sql.ref(`c.${ADDRESS_COLUMN[table]}`)})`;
	const where = query.search ? sql<boolean>`${visible} and position(lower(${query.search}) in ${text}) > 0` : visible;
	const rows = selectWithOwner(db, table).where(where).orderBy("c.name").orderBy("c.id");
	const total = db
		.selectFrom(`${castTable(table)} as c`)
		.select(sql<number>`count(*)::int`.as("count"))
		.where(where);
	const [{ count }, found] = await Promise.all([
		total.executeTakeFirstOrThrow(),
		rows.limit(query.page_size).offset(getOffset(query)).execute(),
	]);
	return { count, rows: found as unknown as OwnedConnection<Table>[] };
}

export async function findConnectionRow<Table extends ConnectionTable>(
	db: Db,
	table: Table,
	id: string,
): Promise<OwnedConnection<Table> | undefined> {
	const row = await selectWithOwner(db, table).where("c.id", "=", id).executeTakeFirst();
	return row as unknown as OwnedConnection<Table> | undefined;
}

/** The connections of these names that the viewer sees. */
export async function findConnectionsByName<Table extends ConnectionTable>(
	db: Db,
	table: Table,
	viewer: Viewer,
	names: readonly string[],
): Promise<ConnectionRow<Table>[]> {
	const rows = await db
		.selectFrom(`${castTable(table)} as c`)
		.selectAll()
		.where(sql<boolean>`c.name = any(${names}::text[])`)
		.where(buildVisibleCondition(viewer, "c"))
		.orderBy("c.id")
		.execute();
	return rows as unknown as ConnectionRow<Table>[];
}

/** Names of the controller connections of these ids that the viewer sees, by id. */
export async function listConnectionNames(
	db: Db,
	viewer: Viewer,
	ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
	if (ids.length === 0) return new Map();
	const rows = await db
		.selectFrom("controller_connections as c")
		.select(["c.id", "c.name"])
		.where(sql<boolean>`c.id = any(${ids}::uuid[])`)
		.where(buildVisibleCondition(viewer, "c"))
		.execute();
	return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Lists the user's controller connections in the order of their ids. */
export async function listOwnConnections(db: Db, userId: number): Promise<ConnectionRow<"controller_connections">[]> {
	return db.selectFrom("controller_connections").selectAll().where("created_by", "=", userId).orderBy("id").execute();
}

/** Locks the row until the transaction ends. */
export async function lockConnectionRow<Table extends ConnectionTable>(
	tx: Tx,
	table: Table,
	id: string,
): Promise<ConnectionRow<Table> | undefined> {
	const row = await tx.db.selectFrom(castTable(table)).selectAll().where("id", "=", id).forUpdate().executeTakeFirst();
	return row as unknown as ConnectionRow<Table> | undefined;
}

/** Rejects a name that another connection of the owner has (unique violation). */
export async function insertConnectionRow<Table extends ConnectionTable>(
	tx: Tx,
	table: Table,
	row: Insertable<Schema[Table]>,
): Promise<void> {
	const values = row as unknown as Insertable<Schema["controller_connections"]>;
	await tx.db.insertInto(castTable(table)).values(values).execute();
}

export async function updateConnectionRow<Table extends ConnectionTable>(
	tx: Tx,
	table: Table,
	id: string,
	values: Updateable<Schema[Table]>,
): Promise<void> {
	const set = values as unknown as Updateable<Schema["controller_connections"]>;
	await tx.db.updateTable(castTable(table)).set(set).where("id", "=", id).execute();
}

export async function removeConnectionRow(tx: Tx, table: ConnectionTable, id: string): Promise<void> {
	await tx.db.deleteFrom(castTable(table)).where("id", "=", id).execute();
}

/** The number of a user's own connections to controllers. */
export async function countOwnConnections(db: Db, userId: number): Promise<number> {
	const { count } = await db
		.selectFrom("controller_connections")
		.select(sql<number>`count(*)::int`.as("count"))
		.where("created_by", "=", userId)
		.executeTakeFirstOrThrow();
	return count;
}
