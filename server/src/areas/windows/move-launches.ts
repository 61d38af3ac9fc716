/** The launches that wait for a change window follow its state, in the transaction of its step. */
import type { WindowState } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Tx } from "../../core/ports/store.ts";
import { endJobSnapshots, failJobSnapshots, type JobCaptures } from "../automation/jobs/follow/snapshots.ts";
import {
	cancelWindowLaunches,
	markWindowLaunches,
	releaseWindowLaunches,
} from "../automation/jobs/launch/held-launch.ts";
import { listPhaseCaptures } from "./sql/rounds.ts";

/** The latest captures of a phase, for the jobs that show them. */
async function listJobCaptures(tx: Tx, windowId: string, phase: JobCaptures["phase"]): Promise<JobCaptures> {
	const captures = await listPhaseCaptures(tx.db, windowId, phase);
	return {
		phase,
		captures: captures.map(({ saved_query_id, connection_id, snapshot_id, error }) => ({
			queryId: saved_query_id,
			controllerId: connection_id,
			end: snapshot_id === null ? { problem: error ?? "The query has no result." } : { snapshotId: snapshot_id },
		})),
	};
}

/**
 * Call it with the window locked, after its state has changed. Executions are locked before their
 * snapshots, as an end of a job locks them.
 */
export async function moveLaunches(
	ctx: Context,
	tx: Tx,
	{ id, title }: { readonly id: string; readonly title: string },
	state: WindowState,
): Promise<void> {
	const name = `The change window "${title}"`;
	switch (state) {
		case "checking_before":
			return markWindowLaunches(ctx, tx, id, "waiting_before");
		case "blocked":
			return markWindowLaunches(ctx, tx, id, "blocked");
		case "open":
			await releaseWindowLaunches(ctx, tx, id);
			return endJobSnapshots(ctx, tx, id, await listJobCaptures(tx, id, "before"));
		case "judged":
			// A job that began in an open window has not been shown the state before yet.
			await endJobSnapshots(ctx, tx, id, await listJobCaptures(tx, id, "before"));
			return endJobSnapshots(ctx, tx, id, await listJobCaptures(tx, id, "after"));
		case "cancelled":
			await cancelWindowLaunches(ctx, tx, id, `${name} was cancelled. Nothing was sent.`);
			return failJobSnapshots(ctx, tx, id, `${name} was cancelled.`);
		case "expired":
			await cancelWindowLaunches(ctx, tx, id, `${name} expired before it opened. Nothing was sent.`);
			return failJobSnapshots(ctx, tx, id, `${name} expired.`);
	}
}
