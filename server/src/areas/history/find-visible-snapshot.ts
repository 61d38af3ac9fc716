/**
 * Shared by the use cases: settings by default, and the lookup of a snapshot that the caller may
 * see.
 */
import type { SnapshotSettings } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Identity } from "../../core/caller.ts";
import { buildNotFoundError } from "../../core/errors.ts";
import { isQueryVisible } from "../queries/saved/visible-query.ts";
import { canSee } from "./policy.ts";
import type { SnapshotRow } from "./sql/snapshots.ts";
import { findSnapshot } from "./sql/snapshots.ts";

/** Settings of users who have saved none. */
export const DEFAULT_SETTINGS: SnapshotSettings = {
	retention_policy: "days",
	retention_days: 90,
	retention_count: 100,
	max_snapshot_size_mb: 10,
	warn_large_snapshots: true,
	auto_cleanup_enabled: true,
	store_duplicates: false,
};

/** A snapshot that the identity sees. Throws 404 for any other. */
export async function findVisibleSnapshot(ctx: Context, identity: Identity, id: string): Promise<SnapshotRow> {
	const row = await findSnapshot(ctx.store.db, id);
	if (row === undefined) throw buildNotFoundError();
	const seesQuery = row.saved_query_id !== null && (await isQueryVisible(ctx.store.db, identity, row.saved_query_id));
	if (!canSee(identity, row, seesQuery)) throw buildNotFoundError();
	return row;
}
