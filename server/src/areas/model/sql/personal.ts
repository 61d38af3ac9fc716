/** SQL of what users keep beside the model: favorites, column sets, and how they look at tables. */
import type { TablePreferenceList, TableTemplateList } from "@weft/contracts";
import { type Insertable, type Selectable, sql, type Updateable } from "kysely";
import { getOffset, type Page } from "../../../core/http/paging.ts";
import { buildContainsPattern } from "../../../core/like.ts";
import type { Db, Tx } from "../../../core/ports/store.ts";
import type { ModelTablePreferencesTable, ModelTableTemplatesTable } from "../tables.ts";

export interface TemplateRow extends Selectable<ModelTableTemplatesTable> {
	readonly username: string;
	readonly first_name: string;
	readonly last_name: string;
}
export type PersonalTable = "model_favorites" | "model_table_templates" | "model_table_preferences";
export type PreferenceRow = Selectable<ModelTablePreferencesTable>;

const selectVisibleTemplates = (db: Db) =>
	db
		.selectFrom("model_table_templates as t")
		.innerJoin("users as u", "u.id", "t.owner_id")
		.selectAll("t")
		.select(["u.username", "u.first_name", "u.last_name"]);

/** Locks the user until the transaction ends, and counts their rows of a table. */
export async function lockPersonalCount(tx: Tx, table: PersonalTable, userId: number): Promise<number> {
	await tx.db.selectFrom("users").select("id").where("id", "=", userId).forNoKeyUpdate().execute();
	const owner = table === "model_table_templates" ? "owner_id" : "user_id";
	const { rows } = await sql<{ count: number }>`
		select count(*) as count from ${sql.table(table)} where ${sql.ref(owner)} = ${userId}`.execute(tx.db);
	return rows[0]?.count ?? 0;
}

export async function listFavoriteClasses(db: Db, userId: number): Promise<string[]> {
	const rows = await db
		.selectFrom("model_favorites")
		.select("class_name")
		.where("user_id", "=", userId)
		.orderBy("class_name")
		.execute();
	return rows.map(({ class_name }) => class_name);
}

export async function findFavorite(
	db: Db,
	userId: number,
	className: string,
): Promise<{ id: string; class_name: string } | undefined> {
	return db
		.selectFrom("model_favorites")
		.select(["id", "class_name"])
		.where("user_id", "=", userId)
		.where("class_name", "=", className)
		.executeTakeFirst();
}

/** False where it is one already. */
export async function insertFavorite(
	tx: Tx,
	row: { id: string; user_id: number; class_name: string; created_at: Date },
): Promise<boolean> {
	const made = await tx.db
		.insertInto("model_favorites")
		.values(row)
		.onConflict((on) => on.columns(["user_id", "class_name"]).doNothing())
		.returning("id")
		.executeTakeFirst();
	return made !== undefined;
}

/** By its id or by the class; the class's name, or undefined where there was none. */
export async function removeFavoriteRow(
	tx: Tx,
	userId: number,
	by: { id: string } | { className: string },
): Promise<string | undefined> {
	const mine = tx.db.deleteFrom("model_favorites").where("user_id", "=", userId);
	const one = "id" in by ? mine.where("id", "=", by.id) : mine.where("class_name", "=", by.className);
	return (await one.returning("class_name").executeTakeFirst())?.class_name;
}

/** The user's own and the shared ones, by class and name. */
export async function listTableTemplates(
	db: Db,
	userId: number,
	filter: TableTemplateList,
): Promise<Page<TemplateRow>> {
	let matching = selectVisibleTemplates(db).where((where) =>
		where.or([where("t.owner_id", "=", userId), where("t.is_shared", "=", true)]),
	);
	if (filter.class_name !== undefined) matching = matching.where("t.class_name", "=", filter.class_name);
	if (filter.is_shared !== undefined) matching = matching.where("t.is_shared", "=", filter.is_shared);
	if (filter.search !== undefined && filter.search !== "") {
		const pattern = buildContainsPattern(filter.search);
		matching = matching.where((where) =>
			where.or([where("t.name", "ilike", pattern), where("t.description", "ilike", pattern)]),
		);
	}
	const rows = await matching
		.orderBy("t.class_name")
		.orderBy(sql`lower(t.name)`)
		.orderBy("t.id")
		.limit(filter.page_size)
		.offset(getOffset(filter))
		.execute();
	const { count } = await matching.clearSelect().select(sql<number>`count(*)`.as("count")).executeTakeFirstOrThrow();
	return { count, rows };
}

/** One that the user sees. */
export async function findTableTemplate(db: Db, userId: number, id: string): Promise<TemplateRow | undefined> {
	return selectVisibleTemplates(db)
		.where("t.id", "=", id)
		.where((where) => where.or([where("t.owner_id", "=", userId), where("t.is_shared", "=", true)]))
		.executeTakeFirst();
}

/** The same, kept from being changed by others until the transaction ends. */
export async function lockTableTemplate(tx: Tx, userId: number, id: string): Promise<TemplateRow | undefined> {
	await tx.db.selectFrom("model_table_templates").select("id").where("id", "=", id).forUpdate().execute();
	return findTableTemplate(tx.db, userId, id);
}

/** Before another one becomes it. */
export async function clearDefaultTemplate(
	tx: Tx,
	row: { owner_id: number; class_name: string; is_shared: boolean },
): Promise<void> {
	const set = tx.db
		.updateTable("model_table_templates")
		.set({ is_default: false })
		.where("class_name", "=", row.class_name)
		.where("is_shared", "=", row.is_shared)
		.where("is_default", "=", true);
	await (row.is_shared ? set : set.where("owner_id", "=", row.owner_id)).execute();
}

export async function insertTableTemplate(tx: Tx, row: Insertable<ModelTableTemplatesTable>): Promise<void> {
	await tx.db.insertInto("model_table_templates").values(row).execute();
}

export async function updateTableTemplate(
	tx: Tx,
	id: string,
	values: Updateable<ModelTableTemplatesTable>,
): Promise<void> {
	await tx.db.updateTable("model_table_templates").set(values).where("id", "=", id).execute();
}

export async function removeTableTemplate(tx: Tx, id: string): Promise<void> {
	await tx.db.deleteFrom("model_table_templates").where("id", "=", id).execute();
}

export async function listTablePreferences(
	db: Db,
	userId: number,
	filter: TablePreferenceList,
): Promise<Page<PreferenceRow>> {
	let matching = db.selectFrom("model_table_preferences").where("user_id", "=", userId);
	if (filter.class_name !== undefined) matching = matching.where("class_name", "=", filter.class_name);
	const rows = await matching
		.selectAll()
		.orderBy("class_name")
		.limit(filter.page_size)
		.offset(getOffset(filter))
		.execute();
	const { count } = await matching.select(sql<number>`count(*)`.as("count")).executeTakeFirstOrThrow();
	return { count, rows };
}

export async function findTablePreference(db: Db, userId: number, id: string): Promise<PreferenceRow | undefined> {
	return db
		.selectFrom("model_table_preferences")
		.selectAll()
		.where("user_id", "=", userId)
		.where("id", "=", id)
		.executeTakeFirst();
}

/** Made, or put in the place of the one that there was for the class. */
export async function upsertTablePreference(
	tx: Tx,
	row: Insertable<ModelTablePreferencesTable>,
): Promise<{ row: PreferenceRow; made: boolean }> {
	const { visible_columns, column_order, options, updated_at } = row;
	const { made, ...kept } = await tx.db
		.insertInto("model_table_preferences")
		.values(row)
		.onConflict((on) =>
			on.columns(["user_id", "class_name"]).doUpdateSet({ visible_columns, column_order, options, updated_at }),
		)
		.returningAll()
		.returning(sql<boolean>`id = ${row.id}`.as("made"))
		.executeTakeFirstOrThrow();
	return { row: kept, made };
}

export async function updateTablePreference(
	tx: Tx,
	userId: number,
	id: string,
	values: Updateable<ModelTablePreferencesTable>,
): Promise<PreferenceRow | undefined> {
	return tx.db
		.updateTable("model_table_preferences")
		.set(values)
		.where("user_id", "=", userId)
		.where("id", "=", id)
		.returningAll()
		.executeTakeFirst();
}

export async function removeTablePreference(tx: Tx, userId: number, id: string): Promise<string | undefined> {
	const row = await tx.db
		.deleteFrom("model_table_preferences")
		.where("user_id", "=", userId)
		.where("id", "=", id)
		.returning("class_name")
		.executeTakeFirst();
	return row?.class_name;
}
