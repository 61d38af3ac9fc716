/** SQL of the snapshots that later ones are compared with. */
import { sql } from "kysely";
import type { Db } from "../../../core/ports/store.ts";

/** The history of a saved query on a connection. */
export interface HistoryPlace {
	readonly savedQueryId: string;
	readonly connectionId: string;
}

/** A snapshot to compare with. */
export interface BaselineRow {
	readonly id: string;
	/** Of its text. */
	readonly bytes: number;
}

const COLUMNS = ["id", "result_size_bytes as bytes"] as const;

/** Those with the query's own variable values. */
const listSnapshots = (db: Db, { savedQueryId, connectionId }: HistoryPlace) =>
	db
		.selectFrom("snapshots")
		.where("saved_query_id", "=", savedQueryId)
		.where("controller_connection_id", "=", connectionId)
		.where("values_digest", "is", null);

const findNewest = (db: Db, place: HistoryPlace) =>
	listSnapshots(db, place).select(COLUMNS).orderBy("executed_at", "desc").orderBy("position", "desc").limit(1);

export async function findBaselineConnection(db: Db, savedQueryId: string, id: string): Promise<string | null> {
	const found = await db
		.selectFrom("snapshots")
		.select("controller_connection_id")
		.where("id", "=", id)
		.where("saved_query_id", "=", savedQueryId)
		.executeTakeFirst();
	return found?.controller_connection_id ?? null;
}

export async function findBaselineById(db: Db, place: HistoryPlace, id: string): Promise<BaselineRow | undefined> {
	return listSnapshots(db, place).select(COLUMNS).where("id", "=", id).executeTakeFirst();
}

/** The newest one with a label. White space around a label does not count. */
export async function findLabelledBaseline(
	db: Db,
	place: HistoryPlace,
	label: string,
): Promise<BaselineRow | undefined> {
	return findNewest(db, place)
		.where("label", "is not", null)
		.where(sql<boolean>`btrim(label) = ${label}`)
		.executeTakeFirst();
}

/** The newest one of a run at or before a time. */
export async function findRunBaselineAt(db: Db, place: HistoryPlace, at: Date): Promise<BaselineRow | undefined> {
	return findNewest(db, place).where("origin", "=", "run").where("executed_at", "<=", at).executeTakeFirst();
}

/** The one of a run before another snapshot of the same history. */
export async function findRunBaselineBefore(db: Db, id: string): Promise<BaselineRow | undefined> {
	return db
		.selectFrom("snapshots as s")
		.innerJoin("snapshots as own", "own.history_id", "s.history_id")
		.select(["s.id", "s.result_size_bytes as bytes"])
		.where("own.id", "=", id)
		.where("s.origin", "=", "run")
		.whereRef("s.position", "<", "own.position")
		.orderBy("s.position", "desc")
		.limit(1)
		.executeTakeFirst();
}

/** Whether the oldest snapshots are stored: none has been deleted, or there is none. */
export async function hasFirstSnapshot(db: Db, place: HistoryPlace): Promise<boolean> {
	const oldest = await listSnapshots(db, place)
		.select("position")
		.orderBy("executed_at")
		.orderBy("position")
		.limit(1)
		.executeTakeFirst();
	return oldest === undefined || oldest.position === 1;
}
