/** SQL of controller connections. */
import type { UserRef } from "@weft/contracts";
import { type Insertable, type Selectable, sql, type Updateable } from "kysely";
import type { Page } from "../../platform/http/paging.ts";
import type { ControllerConnectionsTable } from "../../ports/schema.ts";
import type { Db, Tx } from "../../ports/store.ts";

export type ConnectionRow = Selectable<ControllerConnectionsTable>;
export interface OwnedConnection extends ConnectionRow {
	readonly owner: UserRef;
}
export type ConnectionRepo = ReturnType<typeof createConnectionRepo>;

/** The unique constraint of names. */
export const OWNER_NAME = "controller_connections_owner_name";

export function createConnectionRepo() {
	const withOwner = (db: Db) =>
		db
			.selectFrom("controller_connections as c")
			.innerJoin("users as u", "u.id", "c.created_by")
			.selectAll("c")
			.select(
				sql<UserRef>`jsonb_build_object('id', u.id, 'username', u.username, 'first_name', u.first_name, 'last_name', u.last_name)`.as(
					"owner",
				),
			);

	return {
		/** @param ownerId whose own and all public ones; null: all */
		async page(
			db: Db,
			ownerId: number | null,
			{ limit, offset }: { limit: number; offset: number },
		): Promise<Page<OwnedConnection>> {
			const visible = ownerId === null ? sql<boolean>`true` : sql<boolean>`(c.created_by = ${ownerId} or c.is_public)`;
			const rows = withOwner(db).where(visible).orderBy("c.name").orderBy("c.id").limit(limit).offset(offset);
			const total = db
				.selectFrom("controller_connections as c")
				.select(sql<number>`count(*)::int`.as("count"))
				.where(visible);
			const [{ count }, found] = await Promise.all([total.executeTakeFirstOrThrow(), rows.execute()]);
			return { count, rows: found };
		},

		async find(db: Db, id: string): Promise<OwnedConnection | undefined> {
			return withOwner(db).where("c.id", "=", id).executeTakeFirst();
		},

		/** The row, kept from changing until the transaction ends. */
		async lock(tx: Tx, id: string): Promise<ConnectionRow | undefined> {
			return tx.db.selectFrom("controller_connections").selectAll().where("id", "=", id).forUpdate().executeTakeFirst();
		},

		/** Rejects on a name that the owner has already (unique violation). */
		async insert(tx: Tx, row: Insertable<ControllerConnectionsTable>): Promise<void> {
			await tx.db.insertInto("controller_connections").values(row).execute();
		},

		async update(tx: Tx, id: string, values: Updateable<ControllerConnectionsTable>): Promise<void> {
			await tx.db.updateTable("controller_connections").set(values).where("id", "=", id).execute();
		},

		async ownedCount(db: Db, userId: number): Promise<number> {
			const { count } = await db
				.selectFrom("controller_connections")
				.select(sql<number>`count(*)::int`.as("count"))
				.where("created_by", "=", userId)
				.executeTakeFirstOrThrow();
			return count;
		},

		async remove(tx: Tx, id: string): Promise<void> {
			await tx.db.deleteFrom("controller_connections").where("id", "=", id).execute();
		},
	};
}
