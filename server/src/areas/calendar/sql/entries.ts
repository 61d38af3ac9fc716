/** SQL of calendar entries. */
import type { CalendarEntryList, CalendarKind, UserRef } from "@weft/contracts";
import { type Insertable, type RawBuilder, type Selectable, sql, type Updateable } from "kysely";
import { getOffset, type Page } from "../../../core/http/paging.ts";
import { buildContainsPattern } from "../../../core/like.ts";
import type { Db, Tx } from "../../../core/ports/store.ts";
import { buildVisibleCondition, isAdministrator, type Viewer } from "../../fabrics/sql/visible.ts";
import type { CalendarEntriesTable } from "../tables.ts";

export type EntryRow = Selectable<CalendarEntriesTable>;

/** An entry as the viewer sees it. */
export interface ShownEntry extends EntryRow {
	readonly owner: UserRef | null;
	readonly seen_connection_ids: string[];
	readonly seen_group_ids: string[];
	/** Connections and groups that exist and that the viewer does not see. */
	readonly hidden_count: number;
}

const isForAll = sql<boolean>`(e.connection_ids = '{}' and e.connection_group_ids = '{}')`;

/**
 * Members of the entry's groups that the entry's owner may edit. Adding another user's connection
 * to a group must not freeze it.
 */
const isCountedMember = sql`m.group_id = any(e.connection_group_ids) and m.connection_id = c.id
	and (e.created_by_id is null or c.created_by = e.created_by_id
		or exists (select from users o where o.id = e.created_by_id and ${isAdministrator("o")}))`;

/** Whether the entry `e` is for a connection `c` that meets the condition. */
const isForConnection = (condition: RawBuilder<unknown>): RawBuilder<boolean> =>
	sql<boolean>`(${isForAll} or exists (
		select from controller_connections c where ${condition} and (c.id = any(e.connection_ids)
			or exists (select from connection_group_members m where ${isCountedMember}))))`;

const buildSeenByCondition = (viewer: Viewer): RawBuilder<boolean> =>
	viewer.isAdmin
		? sql<boolean>`true`
		: sql<boolean>`(e.created_by_id = ${viewer.userId} or ${isForConnection(buildVisibleCondition(viewer, "c"))})`;

const countHidden = (viewer: Viewer) => sql<number>`((
	select count(*) from controller_connections c
		where c.id = any(e.connection_ids) and not ${buildVisibleCondition(viewer, "c")})
	+ (select count(*) from connection_groups g
		where g.id = any(e.connection_group_ids) and not ${buildVisibleCondition(viewer, "g")}))::int`;

const selectShownEntries = (db: Db, viewer: Viewer) =>
	db
		.selectFrom("calendar_entries as e")
		.leftJoin("users as u", "u.id", "e.created_by_id")
		.selectAll("e")
		.select([
			sql<UserRef | null>`case when u.id is null then null else jsonb_build_object('id', u.id,
				'username', u.username, 'first_name', u.first_name, 'last_name', u.last_name) end`.as("owner"),
			sql<string[]>`array(select c.id from unnest(e.connection_ids) with ordinality as named(id, place)
				join controller_connections c on c.id = named.id and ${buildVisibleCondition(viewer, "c")}
				order by named.place)`.as("seen_connection_ids"),
			sql<string[]>`array(select g.id from unnest(e.connection_group_ids) with ordinality as named(id, place)
				join connection_groups g on g.id = named.id and ${buildVisibleCondition(viewer, "g")}
				order by named.place)`.as("seen_group_ids"),
			countHidden(viewer).as("hidden_count"),
		])
		.where(buildSeenByCondition(viewer));

export async function listEntryPage(db: Db, viewer: Viewer, filter: CalendarEntryList): Promise<Page<ShownEntry>> {
	const conditions = [buildSeenByCondition(viewer)];
	if (filter.kind !== undefined) conditions.push(sql`e.kind = ${filter.kind}`);
	if (filter.is_active !== undefined) conditions.push(sql`e.is_active = ${filter.is_active}`);
	if (filter.connection !== undefined) conditions.push(isForConnection(sql`c.id = ${filter.connection}`));
	if (filter.search !== undefined) {
		const term = buildContainsPattern(filter.search);
		conditions.push(sql`(e.title ilike ${term} or e.reason ilike ${term} or e.ticket_number ilike ${term})`);
	}
	const where = sql<boolean>`${sql.join(conditions, sql` and `)}`;
	const direction = filter.ordering.startsWith("-") ? "desc" : "asc";
	const [{ count }, rows] = await Promise.all([
		db
			.selectFrom("calendar_entries as e")
			.select(sql<number>`count(*)::int`.as("count"))
			.where(where)
			.executeTakeFirstOrThrow(),
		selectShownEntries(db, viewer)
			.where(where)
			.orderBy(sql.ref(`e.${filter.ordering.replace("-", "")}`), direction)
			.orderBy("e.id", direction)
			.limit(filter.page_size)
			.offset(getOffset(filter))
			.execute(),
	]);
	return { count, rows };
}

/** An entry with the names of its connections and groups, in the order of the ids. */
export interface OwnedEntry extends EntryRow {
	/** The id stands for the name of one that is deleted or that the owner does not see. */
	readonly connection_names: string[];
	readonly group_names: string[];
}

/** Lists the entries that a user made by hand; those of imported calendars are left out. */
export async function listOwnEntries(db: Db, viewer: Viewer): Promise<OwnedEntry[]> {
	return db
		.selectFrom("calendar_entries as e")
		.selectAll("e")
		.select([
			sql<string[]>`array(select coalesce(c.name, named.id::text)
				from unnest(e.connection_ids) with ordinality as named(id, place)
				left join controller_connections c on c.id = named.id and ${buildVisibleCondition(viewer, "c")}
				order by named.place)`.as("connection_names"),
			sql<string[]>`array(select coalesce(g.name, named.id::text)
				from unnest(e.connection_group_ids) with ordinality as named(id, place)
				left join connection_groups g on g.id = named.id and ${buildVisibleCondition(viewer, "g")}
				order by named.place)`.as("group_names"),
		])
		.where("e.created_by_id", "=", viewer.userId)
		.where("e.source", "=", "manual")
		.orderBy("e.id")
		.execute();
}

/** Returns the entry if the viewer sees it. */
export async function findShownEntry(db: Db, viewer: Viewer, id: string): Promise<ShownEntry | undefined> {
	return selectShownEntries(db, viewer).where("e.id", "=", id).executeTakeFirst();
}

/** Locks the row until the transaction ends. */
export async function lockEntryRow(tx: Tx, id: string): Promise<EntryRow | undefined> {
	return tx.db.selectFrom("calendar_entries").selectAll().where("id", "=", id).forUpdate().executeTakeFirst();
}

/** Selects active entries that may have an occurrence between the times. */
const selectBetween = (db: Db, from: Date, to: Date) =>
	db
		.selectFrom("calendar_entries as e")
		.selectAll("e")
		.where("e.is_active", "=", true)
		.where("e.starts_at", "<", to)
		.where((eb) => eb.or([eb("e.rrule", "is not", null), eb("e.ends_at", ">", from)]));

interface EntryFilter {
	readonly connection?: string | undefined;
	readonly kind?: CalendarKind | undefined;
}

/** Lists visible active entries that may have an occurrence between the times, at most `limit`. */
export async function listEntriesBetween(
	db: Db,
	viewer: Viewer,
	{ from, to }: { readonly from: Date; readonly to: Date },
	{ connection, kind }: EntryFilter,
	limit: number,
): Promise<EntryRow[]> {
	return selectBetween(db, from, to)
		.where(buildSeenByCondition(viewer))
		.$if(kind !== undefined, (query) => query.where("e.kind", "=", kind ?? "freeze"))
		.$if(connection !== undefined, (query) => query.where(isForConnection(sql`c.id = ${connection}`)))
		.orderBy("e.starts_at")
		.orderBy("e.id")
		.limit(limit)
		.execute();
}

/**
 * Lists active freezes that may be on at a time for one of the connections.
 * @param connectionIds null for any connection
 */
export async function listFreezesAt(db: Db, connectionIds: readonly string[] | null, at: Date): Promise<EntryRow[]> {
	return selectBetween(db, at, new Date(at.getTime() + 1))
		.where("e.kind", "=", "freeze")
		.$if(connectionIds !== null, (query) => query.where(isForConnection(sql`c.id = any(${connectionIds}::uuid[])`)))
		.orderBy("e.id")
		.execute();
}

/** Lists active maintenance that may be on at a time, with the ids of its connections. */
export async function listMaintenanceAt(
	db: Db,
	at: Date,
): Promise<(EntryRow & { readonly is_for_all: boolean; readonly covered_ids: string[] })[]> {
	return selectBetween(db, at, new Date(at.getTime() + 1))
		.select([
			isForAll.as("is_for_all"),
			sql<string[]>`array(select c.id from controller_connections c where c.id = any(e.connection_ids)
				or exists (select from connection_group_members m where ${isCountedMember}))`.as("covered_ids"),
		])
		.where("e.kind", "=", "maintenance")
		.orderBy("e.id")
		.execute();
}

/** Counts the entries of a user. */
export async function countOwnEntries(db: Db, userId: number): Promise<number> {
	const { count } = await db
		.selectFrom("calendar_entries")
		.select(sql<number>`count(*)::int`.as("count"))
		.where("created_by_id", "=", userId)
		.executeTakeFirstOrThrow();
	return count;
}

export async function insertEntryRow(tx: Tx, row: Insertable<CalendarEntriesTable>): Promise<void> {
	await tx.db.insertInto("calendar_entries").values(row).execute();
}

export async function updateEntryRow(tx: Tx, id: string, values: Updateable<CalendarEntriesTable>): Promise<void> {
	await tx.db.updateTable("calendar_entries").set(values).where("id", "=", id).execute();
}

export async function removeEntryRow(tx: Tx, id: string): Promise<void> {
	await tx.db.deleteFrom("calendar_entries").where("id", "=", id).execute();
}
