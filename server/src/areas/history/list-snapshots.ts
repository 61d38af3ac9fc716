/** Lists, reads and annotates snapshots. */
import type { AnnotateBody, Snapshot, SnapshotListQuery } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Caller, Identity } from "../../core/caller.ts";
import { buildForbiddenError, buildNotFoundError } from "../../core/errors.ts";
import { listVisibleWatchedQueries, loadVisibleQuery, requireVisibleQuery } from "../queries/saved/visible-query.ts";
import { findVisibleSnapshot } from "./find-visible-snapshot.ts";
import { canAnnotate } from "./policy.ts";
import { presentDetailHead, presentQuery, presentSnapshot } from "./present.ts";
import { viewAsBuffer } from "./rules/bytes.ts";
import { computeDaySpan } from "./rules/days.ts";
import {
	countSnapshots,
	findQueryStructure,
	listSnapshotControllers,
	listSnapshotPage,
	updateAnnotations,
} from "./sql/snapshots.ts";

/** Bytes that are written to the connection at once. */
const PIECE_BYTES = 256 * 1024;

export async function listSnapshotQueries(ctx: Context, identity: Identity) {
	const known = new Map((await listVisibleWatchedQueries(ctx.store.db, identity)).map((query) => [query.id, query]));
	const counts = await countSnapshots(ctx.store.db, [...known.keys()], identity.userId);
	return {
		queries: counts.flatMap((count) => {
			const query = known.get(count.id);
			return query === undefined ? [] : [presentQuery(query, count)];
		}),
	};
}

export async function listSnapshots(ctx: Context, identity: Identity, input: SnapshotListQuery) {
	await requireVisibleQuery(ctx.store.db, identity, input.saved_query_id);
	const span = input.date === undefined ? null : computeDaySpan(input.date, input.timezone);
	const controllers = await listSnapshotControllers(ctx.store.db, input.saved_query_id, identity.userId);
	const { count, rows } = await listSnapshotPage(ctx.store.db, {
		savedQueryId: input.saved_query_id,
		userId: identity.userId,
		connectionId: input.controller_connection_id ?? null,
		limit: input.limit,
		offset: input.offset,
		span: span && { from: new Date(span.from), to: new Date(span.to) },
	});
	return { total_count: count, snapshots: rows.map(presentSnapshot), controllers };
}

/** Yields the detail as JSON text. */
export async function* readSnapshot(
	ctx: Context,
	identity: Identity,
	id: string,
	signal: AbortSignal,
): AsyncGenerator<Buffer | string, void> {
	const row = await findVisibleSnapshot(ctx, identity, id);
	const size = row.result_size_bytes;
	const read = await ctx.areas.history.threads.text({ snapshotId: id, bytes: size }, { size, signal });
	if (read === null) throw buildNotFoundError();
	const text = viewAsBuffer(read);
	yield presentDetailHead(row, await findQueryStructure(ctx.store.db, id));
	for (let at = 0; at < text.length; at += PIECE_BYTES) yield text.subarray(at, at + PIECE_BYTES);
	yield "}";
}

export async function annotateSnapshot(
	ctx: Context,
	caller: Caller,
	id: string,
	input: AnnotateBody,
): Promise<Snapshot> {
	const row = await findVisibleSnapshot(ctx, caller, id);
	const query = row.saved_query_id === null ? null : await loadVisibleQuery(ctx.store.db, caller, row.saved_query_id);
	if (!canAnnotate(caller, row, query)) throw buildForbiddenError();
	const values = Object.fromEntries(
		Object.entries(input).flatMap(([key, value]) => (value === undefined ? [] : [[key, value || null]])),
	);
	return ctx.store.transaction(async (tx) => {
		const changed = await updateAnnotations(tx, id, values);
		if (changed === undefined) throw buildNotFoundError();
		await ctx.events.changed(tx, caller, {
			targetType: "snapshot",
			targetId: id,
			description: `${caller.username} annotated a snapshot of ${row.query_name || "an ad-hoc query"}`,
			metadata: values,
		});
		return presentSnapshot(changed);
	});
}
