/** SQL of what lookups at captures have found. */
import { sql } from "kysely";
import type { Db, Tx } from "../../../core/ports/store.ts";
import type { StoredAttribution } from "../rules/attribution.ts";
import type { SnapshotRow } from "./snapshots.ts";

/** A snapshot between two of a history, and the lookup of its drift. */
export interface AttributedStep {
	readonly drift: SnapshotRow["drift"];
	/** Null if nothing was looked up. */
	readonly found: StoredAttribution | null;
}

/** Id and time of the snapshot before one of a history; undefined if there is none. */
export async function findSnapshotBefore(
	db: Db,
	{ history_id, position }: Pick<SnapshotRow, "history_id" | "position">,
): Promise<{ id: string } | undefined> {
	return db
		.selectFrom("snapshots")
		.select("id")
		.where("history_id", "=", history_id)
		.where("position", "<", position)
		.orderBy("position", "desc")
		.limit(1)
		.executeTakeFirst();
}

/** The snapshots above position `low` up to `high`, latest first, at most `limit`. */
export async function listAttributionSteps(
	db: Db,
	{ historyId, low, high, limit }: { historyId: string; low: number; high: number; limit: number },
): Promise<AttributedStep[]> {
	return db
		.selectFrom("snapshots as s")
		.leftJoin("snapshot_attributions as a", "a.snapshot_id", "s.id")
		.select(["s.drift", "a.found"])
		.where("s.history_id", "=", historyId)
		.where("s.position", ">", low)
		.where("s.position", "<=", high)
		.orderBy("s.position", "desc")
		.limit(limit)
		.execute();
}

export async function isAttributionStored(db: Db, snapshotId: string): Promise<boolean> {
	const row = await db
		.selectFrom("snapshot_attributions")
		.select("snapshot_id")
		.where("snapshot_id", "=", snapshotId)
		.executeTakeFirst();
	return row !== undefined;
}

/** Does nothing if the snapshot is gone, or has one already. */
export async function insertAttribution(tx: Tx, snapshotId: string, found: StoredAttribution): Promise<void> {
	await sql`
		insert into snapshot_attributions (snapshot_id, found)
		select id, ${JSON.stringify(found)}::jsonb from snapshots where id = ${snapshotId} for key share
		on conflict (snapshot_id) do nothing
	`.execute(tx.db);
}
