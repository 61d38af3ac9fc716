/** SQL of connections to automation servers. */
import type { UserRef } from "@weft/contracts";
import { type Insertable, type Selectable, sql, type Updateable } from "kysely";
import type { Page } from "../../platform/http/paging.ts";
import type { AutomationConnectionsTable } from "../../ports/schema-automation.ts";
import type { Db, Tx } from "../../ports/store.ts";

export type ConnectionRow = Selectable<AutomationConnectionsTable>;
export interface OwnedConnection extends ConnectionRow {
	/** Null once the user is gone. */
	readonly owner: UserRef | null;
}

/** The unique constraint of names, and the index that keeps the default single. */
export const OWNER_NAME = "automation_connections_owner_name";
export const ONE_DEFAULT = "automation_connections_default";

export function createConnectionRepo() {
	const withOwner = (db: Db) =>
		db
			.selectFrom("automation_connections as c")
			.leftJoin("users as u", "u.id", "c.created_by")
			.selectAll("c")
			.select(
				sql<UserRef | null>`case when u.id is null then null else jsonb_build_object('id', u.id, 'username', u.username, 'first_name', u.first_name, 'last_name', u.last_name) end`.as(
					"owner",
				),
			);

	return {
		/** @param ownerId whose own and all public ones; null: all */
		async page(
			db: Db,
			ownerId: number | null,
			{ limit, offset, search }: { limit: number; offset: number; search: string | undefined },
		): Promise<Page<OwnedConnection>> {
			const visible = ownerId === null ? sql<boolean>`true` : sql<boolean>`(c.created_by = ${ownerId} or c.is_public)`;
			const found = search
				? sql<boolean>`${visible} and position(lower(${search}) in lower(c.name || ' ' || c.description || ' ' || c.base_url)) > 0`
				: visible;
			const rows = withOwner(db).where(found).orderBy("c.name").orderBy("c.id").limit(limit).offset(offset);
			const total = db
				.selectFrom("automation_connections as c")
				.select(sql<number>`count(*)::int`.as("count"))
				.where(found);
			const [{ count }, list] = await Promise.all([total.executeTakeFirstOrThrow(), rows.execute()]);
			return { count, rows: list };
		},

		async find(db: Db, id: string): Promise<OwnedConnection | undefined> {
			return withOwner(db).where("c.id", "=", id).executeTakeFirst();
		},

		async findDefault(db: Db): Promise<OwnedConnection | undefined> {
			return withOwner(db).where("c.is_default", "=", true).executeTakeFirst();
		},

		/** The row, kept from changing until the transaction ends. */
		async lock(tx: Tx, id: string): Promise<ConnectionRow | undefined> {
			return tx.db.selectFrom("automation_connections").selectAll().where("id", "=", id).forUpdate().executeTakeFirst();
		},

		/** Takes the mark of the default off whichever has it. */
		async clearDefault(tx: Tx, exceptId: string): Promise<void> {
			await tx.db
				.updateTable("automation_connections")
				.set({ is_default: false })
				.where("is_default", "=", true)
				.where("id", "<>", exceptId)
				.execute();
		},

		/** Rejects on a name that the owner has already (unique violation). */
		async insert(tx: Tx, row: Insertable<AutomationConnectionsTable>): Promise<void> {
			await tx.db.insertInto("automation_connections").values(row).execute();
		},

		async update(tx: Tx, id: string, values: Updateable<AutomationConnectionsTable>): Promise<void> {
			await tx.db.updateTable("automation_connections").set(values).where("id", "=", id).execute();
		},

		async remove(tx: Tx, id: string): Promise<void> {
			await tx.db.deleteFrom("automation_connections").where("id", "=", id).execute();
		},

		/** Ids of the connections whose address has this host and port. */
		async byHost(db: Db, host: string): Promise<string[]> {
			const rows = await db.selectFrom("automation_connections").select(["id", "base_url"]).execute();
			return rows.filter(({ base_url }) => new URL(base_url).host === host).map(({ id }) => id);
		},
	};
}
export type ConnectionRepo = ReturnType<typeof createConnectionRepo>;
