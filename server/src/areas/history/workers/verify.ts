/** Checks the snapshots of a segment against the values recorded at their capture. */
import { createVerifier } from "../rules/verify.ts";
import { listFullPacks, listRecordedSnapshots } from "../sql/view.ts";
import type { SnapshotSources } from "./compare-plan.ts";
import { GoneError } from "./pack-source.ts";
import { retryIfGone } from "./read.ts";

export interface CheckedSnapshot {
	readonly snapshotId: string;
	/** A sentence; null if the snapshot is intact. */
	readonly problem: string | null;
}

/** Packs that are read at once. */
const BATCH = 32;

/**
 * Empty if the segment no longer exists. Packs are not cached: no other read is likely to need
 * them.
 */
export async function verifySegment(
	{ db }: Pick<SnapshotSources, "db">,
	{ segmentId }: { segmentId: string },
): Promise<CheckedSnapshot[]> {
	return retryIfGone(async () => {
		const { snapshots, packs } = await listRecordedSnapshots(db, segmentId);
		const verifier = createVerifier();
		for (let at = 0; at < packs.length; at += BATCH) {
			const wanted = packs.slice(at, at + BATCH);
			const found = await listFullPacks(db, segmentId, wanted);
			if (found.length < wanted.length) throw new GoneError();
			for (const pack of found) verifier.addPack(pack);
		}
		const problems = verifier.check(snapshots);
		return snapshots.map(({ snapshotId }, at) => ({ snapshotId, problem: problems[at] ?? null }));
	});
}
