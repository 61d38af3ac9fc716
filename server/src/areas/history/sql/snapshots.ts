/** SQL of histories and of snapshots without their content. */
import { type Insertable, type RawBuilder, type Selectable, sql } from "kysely";
import { hasPassed } from "../../../core/deadline-sql.ts";
import type { Db, Tx } from "../../../core/ports/store.ts";
import { RESERVATION_MS } from "../rules/reservation.ts";
import type { SnapshotsTable } from "../tables.ts";

/** A snapshot without its content and canvas. */
export type SnapshotRow = Omit<Selectable<SnapshotsTable>, "query_structure">;
export type NewSnapshot = Insertable<SnapshotsTable>;

const LISTED = [
	"id",
	"history_id",
	"position",
	"saved_query_id",
	"private_of",
	"values_digest",
	"query_name",
	"class_name",
	"query_version",
	"query_version_hash",
	"controller_connection_id",
	"controller_connection_name",
	"execution_type",
	"origin",
	"execution_time_ms",
	"executed_at",
	"executed_by_id",
	"executed_by",
	"result_count",
	"loose_count",
	"result_size_bytes",
	"result_hash",
	"is_duplicate",
	"has_changes",
	"drift",
	"annotation",
	"label",
] as const satisfies readonly (keyof SnapshotRow)[];

export interface NewHistory {
	readonly id: string;
	readonly key: string;
	readonly saved_query_id: string | null;
	readonly owner_id: number | null;
	readonly private_of: string | null;
}

export interface HistoryRow {
	readonly id: string;
	readonly revision: number;
}

/** A history that the transaction has locked. */
export interface LockedHistory extends HistoryRow {
	/** Reserved by other work than the one that locked it. */
	readonly isReserved: boolean;
}

/** Who locks a history and when. `holder`: the own reservation, if there is one. */
export interface LockedBy {
	readonly holder: string | null;
	readonly now: Date;
}

const freeToReserve = (now: Date) =>
	sql<boolean>`(reserved_by is null or ${hasPassed("reserved_until", now, RESERVATION_MS)})`;
const buildReservedByOtherCondition = ({ holder, now }: LockedBy) =>
	sql<boolean>`(reserved_by is distinct from ${holder}::uuid and not ${freeToReserve(now)})`.as("isReserved");

export interface SnapshotController {
	readonly controller_connection_id: string | null;
	readonly controller_connection_name: string;
}

export interface ListQuery {
	readonly savedQueryId: string;
	/** Whose private results are among them. */
	readonly userId: number;
	/** Null: of all connections. */
	readonly connectionId: string | null;
	readonly limit: number;
	readonly offset: number;
	/** From `from` on and before `to`. */
	readonly span: { readonly from: Date; readonly to: Date } | null;
}

/** A time among a saved query's snapshots, optionally of one connection or history. */
export interface SnapshotAt {
	readonly savedQueryId: string;
	/** Null for the latest. */
	readonly at: Date | null;
	readonly connectionId: string | null;
	readonly historyId: string | null;
	/** Digest of the variable values; undefined: the query's own, where a snapshot has them. */
	readonly valuesDigest: string | null | undefined;
}

function listSnapshots(db: Db, { savedQueryId, connectionId, historyId, valuesDigest }: SnapshotAt) {
	const values = valuesDigest === undefined ? selectLatest({ savedQueryId, connectionId }, sql`values_digest`) : null;
	let found = db
		.selectFrom("snapshots")
		.select(LISTED)
		.where("saved_query_id", "=", savedQueryId)
		.where(sql<boolean>`values_digest is not distinct from ${values === null ? valuesDigest : sql`(${values})`}`);
	if (connectionId !== null) found = found.where("controller_connection_id", "=", connectionId);
	if (historyId !== null) found = found.where("history_id", "=", historyId);
	return found;
}

/**
 * A column of the latest snapshot of a saved query, on one connection or any, with the query's own
 * variable values where there is one: results with other values are no change of these.
 */
export const selectLatest = (
	of: { readonly savedQueryId: string; readonly connectionId: string | null },
	column: RawBuilder<unknown>,
): RawBuilder<unknown> => sql`
	select ${column} from snapshots
	where saved_query_id = ${of.savedQueryId} and (${of.connectionId}::uuid is null or controller_connection_id = ${of.connectionId}::uuid)
	order by values_digest is not null, executed_at desc, id desc limit 1`;

const filterPrivate = ({ savedQueryId, userId }: Pick<ListQuery, "savedQueryId" | "userId">) =>
	sql<boolean>`(private_of = ${savedQueryId}::uuid and executed_by_id = ${userId})`;

/** Locks the history until the transaction ends, and creates it first if it does not exist. */
export async function lockHistory(tx: Tx, history: NewHistory, by: LockedBy): Promise<LockedHistory | undefined> {
	const find = () =>
		tx.db
			.selectFrom("snapshot_histories")
			.select(["id", "revision", buildReservedByOtherCondition(by)])
			.where("key", "=", history.key)
			.forUpdate();
	const found = await find().executeTakeFirst();
	if (found !== undefined) return found;
	await tx.db
		.insertInto("snapshot_histories")
		.values(history)
		.onConflict((conflict) => conflict.column("key").doNothing())
		.execute();
	return find().executeTakeFirst();
}

export async function findHistory(db: Db, key: string): Promise<HistoryRow | undefined> {
	return db.selectFrom("snapshot_histories").select(["id", "revision"]).where("key", "=", key).executeTakeFirst();
}

export async function findHistoryById(
	db: Db,
	id: string,
): Promise<(HistoryRow & { readonly key: string }) | undefined> {
	return db.selectFrom("snapshot_histories").select(["id", "key", "revision"]).where("id", "=", id).executeTakeFirst();
}

/** Locks a history until the transaction ends. */
export async function lockHistoryById(tx: Tx, id: string, by: LockedBy): Promise<LockedHistory | undefined> {
	return tx.db
		.selectFrom("snapshot_histories")
		.select(["id", "revision", buildReservedByOtherCondition(by)])
		.where("id", "=", id)
		.forUpdate()
		.executeTakeFirst();
}

/** False where other work has reserved the history. One that is gone needs no reservation. */
export async function tryReserveHistory(
	db: Db,
	id: string,
	{ holder, now, until }: Required<LockedBy> & { until: Date },
): Promise<boolean> {
	const { numUpdatedRows } = await db
		.updateTable("snapshot_histories")
		.set({ reserved_by: holder, reserved_until: until })
		.where("id", "=", id)
		.where(freeToReserve(now))
		.executeTakeFirstOrThrow();
	return numUpdatedRows > 0n || (await findHistoryById(db, id)) === undefined;
}

export async function endReservation(db: Db, id: string, holder: string): Promise<void> {
	await db
		.updateTable("snapshot_histories")
		.set({ reserved_by: null, reserved_until: null })
		.where("id", "=", id)
		.where("reserved_by", "=", holder)
		.execute();
}

/** Increments the revision, which shows that the content of the history has changed. */
export async function incrementRevision(tx: Tx, id: string): Promise<void> {
	await tx.db.updateTable("snapshot_histories").set({ revision: sql`revision + 1` }).where("id", "=", id).execute();
}

/** Notes that a result equalled the latest snapshot of a history at a time. */
export async function updateConfirmedAt(tx: Tx, key: string, at: Date): Promise<void> {
	await tx.db
		.updateTable("snapshot_histories")
		.set({ confirmed_at: sql<Date>`greatest(confirmed_at, ${at})` })
		.where("key", "=", key)
		.execute();
}

/** The latest snapshot of a history. */
export async function findLatestSnapshot(db: Db, key: string): Promise<SnapshotRow | undefined> {
	return db
		.selectFrom("snapshots")
		.select(LISTED)
		.where("history_id", "=", (inner) => inner.selectFrom("snapshot_histories").select("id").where("key", "=", key))
		.orderBy("position", "desc")
		.limit(1)
		.executeTakeFirst();
}

export async function insertSnapshotRow(tx: Tx, snapshot: NewSnapshot): Promise<void> {
	await tx.db.insertInto("snapshots").values(snapshot).execute();
}

export async function findSnapshot(db: Db, id: string): Promise<SnapshotRow | undefined> {
	return db.selectFrom("snapshots").select(LISTED).where("id", "=", id).executeTakeFirst();
}

/** The latest snapshot at or before a time. */
export async function findNearestSnapshot(db: Db, wanted: SnapshotAt): Promise<SnapshotRow | undefined> {
	const found = listSnapshots(db, wanted).orderBy("executed_at", "desc").orderBy("id", "desc");
	const { at } = wanted;
	return (at === null ? found : found.where("executed_at", "<=", at)).limit(1).executeTakeFirst();
}

/** Time of the first snapshot of those that `findNearestSnapshot` selects from. */
export async function findFirstTime(db: Db, wanted: SnapshotAt): Promise<Date | undefined> {
	const row = await listSnapshots(db, wanted).orderBy("executed_at").limit(1).executeTakeFirst();
	return row?.executed_at;
}

/** The canvas of an ad-hoc query; null for a saved one. */
export async function findQueryStructure(db: Db, id: string): Promise<unknown> {
	const row = await db.selectFrom("snapshots").select("query_structure").where("id", "=", id).executeTakeFirst();
	return row?.query_structure ?? null;
}

/** Most recent first. */
export async function listSnapshotPage(db: Db, query: ListQuery): Promise<{ count: number; rows: SnapshotRow[] }> {
	const { span, connectionId } = query;
	const hasPrivate = await db
		.selectFrom("snapshots")
		.select("id")
		.where(filterPrivate(query))
		.limit(1)
		.executeTakeFirst();
	let matching = db
		.selectFrom("snapshots")
		.where((eb) =>
			hasPrivate === undefined
				? eb("saved_query_id", "=", query.savedQueryId)
				: eb.or([eb("saved_query_id", "=", query.savedQueryId), filterPrivate(query)]),
		);
	if (connectionId !== null) matching = matching.where("controller_connection_id", "=", connectionId);
	if (span !== null) matching = matching.where("executed_at", ">=", span.from).where("executed_at", "<", span.to);
	const { count } = await matching.select((build) => build.fn.countAll<number>().as("count")).executeTakeFirstOrThrow();
	if (count <= query.offset) return { count, rows: [] };
	const rows = await matching
		.select(LISTED)
		.orderBy("executed_at", "desc")
		.orderBy("id", "desc")
		.limit(query.limit)
		.offset(query.offset)
		.execute();
	return { count, rows };
}

/**
 * The connections of a query's snapshots that a user sees, as the latest snapshot of each names
 * it.
 */
export async function listSnapshotControllers(
	db: Db,
	savedQueryId: string,
	userId: number,
): Promise<SnapshotController[]> {
	const { rows } = await sql<SnapshotController>`
		select distinct latest.controller_connection_id, latest.controller_connection_name from snapshot_histories h
		cross join lateral (
			select controller_connection_id, controller_connection_name from snapshots s
			where s.history_id = h.id order by s.position desc limit 1
		) latest
		where h.saved_query_id = ${savedQueryId} or (h.private_of = ${savedQueryId} and h.owner_id = ${userId})
		order by 2, 1`.execute(db);
	return rows;
}

/**
 * Number of snapshots that a user sees and time of the latest, for each query that has any,
 * latest first.
 */
export async function countSnapshots(
	db: Db,
	queryIds: readonly string[],
	userId: number,
): Promise<{ id: string; count: number; latest: Date }[]> {
	const { rows } = await sql<{ id: string; count: number; latest: Date }>`
		select h.id, h.count, latest.at as latest from (
			select coalesce(saved_query_id, private_of) as id, sum(snapshot_count)::integer as count from snapshot_histories
			where saved_query_id = any(${queryIds}::uuid[]) or (private_of = any(${queryIds}::uuid[]) and owner_id = ${userId})
			group by 1 having sum(snapshot_count) > 0
		) h cross join lateral (
			select greatest(
				(select max(executed_at) from snapshots s where s.saved_query_id = h.id),
				(select max(executed_at) from snapshots s where s.private_of = h.id and s.executed_by_id = ${userId})) as at
		) latest
		order by latest.at desc, h.id`.execute(db);
	return rows;
}

export async function updateAnnotations(
	tx: Tx,
	id: string,
	values: { annotation?: string | null; label?: string | null },
): Promise<SnapshotRow | undefined> {
	return tx.db.updateTable("snapshots").set(values).where("id", "=", id).returning(LISTED).executeTakeFirst();
}
