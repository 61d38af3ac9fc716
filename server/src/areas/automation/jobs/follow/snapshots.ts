/**
 * The state of a fabric before and after an automation job, as the change window of the job
 * captures it.
 */
import type { Context } from "../../../../context.ts";
import type { Tx } from "../../../../core/ports/store.ts";
import { finishJobSnapshot, listOpenSnapshots, type Phase, type SnapshotEnd } from "../sql/job-snapshots.ts";
import { getExecutionTopic } from "../topics.ts";

/** The captures of a change window in one of its phases. */
export interface JobCaptures {
	readonly phase: Phase;
	readonly captures: readonly {
		readonly queryId: string;
		readonly controllerId: string;
		readonly end: SnapshotEnd;
	}[];
}

/** Ends a phase of the jobs of a change window that still wait for it. */
export async function endJobSnapshots(
	ctx: Context,
	tx: Tx,
	windowId: string,
	{ phase, captures }: JobCaptures,
): Promise<void> {
	for (const row of await listOpenSnapshots(tx.db, windowId, phase)) {
		const capture = captures.find(
			({ queryId, controllerId }) => queryId === row.query_id && controllerId === row.controller_id,
		);
		const end = capture?.end ?? { problem: "The change window of the job does not compare this query." };
		await finishJobSnapshot(tx, row, end);
		tx.afterCommit(() => ctx.pubsub.publish(getExecutionTopic(row.execution_id), ""));
	}
}

/** Ends both phases of the jobs of a change window that captures nothing any more. */
export async function failJobSnapshots(ctx: Context, tx: Tx, windowId: string, problem: string): Promise<void> {
	for (const phase of ["before", "after"] as const) {
		for (const row of await listOpenSnapshots(tx.db, windowId, phase)) {
			await finishJobSnapshot(tx, row, { problem });
			tx.afterCommit(() => ctx.pubsub.publish(getExecutionTopic(row.execution_id), ""));
		}
	}
}
