/**
 * The state of a fabric before and after an automation job, as snapshots of a query. A capture that
 * fails neither prevents the launch nor repeats it: the launch waits for the first capture, with an
 * upper bound of its own.
 */

import { type Context, getNow } from "../../../../context.ts";
import { AppError } from "../../../../core/errors.ts";
import type { Tx } from "../../../../core/ports/store.ts";
import { findIdentity } from "../../../accounts/sign-in/create-sessions.ts";
import type { SnapshotOutcome } from "../../../history/index.ts";
import { type EndedRun, type EndNote, NotRunnable } from "../../../runs/background/index.ts";
import { enqueueRunEnd } from "../../../runs/background/queue.ts";
import { prepareQueryRun, startQueryRun } from "../../../runs/background/start-background-runs.ts";
import { LAUNCH_QUEUE } from "../queues.ts";
import { isOver } from "../rules/states.ts";
import { type ExecutionRow, findExecutionRow } from "../sql/executions.ts";
import {
	countSnapshotFailure,
	findJobSnapshot,
	findJobSnapshotByRun,
	finishJobSnapshot,
	markSnapshotRunning,
	type Phase,
	type SnapshotRow,
} from "../sql/job-snapshots.ts";
import { releaseFirstLaunch } from "../sql/launches.ts";
import { getExecutionTopic } from "../topics.ts";

/**
 * The name under which runs around automation jobs are recorded; their key is the execution's id.
 */
export const AUTOMATION = "automation";
/** Starts that failed because of an internal error, after which there is no snapshot. */
const START_TRIES = 5;

/** The phase has ended, or another process has started its run. */
class Taken extends Error {}

/**
 * Ends one phase. The end of the first one releases the launch. Returns false if the phase had
 * ended.
 */
async function finishSnapshot(
	ctx: Context,
	tx: Tx,
	{ execution_id, phase }: SnapshotRow,
	end: Parameters<typeof finishJobSnapshot>[3],
) {
	if (!(await finishJobSnapshot(tx, execution_id, phase, end))) return false;
	tx.afterCommit(() => ctx.pubsub.publish(getExecutionTopic(execution_id), ""));
	if (phase !== "before") return true;
	await releaseFirstLaunch(tx, execution_id, getNow(ctx));
	await ctx.jobs.enqueue(tx, LAUNCH_QUEUE, { executionId: execution_id });
	return true;
}

async function startSnapshot(
	ctx: Context,
	row: SnapshotRow,
	{ launched_by_id: userId, launched_by }: ExecutionRow,
): Promise<void> {
	const identity = userId === null ? null : await findIdentity(ctx, userId);
	if (identity === null) throw new NotRunnable(`${launched_by} is not active any more.`);
	const query = await prepareQueryRun(ctx, identity, row.query_id, row.controller_id);
	await ctx.store.transaction(async (tx) => {
		const purpose = { origin: AUTOMATION, originId: row.execution_id, keepsSnapshot: true, isTrusted: true };
		const runId = await startQueryRun(ctx, tx, query, `the state ${row.phase} an automation job`, purpose);
		if (!(await markSnapshotRunning(tx, row, runId))) throw new Taken();
	});
}

/** Finds the reason why the run cannot be started; null: it may be tried again. */
async function findStartProblem(ctx: Context, row: SnapshotRow, error: unknown): Promise<string | null> {
	if (error instanceof NotRunnable || (error instanceof AppError && error.status < 500)) return error.message;
	if ((await countSnapshotFailure(ctx.store.db, row)) < START_TRIES) return null;
	ctx.log.error({ err: error, execution: row.execution_id }, "the state around a job could not be captured");
	return "The state could not be captured because of an internal error.";
}

/** Why the rows of a run must not become a snapshot: the job did not wait. Null: they may. */
export async function findSnapshotRefusal(
	ctx: Context,
	{ jobId, originId, completedAt }: EndedRun,
): Promise<string | null> {
	const row = await findJobSnapshotByRun(ctx.store.db, jobId);
	const execution = originId === null ? undefined : await findExecutionRow(ctx.store.db, originId);
	const sentAt = execution?.sent_at ?? null;
	if (row?.phase !== "before" || sentAt === null || sentAt >= completedAt) return null;
	return "The query was not over in time: the job was launched without waiting for it any longer.";
}

/**
 * Ends the phase whose run has ended, in the transaction that records the end.
 * @returns the audit entry; null if the phase has ended already
 */
export async function endJobSnapshot(
	ctx: Context,
	tx: Tx,
	run: EndedRun,
	snapshot: SnapshotOutcome,
): Promise<EndNote | null> {
	const row = await findJobSnapshotByRun(tx.db, run.jobId);
	if (row === undefined) return null;
	// Where nothing has changed, the earlier snapshot shows this state, too.
	const isCaptured = snapshot !== null && snapshot.kind !== "none";
	const problem = snapshot?.kind === "none" ? snapshot.reason : (run.errorMessage ?? "The run has no result.");
	const end = isCaptured ? { snapshotId: snapshot.id } : { problem };
	if (!(await finishSnapshot(ctx, tx, row, end))) return null;
	return {
		description: `Ran the query ${run.query.name} for the state ${row.phase} an automation job`,
		metadata: { automation_execution: row.execution_id, phase: row.phase },
	};
}

/** Starts the run of a phase. Safe to call any number of times. */
export async function startJobSnapshot(ctx: Context, data: unknown): Promise<void> {
	const { executionId, phase } = data as { executionId: string; phase: Phase };
	const row = await findJobSnapshot(ctx.store.db, executionId, phase);
	const execution = await findExecutionRow(ctx.store.db, executionId);
	if (row === undefined || execution === undefined || isOver("snapshot", row.status)) return;
	// Nodes of the version before put the phase into this queue again when its run has ended.
	const { run_id: runId } = row;
	if (runId !== null) return ctx.store.transaction((tx) => enqueueRunEnd(ctx, tx, runId));
	try {
		await startSnapshot(ctx, row, execution);
	} catch (error) {
		if (error instanceof Taken) return;
		const problem = await findStartProblem(ctx, row, error);
		if (problem === null) throw error;
		await ctx.store.transaction((tx) => finishSnapshot(ctx, tx, row, { problem }));
	}
}
