/** Computes what must change in a history when snapshots are deleted. */
import type { Db } from "../../../core/ports/store.ts";
import { pruneNames, type StoredNames } from "../rules/names.ts";
import type { StoredPack } from "../rules/packs.ts";
import { getEntries, type Rebased, rebaseSegment, repackRows } from "../rules/rebase.ts";
import type { SegmentRow } from "../sql/content.ts";
import { listSegments } from "../sql/content.ts";
import { listFullPacks, listManifests, listNameChunks, listPackHeads } from "../sql/view.ts";

export interface Erasing {
	readonly db: Db;
}

export interface EraseTask {
	readonly historyId: string;
	readonly segmentId: string;
	/** Snapshots of the segment. */
	readonly ids: readonly string[];
}

/** The change of one segment. */
export interface SegmentChange {
	readonly segment: SegmentRow;
	/** The remaining segment; null if all its snapshots are deleted. */
	readonly left: {
		readonly rebased: Omit<Rebased, "alive">;
		readonly packs: StoredPack[];
		readonly names: StoredNames[];
	} | null;
}

/** Packs that are rewritten at once. */
const GROUP = 32;

/**
 * Null if nothing changes. The result is valid only for a history that has not changed since the
 * call.
 */
export async function planErasure(
	erasing: Erasing,
	{ historyId, segmentId, ids }: EraseTask,
): Promise<SegmentChange | null> {
	const segments = await listSegments(erasing.db, historyId);
	const segment = segments.find(({ id }) => id === segmentId);
	return segment === undefined ? null : findChange(erasing, segment, ids);
}

/** Null if nothing changes. */
async function findChange({ db }: Erasing, segment: SegmentRow, ids: readonly string[]): Promise<SegmentChange | null> {
	const manifests = await listManifests(db, segment.id);
	const here = new Set(manifests.map(({ snapshotId }) => snapshotId));
	const removed = new Set(ids.filter((id) => here.has(id)));
	if (removed.size === 0) return null;
	if (removed.size === manifests.length) return { segment, left: null };
	const columns = await listPackHeads(db, segment.id);
	const { alive, ...rebased } = rebaseSegment(manifests, columns, removed);
	const packs: StoredPack[] = [];
	for (const neighbours of rebased.rewritten)
		for (let at = 0; at < neighbours.length; at += GROUP) {
			const given = await listFullPacks(db, segment.id, neighbours.slice(at, at + GROUP));
			packs.push(...repackRows(given, alive, segment.counters.nextPack + packs.length));
		}
	const gone = new Set([...rebased.dropped, ...rebased.rewritten.flat()]);
	if (gone.size === 0) return { segment, left: { rebased, packs, names: [] } };
	const living = getEntries([...columns.filter(({ seq }) => !gone.has(seq)), ...packs]);
	const names = (await listNameChunks(db, segment.id)).flatMap(({ first, payload }) => {
		const left = pruneNames(payload, (entry) => living.has(entry));
		return left === null ? [] : [{ first, payload: left }];
	});
	return { segment, left: { rebased, packs, names } };
}
