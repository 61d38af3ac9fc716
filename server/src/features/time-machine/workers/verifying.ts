/** Checks the snapshots of a segment against what was recorded when they were captured. */
import { createVerifier } from "../domain/verify.ts";
import { Vanished } from "./packs.ts";
import { type Reading, undisturbed } from "./reading.ts";

export interface CheckedSnapshot {
	readonly snapshotId: string;
	/** Null where nothing is wrong. */
	readonly problem: string | null;
}

/** Packs that are read at a time. */
const BATCH = 32;

/** None where the segment is gone. Packs are not kept at hand: nobody is about to ask for them. */
export async function verifySegment(
	{ db, view }: Pick<Reading, "db" | "view">,
	{ segmentId }: { segmentId: string },
): Promise<CheckedSnapshot[]> {
	return undisturbed(async () => {
		const { snapshots, packs } = await view.recorded(db, segmentId);
		const verifier = createVerifier();
		for (let at = 0; at < packs.length; at += BATCH) {
			const wanted = packs.slice(at, at + BATCH);
			const found = await view.fullPacks(db, segmentId, wanted);
			if (found.length < wanted.length) throw new Vanished();
			for (const pack of found) verifier.addPack(pack);
		}
		const problems = verifier.check(snapshots);
		return snapshots.map(({ snapshotId }, at) => ({ snapshotId, problem: problems[at] ?? null }));
	});
}
