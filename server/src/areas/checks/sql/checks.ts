/** SQL of checks as their readers and editors see them. */
import type { Check, CheckList, UserRef } from "@weft/contracts";
import { CHECK_STATES, CHECK_TYPES_ACROSS, FINDING_SEVERITIES } from "@weft/contracts";
import { type Insertable, type RawBuilder, type Selectable, sql, type Updateable } from "kysely";
import type { Identity } from "../../../core/caller.ts";
import { getOffset, type Page } from "../../../core/http/paging.ts";
import { buildContainsPattern } from "../../../core/like.ts";
import type { Db, Tx } from "../../../core/ports/store.ts";
import { visibleTo } from "../../queries/saved/index.ts";
import type { ChecksTable } from "../tables.ts";

export type CheckRow = Selectable<ChecksTable>;
/** With its owner, and its query's name and schedules. */
export interface ShownCheck extends CheckRow {
	readonly owner: UserRef;
	readonly query_name: string;
	/** `next_run_at` is as the store writes it. */
	readonly schedules: Check["schedules"];
	readonly is_watched: boolean;
}
/** With the names that its query and connections have now. */
export interface OwnedCheck extends CheckRow {
	readonly query_name: string;
	/** In the order of the ids. */
	readonly connection_names: string[];
}
export type Viewer = Pick<Identity, "userId" | "isAdmin">;

/** Own and public checks of queries that the viewer sees. `c` is the check, `q` its query. */
export function buildSeenByCondition(viewer: Viewer): RawBuilder<boolean> {
	if (viewer.isAdmin) return sql<boolean>`true`;
	return sql<boolean>`((c.owner_id = ${viewer.userId} or c.is_public) and ${visibleTo(viewer, "q")})`;
}

/** `cc` is the connection, absent for entries of all connections together. */
export const seesConnection = (viewer: Viewer): RawBuilder<boolean> =>
	sql<boolean>`(s.connection_id is null or ${viewer.isAdmin} or cc.is_public or cc.created_by = ${viewer.userId})`;

export const getUserRef = (alias: string) =>
	sql<UserRef | null>`case when ${sql.ref(`${alias}.id`)} is null then null else jsonb_build_object(
		'id', ${sql.ref(`${alias}.id`)}, 'username', ${sql.ref(`${alias}.username`)},
		'first_name', ${sql.ref(`${alias}.first_name`)}, 'last_name', ${sql.ref(`${alias}.last_name`)}) end`;

/** Schedules that are listed with a check. */
const SCHEDULES_MAX = 20;

/** Who sees a check sees its query, and therefore the schedules of it. */
const schedules = sql<Check["schedules"]>`coalesce((
	select jsonb_agg(jsonb_build_object('id', t.id, 'name', t.name, 'frequency', t.frequency, 'next_run_at', t.next_run_at)
		order by t.next_run_at, t.id)
	from (select * from scheduled_tasks where saved_query_id = c.saved_query_id
		order by next_run_at, id limit ${sql.lit(SCHEDULES_MAX)}) t), '[]'::jsonb)`;
const isWatched = sql<boolean>`exists (
	select from scheduled_tasks t where t.saved_query_id = c.saved_query_id and t.status = 'active')`;

const selectJoinedChecks = (db: Db) =>
	db
		.selectFrom("checks as c")
		.innerJoin("users as u", "u.id", "c.owner_id")
		.innerJoin("saved_queries as q", "q.id", "c.saved_query_id");

const selectShownChecks = (db: Db) =>
	selectJoinedChecks(db)
		.selectAll("c")
		.select([
			"q.name as query_name",
			sql<UserRef>`${getUserRef("u")}`.as("owner"),
			schedules.as("schedules"),
			isWatched.as("is_watched"),
		]);

export async function listCheckPage(db: Db, viewer: Viewer, filter: CheckList): Promise<Page<ShownCheck>> {
	const conditions = [buildSeenByCondition(viewer)];
	if (filter.severity !== undefined) conditions.push(sql`c.severity = ${filter.severity}`);
	if (filter.query !== undefined) conditions.push(sql`c.saved_query_id = ${filter.query}`);
	if (filter.my_checks === true) conditions.push(sql`c.owner_id = ${viewer.userId}`);
	if (filter.my_checks === false) conditions.push(sql`c.owner_id <> ${viewer.userId}`);
	if (filter.search !== undefined) {
		const term = buildContainsPattern(filter.search);
		conditions.push(sql`(c.name ilike ${term} or c.description ilike ${term})`);
	}
	if (filter.state !== undefined || filter.connection !== undefined) conditions.push(hasEntry(viewer, filter));
	const where = sql<boolean>`${sql.join(conditions, sql` and `)}`;
	const direction = sql.raw(filter.ordering.startsWith("-") ? "desc" : "asc");
	const columns = orderColumns(viewer, filter.ordering.replace("-", ""));
	const [total, rows] = await Promise.all([
		selectJoinedChecks(db).select(sql<number>`count(*)`.as("count")).where(where).executeTakeFirstOrThrow(),
		selectShownChecks(db)
			.where(where)
			.orderBy(sql`${sql.join(columns.map((column) => sql`${column} ${direction}`))}`)
			.limit(filter.page_size)
			.offset(getOffset(filter))
			.execute(),
	]);
	return { count: total.count, rows };
}

/** The check if the viewer sees it. */
export async function findShownCheck(db: Db, viewer: Viewer, id: string): Promise<ShownCheck | undefined> {
	return selectShownChecks(db).where("c.id", "=", id).where(buildSeenByCondition(viewer)).executeTakeFirst();
}

/** Checks by id, of any owner. */
export async function listChecksById(db: Db, ids: readonly string[]): Promise<CheckRow[]> {
	return db.selectFrom("checks").selectAll().where(sql<boolean>`id = any(${ids}::uuid[])`).execute();
}

/** The owner's checks by id. */
export async function listOwnChecks(db: Db, ownerId: number): Promise<OwnedCheck[]> {
	return selectJoinedChecks(db)
		.selectAll("c")
		.select([
			"q.name as query_name",
			sql<string[]>`array(select coalesce(cc.name, '')
				from unnest(c.connection_ids) with ordinality as named(id, place)
				left join controller_connections cc on cc.id = named.id order by named.place)`.as("connection_names"),
		])
		.where("c.owner_id", "=", ownerId)
		.orderBy("c.id")
		.execute();
}

/** Checks of others by these names that the viewer sees. */
export async function findOthersChecks(
	db: Db,
	viewer: Viewer,
	names: readonly string[],
): Promise<Pick<CheckRow, "id" | "name">[]> {
	return selectJoinedChecks(db)
		.select(["c.id", "c.name"])
		.where(sql<boolean>`c.name = any(${names}::text[])`)
		.where("c.owner_id", "<>", viewer.userId)
		.where(buildSeenByCondition(viewer))
		.orderBy("c.id")
		.execute();
}

/** Locks checks of the owner. */
export async function lockOwnChecks(tx: Tx, ownerId: number, ids: readonly string[]): Promise<CheckRow[]> {
	return tx.db
		.selectFrom("checks")
		.selectAll()
		.where("owner_id", "=", ownerId)
		.where(sql<boolean>`id = any(${ids}::uuid[])`)
		.orderBy("id")
		.forUpdate()
		.execute();
}

/** Locks the check until the transaction ends. Comes before locks of its states. */
export async function lockCheckRow(tx: Tx, id: string): Promise<CheckRow | undefined> {
	return tx.db.selectFrom("checks").selectAll().where("id", "=", id).forUpdate().executeTakeFirst();
}

export async function countOwnChecks(db: Db, ownerId: number): Promise<number> {
	const { count } = await db
		.selectFrom("checks")
		.select(sql<number>`count(*)`.as("count"))
		.where("owner_id", "=", ownerId)
		.executeTakeFirstOrThrow();
	return count;
}

/** The owner's checks of a query. */
export async function countQueryChecks(tx: Tx, queryId: string, ownerId: number): Promise<number> {
	const { count } = await tx.db
		.selectFrom("checks")
		.select(sql<number>`count(*)`.as("count"))
		.where("saved_query_id", "=", queryId)
		.where("owner_id", "=", ownerId)
		.executeTakeFirstOrThrow();
	return count;
}

/**
 * Different baselines of the owner's checks of a query, without the previous snapshot and one
 * check's.
 */
export async function listQueryBaselines(
	tx: Tx,
	queryId: string,
	ownerId: number,
	exceptId: string | null,
): Promise<unknown[]> {
	const { rows } = await sql<{ baseline: unknown }>`
		select distinct config -> 'baseline' as baseline from checks
		where saved_query_id = ${queryId} and owner_id = ${ownerId} and type = 'unchanged' and config -> 'baseline' ->> 'kind' <> 'previous'
			and id is distinct from ${exceptId}::uuid`.execute(tx.db);
	return rows.map(({ baseline }) => baseline);
}

/**
 * Active checks of a query, those of its owner first, then by id; those across connections, or
 * the others.
 */
export async function listActiveQueryChecks(db: Db, queryId: string, across: boolean): Promise<CheckRow[]> {
	return db
		.selectFrom("checks")
		.selectAll()
		.where("saved_query_id", "=", queryId)
		.where("is_active", "=", true)
		.where("type", across ? "in" : "not in", [...CHECK_TYPES_ACROSS])
		.orderBy(sql`owner_id = (select owner_id from saved_queries where id = ${queryId})`, "desc")
		.orderBy("id")
		.execute();
}

/** Those that are active, in the order of their ids, kept from changing. */
export async function holdActiveChecks(tx: Tx, ids: readonly string[]): Promise<CheckRow[]> {
	return tx.db
		.selectFrom("checks")
		.selectAll()
		.where(sql<boolean>`id = any(${ids}::uuid[])`)
		.where("is_active", "=", true)
		.orderBy("id")
		.forShare()
		.execute();
}

export async function insertCheckRow(tx: Tx, row: Insertable<ChecksTable>): Promise<void> {
	await tx.db.insertInto("checks").values(row).execute();
}

export async function updateCheckRow(
	tx: Tx,
	id: string,
	values: Updateable<ChecksTable>,
	isRedefined = false,
): Promise<void> {
	await tx.db
		.updateTable("checks")
		.set(values)
		.$if(isRedefined, (query) => query.set((eb) => ({ revision: eb("revision", "+", 1) })))
		.where("id", "=", id)
		.execute();
}

export async function removeCheckRow(tx: Tx, id: string): Promise<void> {
	await tx.db.deleteFrom("checks").where("id", "=", id).execute();
}

/** What a list is ordered by, the most significant first; each in the same direction. */
function orderColumns(viewer: Viewer, name: string): RawBuilder<unknown>[] {
	const id = sql.ref("c.id");
	if (name !== "state") return [sql.ref(`c.${name}`), id];
	const severity = sql`array_position(${[...FINDING_SEVERITIES]}::text[], c.severity)`;
	return [sql.ref("c.is_active"), buildWorstState(viewer), severity, id];
}

/** The place in CHECK_STATES of the worst state of a check that the viewer sees, from 1 on. */
function buildWorstState(viewer: Viewer): RawBuilder<number> {
	// The connections are read once instead of once per check, which takes a quarter of the time.
	const seen = sql`(s.connection_id is null or s.connection_id in
		(select cc.id from controller_connections cc where cc.is_public or cc.created_by = ${viewer.userId}))`;
	const worst = sql`(select max(array_position(${[...CHECK_STATES]}::text[], s.state)) from check_states s
		where s.check_id = c.id and ${viewer.isAdmin ? sql`true` : seen})`;
	const unknown = CHECK_STATES.indexOf("unknown") + 1;
	return sql<number>`coalesce(${worst}, ${unknown})`;
}

export interface CheckCount {
	readonly severity: Check["severity"];
	readonly state: Check["state"];
	readonly checks: number;
}

/** Numbers of active checks that the viewer sees, by severity and worst state. */
export async function countCheckStates(db: Db, viewer: Viewer): Promise<CheckCount[]> {
	const { rows } = await sql<CheckCount>`
		select c.severity, (${[...CHECK_STATES]}::text[])[${buildWorstState(viewer)}] as state, count(*)::integer as checks
		from checks c join saved_queries q on q.id = c.saved_query_id
		where c.is_active and ${buildSeenByCondition(viewer)} group by 1, 2`.execute(db);
	return rows;
}

/** A check without entries is unknown. */
function hasEntry(viewer: Viewer, { state, connection }: CheckList): RawBuilder<boolean> {
	const conditions = [sql<boolean>`s.check_id = c.id`, seesConnection(viewer)];
	if (connection !== undefined) conditions.push(sql`s.connection_id = ${connection}`);
	const entries = sql`select from check_states s left join controller_connections cc on cc.id = s.connection_id
		where ${sql.join(conditions, sql` and `)}`;
	if (state === undefined) return sql<boolean>`exists (${entries})`;
	const found = sql<boolean>`exists (${entries} and s.state = ${state})`;
	const isUnknown = state === "unknown" && connection === undefined;
	return isUnknown ? sql<boolean>`(${found} or not exists (${entries}))` : found;
}
