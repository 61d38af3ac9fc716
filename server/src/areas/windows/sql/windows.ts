/** SQL of change windows as their readers and movers see them. */
import type { ChangeWindowList, UserRef, WindowState } from "@weft/contracts";
import { type Insertable, type RawBuilder, type Selectable, sql, type Updateable } from "kysely";
import type { Identity } from "../../../core/caller.ts";
import { getOffset, type Page } from "../../../core/http/paging.ts";
import { buildContainsPattern } from "../../../core/like.ts";
import type { Db, Tx } from "../../../core/ports/store.ts";
import { getUserRef } from "../../checks/sql/checks.ts";
import { PROBLEMS, WARNINGS } from "../rules/findings.ts";
import type { ChangeWindowConnectionsTable, ChangeWindowEventsTable, ChangeWindowsTable } from "../tables.ts";

export type WindowRow = Selectable<ChangeWindowsTable>;
export type ConnectionRow = Selectable<ChangeWindowConnectionsTable>;
/** A connection of a window as a viewer sees it. */
export interface ShownConnection extends ConnectionRow {
	readonly is_visible: boolean;
}
export interface ShownWindow extends WindowRow {
	readonly owner: UserRef | null;
	/** Connections that the viewer sees, in the order of the window. */
	readonly visible_ids: string[];
	readonly hidden_count: number;
	/** Counted findings of the last verdict, and the users who accepted some. */
	readonly findings: { readonly total: number; readonly accepted: number; readonly by: string[] };
}
type Viewer = Pick<Identity, "userId" | "isAdmin">;

/** Whether the viewer sees the connection; only administrators see a deleted one. */
const seesPresent = ({ userId, isAdmin }: Viewer, alias: string): RawBuilder<boolean> =>
	sql<boolean>`(${isAdmin} or exists (select from controller_connections k
		where k.id = ${sql.ref(`${alias}.connection_id`)} and (k.is_public or k.created_by = ${userId})))`;

/** Whether the viewer of a window sees its connection; a deleted connection hides nothing. */
const seesConnection = (viewer: Viewer, alias: string): RawBuilder<boolean> =>
	sql<boolean>`(${seesPresent(viewer, alias)} or not exists (
		select from controller_connections k where k.id = ${sql.ref(`${alias}.connection_id`)}))`;

/** The window of a request that names no plan is seen as the request is: by its owner. */
const seesWindow = (viewer: Viewer): RawBuilder<boolean> =>
	sql<boolean>`(w.owner_id = ${viewer.userId} or ((${viewer.isAdmin} or w.plan -> 'snapshot_query' is null)
		and exists (select from change_window_connections c where c.window_id = w.id and ${seesPresent(viewer, "c")})))`;

/** The findings that the verdict line counts: those that decided the verdict. */
const COUNTED = sql`(f.class in (${sql.join(PROBLEMS)})
	or (w.verdict like 'passed%' and f.class in (${sql.join(WARNINGS)})))`;

const selectShownWindows = (db: Db, viewer: Viewer) =>
	db
		.selectFrom("change_windows as w")
		.leftJoin("users as u", "u.id", "w.owner_id")
		.selectAll("w")
		.select([
			sql<UserRef | null>`${getUserRef("u")}`.as("owner"),
			sql<string[]>`array(select c.connection_id from change_window_connections c
				where c.window_id = w.id and ${seesConnection(viewer, "c")} order by c.position)`.as("visible_ids"),
			sql<number>`(select count(*) from change_window_connections c
				where c.window_id = w.id and not ${seesConnection(viewer, "c")})::integer`.as("hidden_count"),
			sql<ShownWindow["findings"]>`(select jsonb_build_object('total', count(*), 'accepted', count(f.accepted_by),
				'by', coalesce(jsonb_agg(distinct f.accepted_by) filter (where f.accepted_by is not null), '[]'::jsonb))
				from change_window_findings f where f.window_id = w.id and ${COUNTED})`.as("findings"),
		]);

/** When the window was over; null while it is not. */
const ENDED = sql`case when w.state in ('judged', 'closed', 'cancelled', 'expired')
	then coalesce(w.finished_at, w.updated_at) end`;

function listConditions(viewer: Viewer, filter: ChangeWindowList): RawBuilder<boolean>[] {
	const conditions = [seesWindow(viewer)];
	if (filter.state !== undefined) conditions.push(sql`w.state = ${filter.state}`);
	if (filter.verdict !== undefined) conditions.push(sql`w.verdict = ${filter.verdict}`);
	if (filter.ticket !== undefined) conditions.push(sql`w.ticket_number = ${filter.ticket}`);
	if (filter.connection !== undefined)
		conditions.push(sql`exists (select from change_window_connections c where c.window_id = w.id
			and c.connection_id = ${filter.connection} and ${seesConnection(viewer, "c")})`);
	if (filter.from !== undefined)
		conditions.push(sql`coalesce(${ENDED}, w.ends_at, 'infinity') > ${new Date(filter.from)}::timestamptz`);
	if (filter.to !== undefined)
		conditions.push(sql`coalesce(w.starts_at, w.created_at) < ${new Date(filter.to)}::timestamptz`);
	if (filter.mine === true) conditions.push(sql`w.owner_id = ${viewer.userId}`);
	if (filter.mine === false) conditions.push(sql`w.owner_id is distinct from ${viewer.userId}`);
	if (filter.search !== undefined) {
		const term = buildContainsPattern(filter.search);
		conditions.push(sql`(w.title ilike ${term} or w.ticket_number ilike ${term})`);
	}
	return conditions;
}

export async function listWindowPage(db: Db, viewer: Viewer, filter: ChangeWindowList): Promise<Page<ShownWindow>> {
	const where = sql<boolean>`${sql.join(listConditions(viewer, filter), sql` and `)}`;
	const direction = sql.raw(filter.ordering.startsWith("-") ? "desc" : "asc");
	const column = sql.ref(`w.${filter.ordering.replace("-", "")}`);
	const [total, rows] = await Promise.all([
		db
			.selectFrom("change_windows as w")
			.select(sql<number>`count(*)::integer`.as("count"))
			.where(where)
			.executeTakeFirstOrThrow(),
		selectShownWindows(db, viewer)
			.where(where)
			.orderBy(sql`${column} ${direction} nulls last, w.id`)
			.limit(filter.page_size)
			.offset(getOffset(filter))
			.execute(),
	]);
	return { count: total.count, rows };
}

/** The window if the viewer sees it. */
export async function findShownWindow(db: Db, viewer: Viewer, id: string): Promise<ShownWindow | undefined> {
	return selectShownWindows(db, viewer).where("w.id", "=", id).where(seesWindow(viewer)).executeTakeFirst();
}

export async function findWindowByKey(db: Db, ownerId: number, key: string): Promise<string | undefined> {
	const row = await db
		.selectFrom("change_windows")
		.select("id")
		.where("owner_id", "=", ownerId)
		.where("idempotency_key", "=", key)
		.executeTakeFirst();
	return row?.id;
}

export async function findWindowRow(db: Db, id: string): Promise<WindowRow | undefined> {
	return db.selectFrom("change_windows").selectAll().where("id", "=", id).executeTakeFirst();
}

/** Locks the window until the transaction ends. */
export async function lockWindowRow(tx: Tx, id: string): Promise<WindowRow | undefined> {
	return tx.db.selectFrom("change_windows").selectAll().where("id", "=", id).forUpdate().executeTakeFirst();
}

export async function insertWindowRow(tx: Tx, row: Insertable<ChangeWindowsTable>): Promise<void> {
	await tx.db.insertInto("change_windows").values(row).execute();
}

export async function updateWindowRow(tx: Tx, id: string, values: Updateable<ChangeWindowsTable>): Promise<void> {
	await tx.db.updateTable("change_windows").set(values).where("id", "=", id).execute();
}

export async function deleteWindowRow(tx: Tx, id: string): Promise<void> {
	await tx.db.deleteFrom("change_windows").where("id", "=", id).execute();
}

/** Windows of an owner that are neither judged nor over. */
export async function countOpenWindows(db: Db, ownerId: number): Promise<number> {
	const { count } = await db
		.selectFrom("change_windows")
		.select(sql<number>`count(*)::integer`.as("count"))
		.where("owner_id", "=", ownerId)
		.where("state", "not in", ["judged", "closed", "cancelled", "expired"])
		.executeTakeFirstOrThrow();
	return count;
}

/** Replaces the connections of a window. */
export async function replaceConnections(
	tx: Tx,
	windowId: string,
	connections: readonly { readonly id: string; readonly name: string }[],
): Promise<void> {
	await tx.db.deleteFrom("change_window_connections").where("window_id", "=", windowId).execute();
	if (connections.length === 0) return;
	const rows = connections.map(({ id, name }, position) => ({
		window_id: windowId,
		connection_id: id,
		connection_name: name,
		position,
		release_before: null,
		release_after: null,
		defect_before: null,
	}));
	await tx.db.insertInto("change_window_connections").values(rows).execute();
}

export async function listConnections(db: Db, viewer: Viewer, windowId: string): Promise<ShownConnection[]> {
	return db
		.selectFrom("change_window_connections as c")
		.selectAll("c")
		.select(seesConnection(viewer, "c").as("is_visible"))
		.where("c.window_id", "=", windowId)
		.orderBy("c.position")
		.execute();
}

/** All connections of a window, for any viewer. */
export async function listAllConnections(db: Db, windowId: string): Promise<ConnectionRow[]> {
	return db
		.selectFrom("change_window_connections")
		.selectAll()
		.where("window_id", "=", windowId)
		.orderBy("position")
		.execute();
}

/** Stores the releases of controllers in a phase, and before the work also their defects. */
export async function setControllers(
	tx: Tx,
	windowId: string,
	phase: "before" | "after",
	states: ReadonlyMap<string, { readonly release: string | null; readonly defect: string | null }>,
): Promise<void> {
	for (const [connectionId, { release, defect }] of states) {
		await tx.db
			.updateTable("change_window_connections")
			.set(phase === "before" ? { release_before: release, defect_before: defect } : { release_after: release })
			.where("window_id", "=", windowId)
			.where("connection_id", "=", connectionId)
			.execute();
	}
}

/**
 * Ids of other windows that the viewer sees and that are not over, on one of the connections at the
 * same time.
 */
export async function listOverlaps(db: Db, viewer: Viewer, window: WindowRow): Promise<string[]> {
	const { rows } = await sql<{ id: string }>`
		select w.id from change_windows w
		where w.id <> ${window.id} and ${seesWindow(viewer)} and w.state not in ('draft', 'closed', 'cancelled', 'expired')
			and exists (select from change_window_connections a join change_window_connections b
				on b.connection_id = a.connection_id and b.window_id = ${window.id} where a.window_id = w.id)
			and tstzrange(least(w.starts_at, w.opened_at), greatest(w.ends_at, w.finished_at))
				&& tstzrange(least(${window.starts_at}::timestamptz, ${window.opened_at}::timestamptz),
					greatest(${window.ends_at}::timestamptz, ${window.finished_at}::timestamptz))
		order by w.created_at limit 100`.execute(db);
	return rows.map(({ id }) => id);
}

/** Locks due windows, the longest due first, without those that other processes hold. */
export async function lockDueWindows(tx: Tx, now: Date, limit: number): Promise<WindowRow[]> {
	return tx.db
		.selectFrom("change_windows")
		.selectAll()
		.where("next_at", "<=", now)
		.orderBy("next_at")
		.limit(limit)
		.forUpdate()
		.skipLocked()
		.execute();
}

export async function hasDueWindows(db: Db, now: Date): Promise<boolean> {
	const row = await db
		.selectFrom("change_windows")
		.select("id")
		.where("next_at", "<=", now)
		.limit(1)
		.executeTakeFirst();
	return row !== undefined;
}

/**
 * Locks the window until the transaction ends. Returns false if another transaction holds it, and
 * true if the window is gone.
 */
export async function tryLockWindow(tx: Tx, id: string): Promise<boolean> {
	const locked = await tx.db
		.selectFrom("change_windows")
		.select("id")
		.where("id", "=", id)
		.forUpdate()
		.skipLocked()
		.executeTakeFirst();
	return locked !== undefined || (await findWindowRow(tx.db, id)) === undefined;
}

/**
 * Windows all of whose jobs have ended: open ones that end with their last job, and those with a
 * job that ended after the work.
 */
export async function listIdleWindows(db: Db, limit: number): Promise<string[]> {
	const rows = await db
		.selectFrom("change_windows as w")
		.select("w.id")
		.where(
			sql<boolean>`((w.state = 'open' and w.auto_finish
					and exists (select from automation_executions e where e.change_window_id = w.id))
				or (w.state in ('settling', 'judged') and exists (select from automation_executions e
					where e.change_window_id = w.id and e.job_id is not null and e.ended_at > w.finished_at)))`,
		)
		.where(
			sql<boolean>`not exists (select from automation_executions e where e.change_window_id = w.id
				and e.finished_at is null)`,
		)
		.orderBy("w.id")
		.limit(limit)
		.execute();
	return rows.map(({ id }) => id);
}

export async function insertEvents(tx: Tx, rows: readonly Insertable<ChangeWindowEventsTable>[]): Promise<void> {
	if (rows.length > 0)
		await tx.db
			.insertInto("change_window_events")
			.values([...rows])
			.execute();
}

export async function listEvents(db: Db, windowId: string): Promise<Selectable<ChangeWindowEventsTable>[]> {
	return db
		.selectFrom("change_window_events")
		.selectAll()
		.where("window_id", "=", windowId)
		.orderBy("at")
		.orderBy("id")
		.execute();
}

/** Numbers of windows by state. */
export async function countByState(db: Db): Promise<{ state: WindowState; count: number }[]> {
	return db
		.selectFrom("change_windows")
		.select(["state", sql<number>`count(*)::integer`.as("count")])
		.groupBy("state")
		.execute();
}

/** Deletes windows that were judged or over before a time. */
export async function deleteOldWindows(db: Db, before: Date): Promise<void> {
	await db
		.deleteFrom("change_windows")
		.where("state", "in", ["judged", "closed", "cancelled", "expired"])
		.where("updated_at", "<", before)
		.execute();
}
