/** Finds the two snapshots of a comparison: given by id, or by time within a saved query. */
import type { CompareBody } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Identity } from "../../core/caller.ts";
import { buildFieldError, buildNotFoundError } from "../../core/errors.ts";
import { requireVisibleQuery } from "../queries/saved/visible-query.ts";
import { findVisibleSnapshot } from "./find-visible-snapshot.ts";
import type { SnapshotAt, SnapshotRow } from "./sql/snapshots.ts";
import { findFirstTime, findNearestSnapshot } from "./sql/snapshots.ts";

export interface Sides {
	readonly from: SnapshotRow;
	readonly to: SnapshotRow;
}

/**
 * Throws 404 if the query or a snapshot is not visible, 400 if there is none at or before a time.
 */
export async function findSides(ctx: Context, identity: Identity, body: CompareBody): Promise<Sides> {
	const { saved_query_id: queryId, connection_from_id: fromConnection, connection_to_id: toConnection } = body;
	if (queryId !== undefined) await requireVisibleQuery(ctx.store.db, identity, queryId);
	const byId = async (id: string | undefined) =>
		id === undefined ? undefined : findVisibleSnapshot(ctx, identity, id);
	const [givenFrom, givenTo] = await Promise.all([byId(body.snapshot_from_id), byId(body.snapshot_to_id)]);

	/** Without a connection, both sides are of the same history. */
	async function findSide(side: "from" | "to", other: SnapshotRow | undefined): Promise<SnapshotRow> {
		if (queryId === undefined) throw buildNotFoundError();
		const own = side === "from" ? fromConnection : toConnection;
		const connectionId = own ?? fromConnection ?? toConnection ?? null;
		const isSame = connectionId === null && other?.saved_query_id === queryId;
		const at = body[side] === undefined ? null : new Date(body[side]);
		const valuesDigest = other?.saved_query_id === queryId ? other.values_digest : undefined;
		const historyId = isSame ? other.history_id : null;
		const wanted = { savedQueryId: queryId, at, connectionId, historyId, valuesDigest };
		const found = await findNearestSnapshot(ctx.store.db, wanted);
		if (found === undefined) throw await buildNoSnapshotError(ctx, side, wanted);
		return found;
	}
	const to = givenTo ?? (await findSide("to", givenFrom));
	return { from: givenFrom ?? (await findSide("from", to)), to };
}

async function buildNoSnapshotError({ store }: Context, side: "from" | "to", wanted: SnapshotAt) {
	const of = wanted.connectionId === null && wanted.historyId === null ? "This query" : "On this connection the query";
	const first = await findFirstTime(store.db, wanted);
	if (wanted.at === null || first === undefined)
		return buildFieldError(
			wanted.connectionId === null ? "saved_query_id" : `connection_${side}_id`,
			`${of} has no snapshots.`,
		);
	const [asked, earliest] = [wanted.at, first].map((instant) => instant.toISOString());
	return buildFieldError(side, `${of} has no snapshot at or before ${asked}; the first one is of ${earliest}.`);
}
