/** SQL of query categories. */
import type { categoryList } from "@weft/contracts";
import { type Insertable, type Selectable, sql, type UpdateObject } from "kysely";
import type * as z from "zod";
import { getOffset, type Page } from "../../../../core/http/paging.ts";
import { buildContainsPattern } from "../../../../core/like.ts";
import type { Schema } from "../../../../core/ports/schema.ts";
import type { Db, Tx } from "../../../../core/ports/store.ts";
import type { Viewer } from "../policy.ts";
import type { QueryCategoriesTable } from "../tables.ts";
import { buildVisibleCondition } from "./visible.ts";

/** A category with the number of queries in it that the viewer may see. */
export interface CategoryRow extends Selectable<QueryCategoriesTable> {
	readonly query_count: number;
}

const selectCountedCategories = (viewer: Viewer) =>
	sql<number>`(select count(*) from saved_queries q where q.category_id = c.id and ${buildVisibleCondition(viewer, "q")})`.as(
		"query_count",
	);

export async function listQueryCategories(
	db: Db,
	viewer: Viewer,
	filter: z.output<typeof categoryList>,
): Promise<Page<CategoryRow>> {
	let matching = db.selectFrom("query_categories as c");
	if (filter.search !== undefined && filter.search !== "") {
		const pattern = buildContainsPattern(filter.search);
		matching = matching.where((where) =>
			where.or([where("c.name", "ilike", pattern), where("c.description", "ilike", pattern)]),
		);
	}
	const direction = filter.ordering.startsWith("-") ? "desc" : "asc";
	const rows = await matching
		.selectAll("c")
		.select(selectCountedCategories(viewer))
		.orderBy(filter.ordering.endsWith("name") ? sql`lower(c.name)` : "c.created_at", direction)
		.orderBy("c.id", direction)
		.limit(filter.page_size)
		.offset(getOffset(filter))
		.execute();
	const { count } = await matching.select(sql<number>`count(*)`.as("count")).executeTakeFirstOrThrow();
	return { count, rows };
}

export async function findQueryCategory(db: Db, viewer: Viewer, id: number): Promise<CategoryRow | undefined> {
	return db
		.selectFrom("query_categories as c")
		.selectAll("c")
		.select(selectCountedCategories(viewer))
		.where("c.id", "=", id)
		.executeTakeFirst();
}

/** Rejects on a taken name (unique violation). */
/** Categories that a user made. */
export async function countOwnQueryCategories(db: Db, userId: number): Promise<number> {
	const { count } = await db
		.selectFrom("query_categories")
		.select(sql<number>`count(*)`.as("count"))
		.where("created_by_id", "=", userId)
		.executeTakeFirstOrThrow();
	return count;
}

export async function insertQueryCategory(tx: Tx, row: Insertable<QueryCategoriesTable>): Promise<number> {
	return (await tx.db.insertInto("query_categories").values(row).returning("id").executeTakeFirstOrThrow()).id;
}

/**
 * Ids of the categories of these names, without regard to case, by the given names; locks the
 * categories against deletion.
 */
export async function findCategoriesByName(tx: Tx, names: readonly string[]): Promise<Map<string, number>> {
	const { rows } = await sql<{ id: number; given: string }>`
		select c.id, given from query_categories c join unnest(${names}::text[]) as given on lower(c.name) = lower(given)
		order by c.id for key share of c`.execute(tx.db);
	return new Map(rows.map(({ id, given }) => [given, id]));
}

/**
 * Leaves columns with undefined as they are. False when there is no such category. Rejects on a
 * taken name (unique violation).
 */
export async function updateQueryCategory(
	tx: Tx,
	id: number,
	values: UpdateObject<Schema, "query_categories">,
): Promise<boolean> {
	const result = await tx.db.updateTable("query_categories").set(values).where("id", "=", id).executeTakeFirst();
	return result.numUpdatedRows > 0n;
}

/** The name of the deleted category; undefined when there is no such category. */
export async function removeQueryCategory(tx: Tx, id: number): Promise<string | undefined> {
	const row = await tx.db.deleteFrom("query_categories").where("id", "=", id).returning("name").executeTakeFirst();
	return row?.name;
}
