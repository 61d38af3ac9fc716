/** The lookup of a snapshot that the caller may see. */
import type { Context } from "../../context.ts";
import type { Identity } from "../../core/caller.ts";
import { buildNotFoundError } from "../../core/errors.ts";
import { isQueryVisible } from "../queries/saved/visible-query.ts";
import { canSee } from "./policy.ts";
import type { SnapshotRow } from "./sql/snapshots.ts";
import { findSnapshot } from "./sql/snapshots.ts";

/** A snapshot that the identity sees. Throws 404 for any other. */
export async function findVisibleSnapshot(ctx: Context, identity: Identity, id: string): Promise<SnapshotRow> {
	const row = await findSnapshot(ctx.store.db, id);
	if (row === undefined) throw buildNotFoundError();
	const seesQuery = row.saved_query_id !== null && (await isQueryVisible(ctx.store.db, identity, row.saved_query_id));
	if (!canSee(identity, row, seesQuery)) throw buildNotFoundError();
	return row;
}
