/** The progress of the stages that one process executes. */
import type { Lease } from "../../../core/lease.ts";

export interface RunProgress {
	/** By running stage, 0 to 1. */
	readonly fractions: Map<number, number>;
	/** Pages that this process has read, by running stage. */
	readonly pages: Map<number, number>;
	/** More pages than this are stored at once; null: with the next renewal of the lease. */
	storeAbove: number | null;
	readonly lease: Pick<Lease, "renew">;
}

/** A stage and the progress of its run. */
export interface StageProgress {
	readonly run: RunProgress;
	readonly stage: number;
}

export const countPages = ({ pages }: RunProgress): number =>
	[...pages.values()].reduce((sum, count) => sum + count, 0);

/** Counts an answer of the controller: a page or a count. */
export function addPage({ run, stage }: StageProgress): void {
	run.pages.set(stage, (run.pages.get(stage) ?? 0) + 1);
	if (run.storeAbove === null || countPages(run) <= run.storeAbove) return;
	run.storeAbove = null;
	void run.lease.renew();
}

/** @param fraction the part of the stage that is done, 0 to 1 */
export function setFraction({ run, stage }: StageProgress, fraction: number): void {
	run.fractions.set(stage, Math.min(1, fraction));
}

export function removeStage({ run, stage }: StageProgress): void {
	run.fractions.delete(stage);
	run.pages.delete(stage);
}
