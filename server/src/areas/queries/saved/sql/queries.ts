/** SQL of saved queries, their shares, favorites and counters. */
import type { DriftRules, SavedQueryList } from "@weft/contracts";
import {
	type Insertable,
	type RawBuilder,
	type Selectable,
	type SelectQueryBuilder,
	sql,
	type UpdateObject,
} from "kysely";
import { getOffset, type Page } from "../../../../core/http/paging.ts";
import { buildContainsPattern } from "../../../../core/like.ts";
import type { Schema } from "../../../../core/ports/schema.ts";
import type { Db, Tx } from "../../../../core/ports/store.ts";
import type { Viewer } from "../policy.ts";
import type { SavedQueriesTable, SavedQueryVersionsTable } from "../tables.ts";
import { buildVisibleCondition } from "./visible.ts";

/** A saved query as a viewer sees it, without its canvas. */
export interface QueryRow extends Selectable<SavedQueriesTable> {
	readonly owner_username: string;
	readonly owner_first_name: string;
	readonly owner_last_name: string;
	readonly category_name: string | null;
	readonly is_favorite: boolean;
}

export interface FoundQuery extends QueryRow {
	/** Ids of users, ascending. */
	readonly shared_with: number[];
}

/** A query of its owner with the content of its current version. */
export interface OwnQuery
	extends Pick<
			QueryRow,
			| "id"
			| "name"
			| "owner_id"
			| "description"
			| "tags"
			| "is_public"
			| "is_template"
			| "enable_time_machine"
			| "drift_rules"
			| "major_version"
			| "minor_version"
			| "category_name"
		>,
		Pick<Selectable<SavedQueryVersionsTable>, "flow_data" | "post_processors" | "variables"> {
	readonly connection_group_id: string | null;
	readonly connection_group_name: string | null;
}

export interface OthersQuery {
	readonly id: string;
	readonly name: string;
	/** Username. */
	readonly owner: string;
}

type Queries = SelectQueryBuilder<Schema & { q: SavedQueriesTable }, "q", unknown>;

/** First key of the advisory lock of `toggleQueryFavorite`; the second: user and query. */
const FAVORITE_LOCK = 0x6661;

/** One page and the count of all; does not read the canvases. */
export async function listQueryPage(db: Db, viewer: Viewer, filter: SavedQueryList): Promise<Page<QueryRow>> {
	const matching = filterQueries(db, viewer, filter);
	const order = getOrder(filter.ordering);
	const page = matching.selectAll("q").orderBy(order).limit(filter.page_size).offset(getOffset(filter));
	const rows = await withDetails(db.selectFrom(page.as("q")), viewer)
		.orderBy(order)
		.execute();
	const isLast = rows.length < filter.page_size && (rows.length > 0 || filter.page === 1);
	if (isLast) return { count: getOffset(filter) + rows.length, rows };
	const { count } = await matching.select(sql<number>`count(*)`.as("count")).executeTakeFirstOrThrow();
	return { count, rows };
}

/** The query if the viewer may see it. */
export async function findSavedQuery(db: Db, viewer: Viewer, id: string): Promise<FoundQuery | undefined> {
	return withDetails(db.selectFrom("saved_queries as q"), viewer)
		.select(
			sql<number[]>`array(select s.user_id from saved_query_shares s where s.query_id = q.id order by s.user_id)`.as(
				"shared_with",
			),
		)
		.where("q.id", "=", id)
		.where(buildVisibleCondition(viewer, "q"))
		.executeTakeFirst();
}

/** The owner's next queries by id, with their current content. */
export async function listOwnQueries(db: Db, ownerId: number, last: string, limit: number): Promise<OwnQuery[]> {
	return buildOwnCondition(db, ownerId).where("q.id", ">", last).orderBy("q.id").limit(limit).execute();
}

/** The owner's queries of these ids, with their current content; locks them. */
export async function lockOwnQueries(tx: Tx, ownerId: number, ids: readonly string[]): Promise<OwnQuery[]> {
	return buildOwnCondition(tx.db, ownerId)
		.where(sql<boolean>`q.id = any(${ids}::uuid[])`)
		.orderBy("q.id")
		.forUpdate("q")
		.execute();
}

/** Queries of others by these names that the viewer may see. */
export async function findOthersByName(db: Db, viewer: Viewer, names: readonly string[]): Promise<OthersQuery[]> {
	return db
		.selectFrom("saved_queries as q")
		.innerJoin("users as u", "u.id", "q.owner_id")
		.select(["q.id", "q.name", "u.username as owner"])
		.where(sql<boolean>`q.name = any(${names}::text[])`)
		.where("q.owner_id", "<>", viewer.userId)
		.where(buildVisibleCondition(viewer, "q"))
		.orderBy("q.name")
		.orderBy("q.id")
		.execute();
}

/** Which of these queries the viewer may see. */
export async function listVisibleIds(db: Db, viewer: Viewer, ids: readonly string[]): Promise<string[]> {
	const rows = await db
		.selectFrom("saved_queries as q")
		.select("q.id")
		.where(sql<boolean>`q.id = any(${ids}::uuid[])`)
		.where(buildVisibleCondition(viewer, "q"))
		.execute();
	return rows.map(({ id }) => id);
}

/** The owner's query of this name. */
export async function findOwnByName(tx: Tx, ownerId: number, name: string): Promise<string | undefined> {
	const row = await tx.db
		.selectFrom("saved_queries")
		.select("id")
		.where("owner_id", "=", ownerId)
		.where("name", "=", name)
		.executeTakeFirst();
	return row?.id;
}

export async function findDriftRules(db: Db, id: string): Promise<Partial<DriftRules> | undefined> {
	const row = await db.selectFrom("saved_queries").select("drift_rules").where("id", "=", id).executeTakeFirst();
	return row?.drift_rules;
}

/** The visible queries that have the Time Machine enabled. */
export async function listWatchedQueries(db: Db, viewer: Viewer) {
	return db
		.selectFrom("saved_queries as q")
		.select(["q.id", "q.name", "q.major_version", "q.minor_version"])
		.where("q.enable_time_machine", "=", true)
		.where(buildVisibleCondition(viewer, "q"))
		.execute();
}

/** Locks the query, so that changes of it run one after another. */
export async function lockQuery(tx: Tx, id: string): Promise<void> {
	await tx.db.selectFrom("saved_queries").select("id").where("id", "=", id).forUpdate().execute();
}

/** False when the owner has a query of that name. */
export async function insertQuery(tx: Tx, row: Insertable<SavedQueriesTable>): Promise<boolean> {
	const result = await tx.db
		.insertInto("saved_queries")
		.values(row)
		.onConflict((conflict) => conflict.constraint("saved_queries_owner_name").doNothing())
		.executeTakeFirst();
	return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Rejects on a taken name (unique violation). */
export async function insertQueries(tx: Tx, rows: readonly Insertable<SavedQueriesTable>[]): Promise<void> {
	await tx.db.insertInto("saved_queries").values(rows).execute();
}

/** Leaves columns with undefined as they are. Rejects on a taken name (unique violation). */
export async function updateQueryRow(tx: Tx, id: string, values: UpdateObject<Schema, "saved_queries">): Promise<void> {
	await tx.db.updateTable("saved_queries").set(values).where("id", "=", id).execute();
}

export async function removeQueryRow(tx: Tx, id: string): Promise<void> {
	await tx.db.deleteFrom("saved_queries").where("id", "=", id).execute();
}

/** Names of the owner's queries that start with a text. */
export async function listNamesLike(tx: Tx, ownerId: number, prefix: string): Promise<string[]> {
	const rows = await tx.db
		.selectFrom("saved_queries")
		.select("name")
		.where("owner_id", "=", ownerId)
		.where(sql<boolean>`starts_with(name, ${prefix})`)
		.execute();
	return rows.map((row) => row.name);
}

/** Locks the query against deletion; without effect when it does not exist. */
export async function holdQuery(tx: Tx, id: string): Promise<void> {
	await tx.db.selectFrom("saved_queries").select("id").where("id", "=", id).forKeyShare().execute();
}

/** Whether the category exists; locks it against deletion. */
export async function holdQueryCategory(tx: Tx, id: number): Promise<boolean> {
	const rows = await tx.db.selectFrom("query_categories").select("id").where("id", "=", id).forKeyShare().execute();
	return rows.length > 0;
}

/** Which of the users exist; locks them against deletion. */
export async function holdUsers(tx: Tx, ids: readonly number[]): Promise<number[]> {
	const rows = await tx.db
		.selectFrom("users")
		.select("id")
		.where("id", "=", sql<number>`any(${ids}::integer[])`)
		.orderBy("id")
		.forKeyShare()
		.execute();
	return rows.map((row) => row.id);
}

export async function setQueryShares(tx: Tx, id: string, userIds: readonly number[]): Promise<void> {
	await sql`delete from saved_query_shares where query_id = ${id} and user_id <> all(${userIds}::integer[])`.execute(
		tx.db,
	);
	await sql`insert into saved_query_shares (query_id, user_id) select ${id}, unnest(${userIds}::integer[])
		on conflict do nothing`.execute(tx.db);
}

/** Whether the query is a favorite now. Concurrent calls each toggle once. */
export async function toggleQueryFavorite(tx: Tx, userId: number, queryId: string, at: Date): Promise<boolean> {
	await sql`select pg_advisory_xact_lock(${FAVORITE_LOCK}, hashtext(${`${userId}:${queryId}`}))`.execute(tx.db);
	const removed = await tx.db
		.deleteFrom("saved_query_favorites")
		.where("user_id", "=", userId)
		.where("query_id", "=", queryId)
		.executeTakeFirst();
	if (removed.numDeletedRows > 0n) return false;
	await tx.db
		.insertInto("saved_query_favorites")
		.values({ user_id: userId, query_id: queryId, created_at: at })
		.execute();
	return true;
}

/** Counts one execution; false when the query does not exist. */
export async function countQueryExecution(tx: Tx, id: string, at: Date): Promise<boolean> {
	const result = await tx.db
		.updateTable("saved_queries")
		.set({
			execution_count: sql`execution_count + 1`,
			last_executed_at: sql`greatest(last_executed_at, ${at})`,
		})
		.where("id", "=", id)
		.executeTakeFirst();
	return result.numUpdatedRows > 0n;
}

/** By user: their own queries, and their favorites among the queries that they may see. */
export async function countQueriesByOwner(db: Db, viewers: readonly Viewer[]): Promise<Map<number, QueryCounts>> {
	const { rows } = await sql<QueryCounts & { id: number }>`
		select u.id,
			(select count(*) from saved_queries q where q.owner_id = u.id) as query_count,
			(select count(*) from saved_query_favorites f join saved_queries q on q.id = f.query_id
				where f.user_id = u.id and (u.admin or q.owner_id = u.id or q.is_public or exists (
					select from saved_query_shares s where s.user_id = u.id and s.query_id = q.id))) as favorite_count
		from unnest(${viewers.map(({ userId }) => userId)}::int[], ${viewers.map(({ isAdmin }) => isAdmin)}::bool[])
			as u(id, admin)`.execute(db);
	return new Map(rows.map(({ id, ...counts }) => [id, counts]));
}

export async function countOwnQueries(db: Db, userId: number): Promise<number> {
	const { count } = await db
		.selectFrom("saved_queries")
		.select(sql<number>`count(*)`.as("count"))
		.where("owner_id", "=", userId)
		.executeTakeFirstOrThrow();
	return count;
}

interface QueryCounts {
	readonly query_count: number;
	readonly favorite_count: number;
}

const isFavorite = (viewer: Viewer) =>
	sql<boolean>`exists (select from saved_query_favorites f
		where f.user_id = ${viewer.userId} and f.query_id = q.id)`;

const buildOwnCondition = (db: Db, ownerId: number) =>
	db
		.selectFrom("saved_queries as q")
		.innerJoin("saved_query_versions as v", (join) =>
			join
				.onRef("v.query_id", "=", "q.id")
				.onRef("v.major", "=", "q.major_version")
				.onRef("v.minor", "=", "q.minor_version"),
		)
		.leftJoin("query_categories as c", "c.id", "q.category_id")
		.leftJoin("connection_groups as g", "g.id", "q.connection_group_id")
		.select([
			"q.id",
			"q.name",
			"q.owner_id",
			"q.description",
			"q.tags",
			"q.is_public",
			"q.is_template",
			"q.enable_time_machine",
			"q.drift_rules",
			"q.connection_group_id",
			"g.name as connection_group_name",
			"q.major_version",
			"q.minor_version",
			"c.name as category_name",
			"v.flow_data",
			"v.post_processors",
			"v.variables",
		])
		.where("q.owner_id", "=", ownerId);

function filterQueries(db: Db, viewer: Viewer, filter: SavedQueryList): Queries {
	const favorite = isFavorite(viewer);
	let query: Queries = db.selectFrom("saved_queries as q").where(buildVisibleCondition(viewer, "q"));
	if (filter.category !== undefined) query = query.where("q.category_id", "=", filter.category);
	if (filter.is_template !== undefined) query = query.where("q.is_template", "=", filter.is_template);
	if (filter.my_queries !== undefined) query = query.where("q.owner_id", filter.my_queries ? "=" : "<>", viewer.userId);
	if (filter.is_favorite !== undefined) {
		query = query.where(filter.is_favorite ? favorite : sql<boolean>`not ${favorite}`);
	}
	if (filter.search !== undefined && filter.search !== "") {
		const pattern = buildContainsPattern(filter.search);
		query = query.where((where) =>
			where.or([where("q.name", "ilike", pattern), where("q.description", "ilike", pattern)]),
		);
	}
	return query;
}

/**
 * Ends with the id in the same direction, so that pages neither repeat nor skip rows. Never
 * executed sorts as oldest.
 */
function getOrder(ordering: SavedQueryList["ordering"]): RawBuilder<unknown> {
	const direction = ordering.startsWith("-") ? sql`desc` : sql`asc`;
	const field = ordering.replace("-", "");
	if (field === "name") return sql`lower(q.name) ${direction}, q.id ${direction}`;
	const nulls = field !== "last_executed_at" ? sql`` : ordering.startsWith("-") ? sql`nulls last` : sql`nulls first`;
	return sql`${sql.ref(`q.${field}`)} ${direction} ${nulls}, q.id ${direction}`;
}

/** Joins the owner, the category and whether the query is a favorite of the viewer. */
function withDetails(query: Queries, viewer: Viewer) {
	return query
		.innerJoin("users as u", "u.id", "q.owner_id")
		.leftJoin("query_categories as c", "c.id", "q.category_id")
		.selectAll("q")
		.select([
			"u.username as owner_username",
			"u.first_name as owner_first_name",
			"u.last_name as owner_last_name",
			"c.name as category_name",
			isFavorite(viewer).as("is_favorite"),
		]);
}
