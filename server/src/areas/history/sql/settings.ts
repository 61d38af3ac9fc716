/** SQL of each user's snapshot settings. */
import type { SnapshotSettings, SnapshotSettingsBody } from "@weft/contracts";
import type { Db, Tx } from "../../../core/ports/store.ts";

const COLUMNS = [
	"retention_policy",
	"retention_days",
	"retention_count",
	"max_snapshot_size_mb",
	"warn_large_snapshots",
	"auto_cleanup_enabled",
	"store_duplicates",
] as const satisfies readonly (keyof SnapshotSettings)[];

export async function findSnapshotSettings(db: Db, userId: number): Promise<SnapshotSettings | undefined> {
	return db.selectFrom("snapshot_settings").select(COLUMNS).where("user_id", "=", userId).executeTakeFirst();
}

/**
 * Creates the row from `values` if it does not exist. `given` replaces stored values and
 * defaults.
 */
export async function saveSnapshotSettings(
	tx: Tx,
	userId: number,
	values: SnapshotSettings,
	given: SnapshotSettingsBody,
): Promise<SnapshotSettings> {
	return tx.db
		.insertInto("snapshot_settings")
		.values({ user_id: userId, ...values, ...given })
		.onConflict((conflict) => conflict.column("user_id").doUpdateSet({ user_id: userId, ...given }))
		.returning(COLUMNS)
		.executeTakeFirstOrThrow();
}
