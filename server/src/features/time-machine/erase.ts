/** Deletes snapshots of a history: worked out beside the transaction, stored only if the history is still what it was worked out from. */
import { unavailable } from "../../platform/errors.ts";
import type { Tx } from "../../ports/store.ts";
import type { CleanupRepo } from "./repo-cleanup.ts";
import type { TimeMachineDeps } from "./service.ts";
import type { SegmentChange } from "./workers/erasing.ts";

type EraseDeps = Pick<TimeMachineDeps, "store" | "repo" | "content" | "work" | "turns"> & {
	readonly cleanup: Pick<CleanupRepo, "remove" | "sizeOf">;
};

const TRIES = 20;

export function createEraser({ store, repo, content, work, turns, cleanup }: EraseDeps) {
	async function apply(tx: Tx, { segment, left }: SegmentChange): Promise<void> {
		if (left === null) return content.deleteSegment(tx, segment.id);
		const { rebased, packs, names } = left;
		await content.deletePacks(tx, segment.id, [...rebased.dropped, ...rebased.rewritten.flat()]);
		await content.insertPacks(tx, segment.id, packs);
		if (packs.length > 0)
			await content.count(tx, segment.id, {
				...segment.counters,
				nextPack: segment.counters.nextPack + packs.length,
			});
		for (const manifest of rebased.changed) await content.replaceManifest(tx, manifest);
		for (const changed of names) await content.replaceNames(tx, segment.id, changed);
	}

	/** Deletes those of the snapshots that are still there, and runs `record` in the same transaction. Gives how many there were. */
	return async function erase(
		historyId: string,
		ids: readonly string[],
		record: (tx: Tx, deleted: number) => Promise<void>,
	): Promise<number> {
		return turns.run(historyId, async () => {
			for (let left = TRIES; left > 0; left--) {
				const base = await repo.historyById(store.db, historyId);
				if (base === undefined) return 0;
				const changes = await work.erase({ historyId, ids }, { size: await cleanup.sizeOf(store.db, historyId) });
				const deleted = await store.transaction(async (tx) => {
					const history = await repo.lockHistoryById(tx, historyId);
					if (history?.revision !== base.revision) return null;
					const count = await cleanup.remove(tx, ids);
					if (count === 0) return 0;
					for (const change of changes) await apply(tx, change);
					await repo.touchHistory(tx, historyId);
					await record(tx, count);
					return count;
				});
				if (deleted !== null) return deleted;
			}
			throw unavailable("The history changes faster than snapshots can be taken out of it.");
		});
	};
}

export type Erase = ReturnType<typeof createEraser>;
