/** Ends a capture of a change window in the transaction that records the end of its run. */
import { type Context, getNow } from "../../context.ts";
import type { Tx } from "../../core/ports/store.ts";
import type { SnapshotOutcome } from "../history/index.ts";
import type { EndedRun, EndNote } from "../runs/background/index.ts";
import { countOpenCaptures, endCapture, endRound } from "./sql/rounds.ts";
import { lockWindowRow } from "./sql/windows.ts";
import { getWindowTopic, ROUND_QUEUE } from "./topic.ts";

/**
 * Ends the round with its last capture, and enqueues the evaluation of the round.
 * @returns the audit entry; null if the capture has ended already
 */
export async function endWindowCapture(
	ctx: Context,
	tx: Tx,
	run: EndedRun,
	snapshot: SnapshotOutcome,
): Promise<EndNote | null> {
	const window = run.originId === null ? undefined : await lockWindowRow(tx, run.originId);
	if (window === undefined) return { description: `Ran the query ${run.query.name} for a deleted change window` };
	const isComplete = snapshot !== null && snapshot.kind !== "none";
	const problem = snapshot?.kind === "none" ? snapshot.reason : (run.errorMessage ?? "The run has no result.");
	const capture = await endCapture(
		tx,
		{ windowId: window.id, runId: run.jobId },
		{
			snapshot_id: isComplete ? snapshot.id : null,
			captured_at: run.completedAt,
			is_complete: isComplete,
			error: isComplete ? null : problem,
		},
	);
	if (capture === undefined) return null;
	if ((await countOpenCaptures(tx.db, window.id, capture.round)) === 0) {
		await endRound(tx, window.id, capture.round, getNow(ctx));
		await ctx.jobs.enqueue(tx, ROUND_QUEUE, { windowId: window.id, round: capture.round });
	}
	tx.afterCommit(() => ctx.pubsub.publish(getWindowTopic(window.id), ""));
	return {
		description: `Ran the query ${run.query.name} for the change window "${window.title}"`,
		metadata: { change_window: window.id, round: capture.round },
	};
}
