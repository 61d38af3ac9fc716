/**
 * Deletes snapshots of a history. The change is computed before the transaction, and applied only
 * if the history has not changed meanwhile. If captures of other processes are faster each time,
 * the history is reserved for the change of one segment.
 */
import type { Context } from "../../context.ts";
import type { Tx } from "../../core/ports/store.ts";
import { holdHistory } from "./reserve-history.ts";
import { groupBySegment, removeSnapshots, sumHistoryBytes } from "./sql/cleanup.ts";
import {
	deletePacks,
	deleteSegment,
	insertPacks,
	replaceManifest,
	replaceNames,
	updateCounters,
} from "./sql/content.ts";
import { findHistoryById, incrementRevision, lockHistoryById } from "./sql/snapshots.ts";
import type { SegmentChange } from "./workers/erase.ts";

/** How often a deletion is tried before it reserves the history. */
const ATTEMPTS = 3;

async function applySegmentChange(tx: Tx, { segment, left }: SegmentChange): Promise<void> {
	if (left === null) return deleteSegment(tx, segment.id);
	const { rebased, packs, names } = left;
	await deletePacks(tx, segment.id, [...rebased.dropped, ...rebased.rewritten.flat()]);
	await insertPacks(tx, segment.id, packs);
	if (packs.length > 0)
		await updateCounters(tx, segment.id, {
			...segment.counters,
			nextPack: segment.counters.nextPack + packs.length,
		});
	for (const manifest of rebased.changed) await replaceManifest(tx, manifest);
	for (const changed of names) await replaceNames(tx, segment.id, changed);
}

/**
 * Deletes the snapshots of one segment; null if the history has changed meanwhile or is reserved.
 * @param holder the own reservation
 */
async function deleteOnce(
	ctx: Context,
	{ historyId, segmentId, ids, size }: Piece,
	record: RecordDeletion,
	holder: string | null,
): Promise<number | null> {
	const base = await findHistoryById(ctx.store.db, historyId);
	if (base === undefined) return 0;
	const change =
		segmentId === null ? null : await ctx.areas.history.threads.erase({ historyId, segmentId, ids }, { size });
	return ctx.store.transaction(async (tx) => {
		const history = await lockHistoryById(tx, historyId, { holder, now: new Date(ctx.clock.now()) });
		if (history === undefined) return 0;
		if (history.isReserved || history.revision !== base.revision) return null;
		const count = await removeSnapshots(tx, ids);
		if (count === 0) return 0;
		if (change !== null) await applySegmentChange(tx, change);
		await incrementRevision(tx, historyId);
		await record(tx, count);
		return count;
	});
}

async function deletePiece(ctx: Context, piece: Piece, record: RecordDeletion): Promise<number> {
	for (let left = ATTEMPTS; left > 0; left--) {
		const deleted = await deleteOnce(ctx, piece, record, null);
		if (deleted !== null) return deleted;
	}
	return holdHistory(ctx, piece.historyId, (holder) => deleteOnce(ctx, piece, record, holder));
}

/**
 * Deletes those of the snapshots that still exist, segment by segment, so that captures of the
 * history go on in between. Calls `record` in the transaction of each segment. Returns how many
 * were deleted.
 */
export async function eraseSnapshots(
	ctx: Context,
	historyId: string,
	ids: readonly string[],
	record: RecordDeletion,
): Promise<number> {
	const history = await findHistoryById(ctx.store.db, historyId);
	if (history === undefined) return 0;
	const size = await sumHistoryBytes(ctx.store.db, historyId);
	let deleted = 0;
	for (const [segmentId, inSegment] of await groupBySegment(ctx.store.db, ids)) {
		const piece = { historyId, segmentId, ids: inSegment, size };
		deleted += await ctx.areas.history.historyMutex.run(history.key, () => deletePiece(ctx, piece, record));
	}
	return deleted;
}

interface Piece {
	readonly historyId: string;
	/** Null for snapshots without content. */
	readonly segmentId: string | null;
	readonly ids: readonly string[];
	/** Approximate bytes of text of the history. */
	readonly size: number;
}

/** Called in the transaction that deletes, with the number of snapshots. */
type RecordDeletion = (tx: Tx, deleted: number) => Promise<void>;
