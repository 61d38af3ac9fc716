/**
 * The state of a fabric before and after an automation job, as the change window of the job
 * captures it.
 */
import type { Context } from "../../../../context.ts";
import type { Tx } from "../../../../core/ports/store.ts";
import {
	finishJobSnapshot,
	listOpenSnapshots,
	type Phase,
	type SnapshotEnd,
	type SnapshotRow,
} from "../sql/job-snapshots.ts";
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

/** Ends the open snapshots of a phase of the jobs of a change window. */
async function finishOpenSnapshots(
	ctx: Context,
	tx: Tx,
	windowId: string,
	phase: Phase,
	getEnd: (row: SnapshotRow) => SnapshotEnd,
): Promise<void> {
	for (const row of await listOpenSnapshots(tx.db, windowId, phase)) {
		await finishJobSnapshot(tx, row, getEnd(row));
		tx.afterCommit(() => ctx.pubsub.publish(getExecutionTopic(row.execution_id), ""));
	}
}

/** Ends a phase of the jobs of a change window that still wait for it. */
export async function endJobSnapshots(
	ctx: Context,
	tx: Tx,
	windowId: string,
	{ phase, captures }: JobCaptures,
): Promise<void> {
	await finishOpenSnapshots(ctx, tx, windowId, phase, (row) => {
		const capture = captures.find(
			({ queryId, controllerId }) => queryId === row.query_id && controllerId === row.controller_id,
		);
		return capture?.end ?? { problem: "The change window of the job does not compare this query." };
	});
}

/** Ends both phases of the jobs of a change window that captures nothing any more. */
export async function failJobSnapshots(ctx: Context, tx: Tx, windowId: string, problem: string): Promise<void> {
	for (const phase of ["before", "after"] as const) {
		await finishOpenSnapshots(ctx, tx, windowId, phase, () => ({ problem }));
	}
}
