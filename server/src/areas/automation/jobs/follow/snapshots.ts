/**
 * The state of a fabric before and after an automation job, as snapshots of a query. A capture that
 * fails neither prevents the launch nor repeats it: the launch waits for the first capture, with an
 * upper bound of its own.
 */

import { type Context, getNow } from "../../../../context.ts";
import { AppError } from "../../../../core/errors.ts";
import type { Tx } from "../../../../ports/store.ts";
import { findIdentity } from "../../../accounts/sign-in/service-sessions.ts";
import { NotRunnable, type RunOrigin } from "../../../runs/background/index.ts";
import { prepareQueryRun, startQueryRun } from "../../../runs/background/service.ts";
import { isOver } from "../domain/states.ts";
import { LAUNCH_QUEUE } from "../queues.ts";
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
import { executionTopic } from "../topics.ts";

/**
 * The name under which runs around automation jobs are recorded; their key is the execution's id.
 */
const AUTOMATION = "automation";
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
	tx.afterCommit(() => ctx.pubsub.publish(executionTopic(execution_id), ""));
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

/** Records the ends of runs around automation jobs. */
export const createSnapshotOrigin = (ctx: Context): RunOrigin => ({
	name: AUTOMATION,
	executionType: "manual",

	async refuseSnapshot({ jobId, originId, completedAt }) {
		const row = await findJobSnapshotByRun(ctx.store.db, jobId);
		const execution = originId === null ? undefined : await findExecutionRow(ctx.store.db, originId);
		const sentAt = execution?.sent_at ?? null;
		if (row?.phase !== "before" || sentAt === null || sentAt >= completedAt) return null;
		return "The query was not over in time: the job was launched without waiting for it any longer.";
	},

	async ended(tx, run, snapshot) {
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
	},
});

/** Starts the run of a phase. Safe to call any number of times. */
export async function startJobSnapshot(ctx: Context, data: unknown, signal: AbortSignal): Promise<void> {
	const { executionId, phase } = data as { executionId: string; phase: Phase };
	const row = await findJobSnapshot(ctx.store.db, executionId, phase);
	const execution = await findExecutionRow(ctx.store.db, executionId);
	if (row === undefined || execution === undefined || isOver("snapshot", row.status)) return;
	// Nodes of the version before put the phase into this queue again when its run has ended.
	if (row.run_id !== null) return ctx.areas.backgroundRuns.record(row.run_id, signal);
	try {
		await startSnapshot(ctx, row, execution);
	} catch (error) {
		if (error instanceof Taken) return;
		const problem = await findStartProblem(ctx, row, error);
		if (problem === null) throw error;
		await ctx.store.transaction((tx) => finishSnapshot(ctx, tx, row, { problem }));
	}
}
