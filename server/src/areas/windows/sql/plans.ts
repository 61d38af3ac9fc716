/** SQL of change plans as their readers and editors see them. */
import type { ChangePlanList, PlanItem, UserRef } from "@weft/contracts";
import { type Insertable, type Selectable, sql, type Updateable } from "kysely";
import type { Identity } from "../../../core/caller.ts";
import { getOffset, type Page } from "../../../core/http/paging.ts";
import { buildContainsPattern } from "../../../core/like.ts";
import type { Db, Tx } from "../../../core/ports/store.ts";
import { getUserRef } from "../../checks/sql/checks.ts";
import { visibleTo } from "../../queries/saved/index.ts";
import type { ChangePlansTable } from "../tables.ts";

export type PlanRow = Selectable<ChangePlansTable>;
export interface ShownPlan extends PlanRow {
	readonly owner: UserRef;
}
type Viewer = Pick<Identity, "userId" | "isAdmin">;

const seesPlan = ({ userId, isAdmin }: Viewer) => sql<boolean>`(${isAdmin} or p.owner_id = ${userId} or p.is_public)`;

const selectShownPlans = (db: Db) =>
	db
		.selectFrom("change_plans as p")
		.innerJoin("users as u", "u.id", "p.owner_id")
		.selectAll("p")
		.select(sql<UserRef>`${getUserRef("u")}`.as("owner"));

export async function listPlanPage(db: Db, viewer: Viewer, filter: ChangePlanList): Promise<Page<ShownPlan>> {
	const conditions = [seesPlan(viewer)];
	if (filter.my_plans === true) conditions.push(sql`p.owner_id = ${viewer.userId}`);
	if (filter.my_plans === false) conditions.push(sql`p.owner_id <> ${viewer.userId}`);
	if (filter.search !== undefined) {
		const term = buildContainsPattern(filter.search);
		conditions.push(sql`(p.name ilike ${term} or p.description ilike ${term})`);
	}
	const where = sql<boolean>`${sql.join(conditions, sql` and `)}`;
	const direction = sql.raw(filter.ordering.startsWith("-") ? "desc" : "asc");
	const column = sql.ref(`p.${filter.ordering.replace("-", "")}`);
	const [total, rows] = await Promise.all([
		db
			.selectFrom("change_plans as p")
			.select(sql<number>`count(*)::integer`.as("count"))
			.where(where)
			.executeTakeFirstOrThrow(),
		selectShownPlans(db)
			.where(where)
			.orderBy(sql`${column} ${direction}, p.id`)
			.limit(filter.page_size)
			.offset(getOffset(filter))
			.execute(),
	]);
	return { count: total.count, rows };
}

/** The plan if the viewer sees it. */
export async function findShownPlan(db: Db, viewer: Viewer, id: string): Promise<ShownPlan | undefined> {
	return selectShownPlans(db).where("p.id", "=", id).where(seesPlan(viewer)).executeTakeFirst();
}

export async function listOwnPlans(db: Db, ownerId: number): Promise<PlanRow[]> {
	return db.selectFrom("change_plans").selectAll().where("owner_id", "=", ownerId).orderBy("id").execute();
}

/** The id, if the plan is still there. It then stays until the transaction ends. */
export async function findPlanId(tx: Tx, id: string | null): Promise<string | null> {
	if (id === null) return null;
	const row = await tx.db.selectFrom("change_plans").select("id").where("id", "=", id).forKeyShare().executeTakeFirst();
	return row?.id ?? null;
}

/** Locks the plan until the transaction ends. */
export async function lockPlanRow(tx: Tx, id: string): Promise<PlanRow | undefined> {
	return tx.db.selectFrom("change_plans").selectAll().where("id", "=", id).forUpdate().executeTakeFirst();
}

export async function insertPlanRow(tx: Tx, row: Insertable<ChangePlansTable>): Promise<void> {
	await tx.db.insertInto("change_plans").values(row).execute();
}

export async function updatePlanRow(tx: Tx, id: string, values: Updateable<ChangePlansTable>): Promise<void> {
	await tx.db.updateTable("change_plans").set(values).where("id", "=", id).execute();
}

export async function deletePlanRow(tx: Tx, id: string): Promise<void> {
	await tx.db.deleteFrom("change_plans").where("id", "=", id).execute();
}

export async function countOwnPlans(db: Db, ownerId: number): Promise<number> {
	const { count } = await db
		.selectFrom("change_plans")
		.select(sql<number>`count(*)::integer`.as("count"))
		.where("owner_id", "=", ownerId)
		.executeTakeFirstOrThrow();
	return count;
}

/** Ids of the queries and checks of items. */
const listItemIds = (items: readonly PlanItem[]) => ({
	queries: items.flatMap((item) => ("query" in item ? [item.query] : [])),
	checks: items.flatMap((item) => ("check" in item ? [item.check] : [])),
});

/** Names of the queries and checks of items that the viewer sees, by id. */
export async function listItemNames(
	db: Db,
	viewer: Viewer,
	items: readonly PlanItem[],
): Promise<ReadonlyMap<string, string>> {
	const ids = listItemIds(items);
	const { rows } = await sql<{ id: string; name: string }>`
		select q.id, q.name from saved_queries q where q.id = any(${ids.queries}::uuid[]) and ${visibleTo(viewer, "q")}
		union all
		select c.id, c.name from checks c join saved_queries q on q.id = c.saved_query_id
		where c.id = any(${ids.checks}::uuid[]) and (${viewer.isAdmin} or c.owner_id = ${viewer.userId} or c.is_public)
			and ${visibleTo(viewer, "q")}`.execute(db);
	return new Map(rows.map(({ id, name }) => [id, name]));
}
