/** SQL of imported entries, of calendars that are read from other systems, and of feeds. */
import { type Insertable, type Selectable, sql, type Updateable } from "kysely";
import { getOffset, type Page, type PageQuery } from "../../../core/http/paging.ts";
import type { Db, Tx } from "../../../core/ports/store.ts";
import type { CalendarSourcesTable } from "../tables.ts";
import type { EntryRow } from "./entries.ts";

export type SourceRow = Selectable<CalendarSourcesTable>;

/** Locks the entries of a source; of null, the entries from the user's files. */
export async function lockImportedEntries(tx: Tx, userId: number, sourceId: string | null): Promise<EntryRow[]> {
	return tx.db
		.selectFrom("calendar_entries")
		.selectAll()
		.where("created_by_id", "=", userId)
		.where("uid", "is not", null)
		.where(sql<boolean>`source_id is not distinct from ${sourceId}::uuid`)
		.orderBy("id")
		.forUpdate()
		.execute();
}

/** Lists the viewer's sources; for administrators, all of them. */
export async function listSourcePage(
	db: Db,
	viewer: { readonly userId: number; readonly isAdmin: boolean },
	query: PageQuery,
): Promise<Page<SourceRow>> {
	const all = db
		.selectFrom("calendar_sources")
		.$if(!viewer.isAdmin, (one) => one.where("created_by_id", "=", viewer.userId));
	const [{ count }, rows] = await Promise.all([
		all.select(sql<number>`count(*)::int`.as("count")).executeTakeFirstOrThrow(),
		all.selectAll().orderBy("url_host").orderBy("id").limit(query.page_size).offset(getOffset(query)).execute(),
	]);
	return { count, rows };
}

export async function countOwnSources(tx: Tx, userId: number): Promise<number> {
	const { count } = await tx.db
		.selectFrom("calendar_sources")
		.select(sql<number>`count(*)::int`.as("count"))
		.where("created_by_id", "=", userId)
		.executeTakeFirstOrThrow();
	return count;
}

/** Locks the row until the transaction ends. */
export async function lockSource(tx: Tx, id: string): Promise<SourceRow | undefined> {
	return tx.db.selectFrom("calendar_sources").selectAll().where("id", "=", id).forUpdate().executeTakeFirst();
}

export async function insertSource(tx: Tx, row: Insertable<CalendarSourcesTable>): Promise<void> {
	await tx.db.insertInto("calendar_sources").values(row).execute();
}

export async function updateSource(db: Db, id: string, values: Updateable<CalendarSourcesTable>): Promise<void> {
	await db.updateTable("calendar_sources").set(values).where("id", "=", id).execute();
}

/** Removes a source with its entries. */
export async function removeSource(tx: Tx, id: string): Promise<void> {
	await tx.db.deleteFrom("calendar_sources").where("id", "=", id).execute();
}

/** Claims sources that are due: sets the time at which they are due again. */
export async function claimDueSources(db: Db, now: Date, next: Date, limit: number): Promise<SourceRow[]> {
	return db
		.updateTable("calendar_sources")
		.set({ next_read_at: next })
		.where(
			"id",
			"in",
			sql<string>`(select id from calendar_sources where next_read_at <= ${now}
				order by next_read_at limit ${limit} for update skip locked)`,
		)
		.returningAll()
		.execute();
}

/** Replaces the secret of the user's feed. */
export async function setFeedSecret(tx: Tx, userId: number, secretHash: string, at: Date): Promise<void> {
	const values = { secret_hash: secretHash, created_at: at };
	await tx.db
		.insertInto("calendar_feeds")
		.values({ ...values, user_id: userId })
		.onConflict((conflict) => conflict.column("user_id").doUpdateSet(values))
		.execute();
}

/** Returns false if the user has no feed. */
export async function removeFeed(tx: Tx, userId: number): Promise<boolean> {
	const result = await tx.db.deleteFrom("calendar_feeds").where("user_id", "=", userId).executeTakeFirst();
	return result.numDeletedRows > 0n;
}

/** Returns the id of the user whose feed has the secret. */
export async function findFeedUser(db: Db, secretHash: string): Promise<number | undefined> {
	const row = await db
		.selectFrom("calendar_feeds")
		.select("user_id")
		.where("secret_hash", "=", secretHash)
		.executeTakeFirst();
	return row?.user_id;
}
