/** SQL of histories and of snapshots without their content. */
import { type Insertable, type Selectable, sql } from "kysely";
import type { SnapshotsTable } from "../../ports/schema.ts";
import type { Db, Tx } from "../../ports/store.ts";

/** What lists show of a snapshot. */
export type SnapshotRow = Omit<Selectable<SnapshotsTable>, "query_structure">;
export type NewSnapshot = Insertable<SnapshotsTable>;

const LISTED = [
	"id",
	"history_id",
	"position",
	"saved_query_id",
	"query_name",
	"class_name",
	"query_version",
	"query_version_hash",
	"controller_connection_id",
	"controller_connection_name",
	"execution_type",
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
	"annotation",
	"label",
] as const satisfies readonly (keyof SnapshotRow)[];

export interface NewHistory {
	readonly id: string;
	readonly key: string;
	readonly saved_query_id: string | null;
	readonly owner_id: number | null;
}

export interface HistoryRow {
	readonly id: string;
	readonly revision: number;
}

export interface ListQuery {
	readonly savedQueryId: string;
	readonly limit: number;
	readonly offset: number;
	/** Instants from `from` on and before `to`. */
	readonly span: { readonly from: Date; readonly to: Date } | null;
}

/** A place in a saved query's snapshots. */
export interface Moment {
	readonly savedQueryId: string;
	readonly at: Date | null;
	readonly connectionId: string | null;
	readonly historyId: string | null;
}

function momentsOf(db: Db, { savedQueryId, connectionId, historyId }: Moment) {
	let found = db.selectFrom("snapshots").select(LISTED).where("saved_query_id", "=", savedQueryId);
	if (connectionId !== null) found = found.where("controller_connection_id", "=", connectionId);
	if (historyId !== null) found = found.where("history_id", "=", historyId);
	return found;
}

export function createTimeMachineRepo() {
	return {
		/** Makes the history where it is absent, and locks it until the transaction ends. */
		async lockHistory(tx: Tx, history: NewHistory): Promise<HistoryRow | undefined> {
			const find = () =>
				tx.db.selectFrom("snapshot_histories").select(["id", "revision"]).where("key", "=", history.key).forUpdate();
			const found = await find().executeTakeFirst();
			if (found !== undefined) return found;
			await tx.db
				.insertInto("snapshot_histories")
				.values(history)
				.onConflict((conflict) => conflict.column("key").doNothing())
				.execute();
			return find().executeTakeFirst();
		},

		async history(db: Db, key: string): Promise<HistoryRow | undefined> {
			return db.selectFrom("snapshot_histories").select(["id", "revision"]).where("key", "=", key).executeTakeFirst();
		},

		async historyById(db: Db, id: string): Promise<HistoryRow | undefined> {
			return db.selectFrom("snapshot_histories").select(["id", "revision"]).where("id", "=", id).executeTakeFirst();
		},

		/** Locks a history until the transaction ends. */
		async lockHistoryById(tx: Tx, id: string): Promise<HistoryRow | undefined> {
			return tx.db
				.selectFrom("snapshot_histories")
				.select(["id", "revision"])
				.where("id", "=", id)
				.forUpdate()
				.executeTakeFirst();
		},

		/** Tells everybody that what the history holds has changed. */
		async touchHistory(tx: Tx, id: string): Promise<void> {
			await tx.db.updateTable("snapshot_histories").set({ revision: sql`revision + 1` }).where("id", "=", id).execute();
		},

		/** The latest snapshot of a history. */
		async latest(db: Db, key: string): Promise<SnapshotRow | undefined> {
			return db
				.selectFrom("snapshots")
				.select(LISTED)
				.where("history_id", "=", (inner) => inner.selectFrom("snapshot_histories").select("id").where("key", "=", key))
				.orderBy("position", "desc")
				.limit(1)
				.executeTakeFirst();
		},

		async insert(tx: Tx, snapshot: NewSnapshot): Promise<void> {
			await tx.db.insertInto("snapshots").values(snapshot).execute();
		},

		async find(db: Db, id: string): Promise<SnapshotRow | undefined> {
			return db.selectFrom("snapshots").select(LISTED).where("id", "=", id).executeTakeFirst();
		},

		/** The latest snapshot of a saved query at or before an instant, of all times where that is null; of one connection or history where that is given. */
		async nearest(db: Db, moment: Moment): Promise<SnapshotRow | undefined> {
			const found = momentsOf(db, moment).orderBy("executed_at", "desc").orderBy("id", "desc");
			const { at } = moment;
			return (at === null ? found : found.where("executed_at", "<=", at)).limit(1).executeTakeFirst();
		},

		/** When the first snapshot was captured of those that `nearest` would choose from. */
		async firstMoment(db: Db, moment: Moment): Promise<Date | undefined> {
			const row = await momentsOf(db, moment).orderBy("executed_at").limit(1).executeTakeFirst();
			return row?.executed_at;
		},

		/** The canvas of an ad-hoc query. */
		async queryStructure(db: Db, id: string): Promise<unknown> {
			const row = await db.selectFrom("snapshots").select("query_structure").where("id", "=", id).executeTakeFirst();
			return row?.query_structure ?? null;
		},

		/** Most recent first. */
		async list(db: Db, query: ListQuery): Promise<{ count: number; rows: SnapshotRow[] }> {
			const { span } = query;
			let matching = db.selectFrom("snapshots").where("saved_query_id", "=", query.savedQueryId);
			if (span !== null) matching = matching.where("executed_at", ">=", span.from).where("executed_at", "<", span.to);
			const { count } = await matching
				.select((build) => build.fn.countAll<number>().as("count"))
				.executeTakeFirstOrThrow();
			if (count <= query.offset) return { count, rows: [] };
			const rows = await matching
				.select(LISTED)
				.orderBy("executed_at", "desc")
				.orderBy("id", "desc")
				.limit(query.limit)
				.offset(query.offset)
				.execute();
			return { count, rows };
		},

		/** How many snapshots each query has and when the latest was captured; the latest first, queries without any left out. */
		async counts(db: Db, queryIds: readonly string[]): Promise<{ id: string; count: number; latest: Date }[]> {
			const { rows } = await sql<{ id: string; count: number; latest: Date }>`
				select h.id, h.count, latest.at as latest from (
					select saved_query_id as id, sum(snapshot_count)::integer as count from snapshot_histories
					where saved_query_id = any(${queryIds}::uuid[]) group by 1
				) h cross join lateral (
					select executed_at as at from snapshots s where s.saved_query_id = h.id order by executed_at desc, s.id desc limit 1
				) latest
				order by latest.at desc, h.id`.execute(db);
			return rows;
		},

		async annotate(
			tx: Tx,
			id: string,
			values: { annotation?: string | null; label?: string | null },
		): Promise<SnapshotRow | undefined> {
			return tx.db.updateTable("snapshots").set(values).where("id", "=", id).returning(LISTED).executeTakeFirst();
		},
	};
}

export type TimeMachineRepo = ReturnType<typeof createTimeMachineRepo>;
