/** SQL of template categories. */
import type { AutomationCategoryList } from "@weft/contracts";
import { type Insertable, type Selectable, sql, type Updateable } from "kysely";
import { getOffset, type Page } from "../../../../core/http/paging.ts";
import type { Db, Tx } from "../../../../core/ports/store.ts";
import type { AutomationCategoriesTable } from "../../tables.ts";
import type { Viewer } from "./reference.ts";
import { buildSeenByCondition } from "./templates.ts";

/** A category with the number of templates in it that the viewer sees. */
export interface CategoryRow extends Selectable<AutomationCategoriesTable> {
	readonly template_count: number;
}
export const CATEGORY_NAME = "automation_categories_name";

const selectShownCategories = (db: Db, viewer: Viewer) =>
	db
		.selectFrom("automation_categories as c")
		.selectAll("c")
		.select(
			sql<number>`(select count(*)::int from automation_templates t where t.category_id = c.id and ${buildSeenByCondition(viewer)})`.as(
				"template_count",
			),
		);

export async function listTemplateCategories(
	db: Db,
	viewer: Viewer,
	filter: AutomationCategoryList,
): Promise<Page<CategoryRow>> {
	const where = filter.search
		? sql<boolean>`position(lower(${filter.search}) in lower(c.name || ' ' || c.description)) > 0`
		: sql<boolean>`true`;
	const direction = filter.ordering.startsWith("-") ? "desc" : "asc";
	const field = filter.ordering.replace("-", "");
	const [total, rows] = await Promise.all([
		db
			.selectFrom("automation_categories as c")
			.select(sql<number>`count(*)::int`.as("count"))
			.where(where)
			.executeTakeFirstOrThrow(),
		selectShownCategories(db, viewer)
			.where(where)
			.orderBy(field === "name" ? sql`lower(c.name)` : sql.ref(`c.${field}`), direction)
			.orderBy(sql`lower(c.name)`)
			.orderBy("c.id")
			.limit(filter.page_size)
			.offset(getOffset(filter))
			.execute(),
	]);
	return { count: total.count, rows };
}

export async function findTemplateCategory(db: Db, viewer: Viewer, id: number): Promise<CategoryRow | undefined> {
	return selectShownCategories(db, viewer).where("c.id", "=", id).executeTakeFirst();
}

/** Categories that a user made. */
export async function countOwnTemplateCategories(db: Db, userId: number): Promise<number> {
	const { count } = await db
		.selectFrom("automation_categories")
		.select(sql<number>`count(*)`.as("count"))
		.where("created_by_id", "=", userId)
		.executeTakeFirstOrThrow();
	return count;
}

/** Rejects on a taken name (unique violation). */
export async function insertTemplateCategory(tx: Tx, row: Insertable<AutomationCategoriesTable>): Promise<number> {
	const made = await tx.db.insertInto("automation_categories").values(row).returning("id").executeTakeFirstOrThrow();
	return made.id;
}

/** False when there is no such category. */
export async function updateTemplateCategory(
	tx: Tx,
	id: number,
	values: Updateable<AutomationCategoriesTable>,
): Promise<boolean> {
	const { numUpdatedRows } = await tx.db
		.updateTable("automation_categories")
		.set(values)
		.where("id", "=", id)
		.executeTakeFirst();
	return numUpdatedRows > 0n;
}

/** The name of the category that was deleted. */
export async function removeTemplateCategory(tx: Tx, id: number): Promise<string | undefined> {
	const gone = await tx.db
		.deleteFrom("automation_categories")
		.where("id", "=", id)
		.returning("name")
		.executeTakeFirst();
	return gone?.name;
}
